import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { INPUT_QUEUE_BYTES, MAX_CHARS_BYTES } from '../../../shared/limits.ts';
import { encodeFrame, FrameType } from '../../../shared/protocol/frame.ts';
import { hostPid, type TestCommand, TestHost, TestViewer } from '../../support/host.ts';

let host: TestHost;
beforeAll(async () => {
  host = await TestHost.start();
});
afterAll(() => host?.close());

async function type(command: TestCommand, text: string): Promise<void> {
  for (let at = 0; at < text.length; at += MAX_CHARS_BYTES) {
    const part = text.slice(at, at + MAX_CHARS_BYTES);
    expect(await host.client.write(command.id, part)).toEqual({ ok: true, value: { bytes: part.length } });
  }
}

it('1 MB of lines reaches a reader of lines exactly', async () => {
  const file = path.join(host.folder, 'lines');
  const lines = Array.from(
    { length: 13_107 },
    (_, i) => `${String(i).padStart(8, '0')}${'x'.repeat(71)}\n`,
  ).join('');
  const command = await host.run(`echo ready; cat > ${file}`);
  await command.sees('ready');
  await type(command, lines);
  expect(await host.client.sendEof(command.id)).toEqual({ ok: true, value: null });
  const exit = await command.exited();
  expect([exit.exitCode, exit.inputDropped]).toEqual([0, 0]);
  expect(fs.readFileSync(file, 'utf8') === lines).toBe(true);
});

it('1 MB typed into a pane reaches a raw reader exactly, whatever the bytes', async () => {
  const file = path.join(host.folder, 'raw');
  const all = Buffer.from(Array.from({ length: 1 << 20 }, (_, i) => (i * 31 + (i >> 8)) & 255));
  const command = await host.run(`stty raw -echo; echo ready; exec head -c ${all.length} > ${file}`);
  await command.sees('ready');
  const viewer = new TestViewer(host.client, command.id, null);
  for (let at = 0; at < all.length; at += 60_000) {
    viewer.stream.post(encodeFrame(FrameType.input, 0, 0, all.subarray(at, at + 60_000)));
  }
  expect((await command.exited()).exitCode).toBe(0);
  expect(fs.readFileSync(file).equals(all)).toBe(true);
});

it('what a pane sends with its very opening is not lost', async () => {
  for (let round = 0; round < 20; round++) {
    const command = await host.run('read x; echo got=$x');
    const viewer = new TestViewer(host.client, command.id, null);
    viewer.stream.post(encodeFrame(FrameType.resize, (93 << 16) | 41, 0));
    viewer.stream.post(encodeFrame(FrameType.input, 0, 0, Buffer.from('early\n')));
    await command.exited();
    expect(command.log().toString()).toMatch(/got=early\r\n$/);
  }
});

it('a program that never reads costs little; beyond the queue input is refused, and the rest is told as dropped', async () => {
  const command = await host.run('stty raw -echo; echo ready; exec sleep 60');
  await command.sees('ready');
  const part = 'y'.repeat(MAX_CHARS_BYTES);
  let taken = 0;
  let refused: unknown = null;
  while (refused === null && taken < 2 * INPUT_QUEUE_BYTES) {
    const result = await host.client.write(command.id, part);
    if (result.ok) taken += part.length;
    else refused = result.error;
  }
  expect(refused).toMatchObject({ code: 'input_full' });
  expect(taken).toBeGreaterThan(INPUT_QUEUE_BYTES - part.length);
  expect(taken).toBeLessThan(INPUT_QUEUE_BYTES + 2 * part.length);

  const pid = hostPid(host.folder) as number;
  const before = cpuTicks(pid);
  const began = performance.now();
  await host.until('a second', () => (performance.now() - began > 1_000 ? true : undefined));
  expect(cpuTicks(pid) - before).toBeLessThanOrEqual(10); // 100 a second
  await host.client.stop(command.id, 'user');
  expect((await command.exited()).inputDropped).toBeGreaterThan(INPUT_QUEUE_BYTES - 2 * part.length);
});

it('U+0003 interrupts the foreground group, also where stdin is /dev/null', async () => {
  for (const tty of [true, false]) {
    const command = await host.run('echo ready; sleep 100 | cat', { tty });
    await command.sees('ready');
    await host.client.write(command.id, '\x03');
    const exit = await command.exited();
    expect([exit.reason, exit.signal, exit.by]).toEqual(['exited', 'SIGINT', null]);
  }
});

it('U+0003 is not held up by what waits before it, in the queue and in the terminal', async () => {
  for (let round = 0; round < 5; round++) {
    const command = await host.run('echo ready; exec sleep 100');
    await command.sees('ready');
    await type(command, `${'z'.repeat(79)}\n`.repeat(8_000));
    await host.client.write(command.id, '\x03');
    const exit = await command.exited();
    expect(exit.signal).toBe('SIGINT');
    expect(exit.inputDropped).toBeGreaterThan(0);
  }
});

it('with tty: false a reader gets the end of file at once, and output is a terminal all the same', async () => {
  const command = await host.run('cat; echo end; [ -t 1 ] && echo terminal; stty size < /dev/tty', {
    tty: false,
    cols: 91,
    rows: 33,
  });
  expect((await command.exited()).exitCode).toBe(0);
  expect(command.log().toString()).toBe('end\r\nterminal\r\n33 91\r\n');
});

it('with tty: true stdin is the terminal', async () => {
  const command = await host.run('[ -t 0 ] && echo terminal; read x; echo got=$x');
  await command.sees('terminal');
  await host.client.write(command.id, 'ü\n');
  await command.exited();
  expect(command.log().toString()).toBe('terminal\r\nü\r\ngot=ü\r\n');
});

it('input to a command that has ended is refused, and told how it ended', async () => {
  const command = await host.run('exit 7');
  await command.exited();
  const result = await host.client.write(command.id, 'x');
  expect(result).toMatchObject({ ok: false, error: { code: 'command_ended' } });
  expect(!result.ok && result.error.message).toContain('exit code 7');
  expect(await host.client.sendEof(command.id)).toMatchObject({
    ok: false,
    error: { code: 'command_ended' },
  });
});

it('input that was queued when the command ended reaches no other file', async () => {
  for (let round = 0; round < 10; round++) {
    const command = await host.run('stty -echo; echo ready; exec sleep 0.1');
    await command.sees('ready');
    await type(command, `${'z'.repeat(79)}\n`.repeat(800));
    const exit = await command.exited();
    expect(exit.inputDropped).toBeGreaterThan(0);
    const next = await host.run('echo next');
    await next.exited();
    expect(next.log().toString()).toBe('next\r\n');
  }
});

/** User and system time, in clock ticks. */
function cpuTicks(pid: number): number {
  const text = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]);
}
