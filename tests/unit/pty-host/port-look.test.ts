import net from 'node:net';
import { expect, it } from 'vitest';
import { PortLook, readListeningSockets } from '../../../electron/pty-host/port-look.ts';

const listen = () =>
  new Promise<net.Server>((resolve) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => resolve(server));
  });
const portOf = (server: net.Server) => (server.address() as net.AddressInfo).port;

it.skipIf(process.platform !== 'linux')('finds ports, and reads descriptors only when it must', async () => {
  let asked = 0;
  const members = async () => {
    asked++;
    return [process.pid];
  };
  const look = new PortLook();
  const round = async () => {
    const before = asked;
    await look.look(await readListeningSockets(), members);
    return asked - before;
  };
  const first = await listen();
  const found = () => look.ports.get(process.pid) ?? [];
  expect(await round()).toBe(1);
  expect(found()).toContain(portOf(first));
  // Others' sockets are tried a few times, then it rests.
  for (let i = 0; i < 3; i++) await round();
  expect(await round()).toBe(0);
  const second = await listen();
  expect(await round()).toBe(1);
  expect(found()).toEqual(expect.arrayContaining([portOf(first), portOf(second)]));
  await new Promise((resolve) => first.close(resolve));
  expect(await round()).toBe(1);
  expect(found()).not.toContain(portOf(first));
  expect(found()).toContain(portOf(second));
  second.close();
});
