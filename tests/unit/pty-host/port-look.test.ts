import net from 'node:net';
import { expect, it } from 'vitest';
import { PortLook, SocketTable } from '../../../electron/pty-host/port-look.ts';

/** A server of this process: its port and the number of its socket. */
async function listen(): Promise<{ port: number; inode: string; server: net.Server }> {
  const server = net.createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve());
  });
  const { port } = server.address() as net.AddressInfo;
  const [inode = ''] = [...(await new SocketTable().read())].find(([, other]) => other === port) ?? [];
  return { port, inode, server };
}

it.skipIf(process.platform !== 'linux')('finds ports, and reads descriptors only when it must', async () => {
  let asked = 0;
  const members = async () => {
    asked++;
    return [process.pid];
  };
  const [first, second] = [await listen(), await listen()];
  const look = new PortLook();
  const sockets = new Map([
    ['1', 22], // a stranger's
    [first.inode, first.port],
  ]);
  const round = async () => {
    const before = asked;
    await look.look(sockets, members);
    return asked - before;
  };
  const found = () => look.ports.get(process.pid);
  expect(await round()).toBe(1);
  expect(found()).toEqual([first.port]);
  // The stranger's socket is looked for twice more: its owner may only have been on the way.
  expect([await round(), await round(), await round(), await round()]).toEqual([1, 1, 0, 0]);
  sockets.set(second.inode, second.port);
  expect([await round(), await round()]).toEqual([1, 0]);
  expect(found()).toEqual([first.port, second.port].sort((a, b) => a - b));
  sockets.delete(first.inode);
  expect([await round(), await round()]).toEqual([1, 0]);
  expect(found()).toEqual([second.port]);
  sockets.delete(second.inode);
  await round();
  expect(look.ports.size).toBe(0);
  first.server.close();
  second.server.close();
});
