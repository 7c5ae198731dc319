import { afterAll, beforeAll, expect, it } from 'vitest';
import { built, emitted, inParallel, startTime, TestHost } from '../../support/host.ts';

let host: TestHost;
beforeAll(async () => {
  host = await TestHost.start();
});
afterAll(() => host?.close());

for (const size of [5_000, 1_000_000]) {
  it(`every byte of ${size} that are followed at once by the exit is in the log, 200 times`, async () => {
    const expected = emitted(size);
    let exact = 0;
    await inParallel(200, 4, async () => {
      const command = await host.run(`exec ${built.testkit} emit ${size} 3`);
      const exit = await command.exited();
      const isExact = command.log().equals(expected) && exit.exitCode === 3 && exit.bytes === size;
      if (isExact && exit.bytesLost === 0) exact++;
    });
    expect(exact).toBe(200);
  });
}

it('progress never promises a byte that is not in the log', async () => {
  const command = await host.run(
    `for i in 1 2 3 4 5 6 7 8; do ${built.testkit} emit 200000; sleep 0.03; done`,
  );
  const sizes: [number, number][] = [];
  const leave = host.client.onEvent((event) => {
    if (event.type === 'progress' && event.id === command.id) sizes.push([event.bytes, command.log().length]);
  });
  await command.exited();
  leave();
  expect(sizes.length).toBeGreaterThan(1);
  for (const [told, there] of sizes) expect(there).toBeGreaterThanOrEqual(told);
});

it('the last state of a command that writes and goes on is told, with its last lines', async () => {
  const command = await host.run('for i in 1 2 3 4 5 6 7 8; do echo line $i; sleep 0.03; done; read x');
  const tail = await host.event('the last line', (event) =>
    event.type === 'progress' && event.id === command.id && event.tail?.at(-1) === 'line 8'
      ? event.tail
      : undefined,
  );
  expect(tail).toEqual(['line 4', 'line 5', 'line 6', 'line 7', 'line 8']);
  await host.client.write(command.id, '\n');
  expect((await command.exited()).exitCode).toBe(0);
});

it('a grandchild that holds the terminal does not delay the result', async () => {
  const command = await host.run('(trap "" HUP; sleep 30) & echo done; exit 4');
  const began = performance.now();
  const exit = await command.exited();
  expect(performance.now() - began).toBeLessThan(1_000);
  expect([exit.reason, exit.exitCode, command.log().toString()]).toEqual(['exited', 4, 'done\r\n']);
  expect(exit.descendants.length).toBeGreaterThan(0);
  await host.client.stop(command.id, 'user');
  await host.event('nothing left', (event) =>
    event.type === 'descendants' && event.id === command.id && event.descendants.length === 0
      ? true
      : undefined,
  );
});

it('what a child writes after the exit goes on into the log', async () => {
  const lines = [1, 2, 3, 4, 5].map((n) => `late${n}\r\n`);
  for (let round = 0; round < 5; round++) {
    const command = await host.run('(for i in 1 2 3 4 5; do sleep 0.03; echo late$i; done) & echo main');
    const exit = await command.exited();
    expect(exit.bytes).toBe('main\r\n'.length);
    expect(exit.descendants.length).toBeGreaterThan(0);
    await host.event('the end of the child', (event) =>
      event.type === 'descendants' && event.id === command.id && event.descendants.length === 0
        ? true
        : undefined,
    );
    await command.sees('late5\r\n');
    expect(command.log().toString()).toBe(`main\r\n${lines.join('')}`);
  }
});

it('output that looks like the end mark is output', async () => {
  const fake = '\\033]7777;123456789012345678901234;0\\007';
  const command = await host.run(`printf '${fake}A${fake}\\033]7777;'; exit 5`);
  const exit = await command.exited();
  const mark = '\x1b]7777;123456789012345678901234;0\x07';
  expect(command.log().toString('latin1')).toBe(`${mark}A${mark}\x1b]7777;`);
  expect(exit.exitCode).toBe(5);
});

it('a command that closes its own standard streams works on', async () => {
  const command = await host.run('exec 0<&- 1>&- 2>&-; sleep 0.3; exit 9');
  const began = performance.now();
  expect((await command.exited()).exitCode).toBe(9);
  expect(performance.now() - began).toBeGreaterThan(200);
});

it('^S typed by somebody does not hide the end', async () => {
  const command = await host.run('echo ready; read x; exit 3');
  await command.sees('ready');
  await host.client.write(command.id, '\n\x13');
  expect((await command.exited()).exitCode).toBe(3);
});

it('nothing of an ended command is left in the process table', async () => {
  const command = await host.run('echo hi');
  const { runnerPid } = command.meta();
  await command.exited();
  if (runnerPid === null) throw new Error('no runner');
  await host.until('the end of the runner', () => (startTime(runnerPid) === null ? true : undefined));
});
