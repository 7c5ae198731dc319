import { afterAll, beforeAll, expect, it } from 'vitest';
import { built, inParallel, TestHost } from '../../support/host.ts';

let host: TestHost;
beforeAll(async () => {
  host = await TestHost.start();
});
afterAll(() => host?.close());

it('exit codes 0 to 255 are told exactly', async () => {
  const wrong: unknown[] = [];
  await inParallel(256, 4, async (code) => {
    const exit = await (await host.run(`exit ${code}`, { tty: false })).exited();
    const isExact =
      exit.exitCode === code && exit.signal === null && exit.reason === 'exited' && exit.by === null;
    if (!isExact) wrong.push([code, exit]);
  });
  expect(wrong).toEqual([]);
});

const SIGNALS = { 1: 'SIGHUP', 2: 'SIGINT', 6: 'SIGABRT', 9: 'SIGKILL', 11: 'SIGSEGV', 15: 'SIGTERM' };

it('death by a signal that nobody here sent is told by its name, with no code and nobody to blame', async () => {
  const told: Record<string, unknown> = {};
  await inParallel(6, 3, async (index) => {
    const number = Object.keys(SIGNALS)[index] as string;
    const exit = await (await host.run(`exec ${built.testkit} die ${number}`)).exited();
    told[number] = [exit.signal, exit.exitCode, exit.reason, exit.by];
  });
  for (const [number, name] of Object.entries(SIGNALS)) {
    expect(told[number], number).toEqual([name, null, 'exited', null]);
  }
});

it('a shell that reports 128 and more has exited by code', async () => {
  const exit = await (await host.run("sh -c 'kill -9 $$'; exit $?")).exited();
  expect([exit.exitCode, exit.signal]).toEqual([137, null]);
});
