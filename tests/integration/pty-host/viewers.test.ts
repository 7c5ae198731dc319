import fs from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { VIEWER_HIGH_BYTES } from '../../../shared/limits.ts';
import { FrameType } from '../../../shared/protocol/frame.ts';
import { built, emitted, hostPid, TestHost, TestViewer } from '../../support/host.ts';
import { rawClient } from '../../support/raw-client.ts';

let host: TestHost;
beforeAll(async () => {
  host = await TestHost.start();
});
afterAll(() => host?.close());

it('a viewer that comes late, or goes on from a place, gets every byte and then the exit', async () => {
  const expected = emitted(2_000_000);
  const command = await host.run(`exec ${built.testkit} emit 2000000`);
  const whole = new TestViewer(host.client, command.id, null);
  await command.exited();
  const late = new TestViewer(host.client, command.id, null);
  const place = new TestViewer(host.client, command.id, {
    generation: command.generation,
    offset: 1_234_567,
  });
  const stranger = new TestViewer(host.client, command.id, { generation: command.generation + 1, offset: 5 });
  for (const viewer of [whole, late, stranger]) {
    expect(await viewer.exit()).toBe(expected.length);
    expect(viewer.frames[0]).toMatchObject({
      type: FrameType.reset,
      offset: 0,
      generation: command.generation,
    });
    expect(viewer.bytes.equals(expected)).toBe(true);
  }
  expect(await place.exit()).toBe(expected.length);
  expect(place.frames[0]).toMatchObject({ type: FrameType.data, offset: 1_234_567 });
  expect(place.bytes.equals(expected.subarray(1_234_567))).toBe(true);
  // No frame is out of its place.
  let offset = 0;
  for (const frame of whole.frames.filter(({ type }) => type === FrameType.data)) {
    expect(frame.offset).toBe(offset);
    offset += frame.bytes.length;
  }
});

it('a slow viewer never has more than its window on the way, never stalls the command, and catches up exactly', async () => {
  const expected = emitted(6_000_000);
  const command = await host.run(`exec ${built.testkit} emit 6000000`);
  const slow = new TestViewer(host.client, command.id, null, false);
  const exit = await command.exited();
  expect(exit.bytes).toBe(expected.length);
  await slow.until('the full window', () => (slow.received >= VIEWER_HIGH_BYTES ? true : undefined));
  expect(slow.received).toBe(VIEWER_HIGH_BYTES);
  let acked = 0;
  await slow.until('all bytes', () => {
    expect(slow.received - acked).toBeLessThanOrEqual(VIEWER_HIGH_BYTES);
    acked = slow.received;
    slow.ack(acked);
    return acked === expected.length ? true : undefined;
  });
  await slow.exit();
  expect(slow.bytes.equals(expected)).toBe(true);
});

it('an output is seen live: what was typed is echoed to every viewer', async () => {
  const command = await host.run('echo ready; read x');
  const viewers = [1, 2, 3].map(() => new TestViewer(host.client, command.id, null));
  for (const viewer of viewers)
    await viewer.until('ready', () => (viewer.bytes.includes('ready') ? true : undefined));
  await host.client.write(command.id, 'hello\n');
  for (const viewer of viewers) {
    await viewer.exit();
    expect(viewer.bytes.toString()).toBe('ready\r\nhello\r\n');
  }
});

it('a closed viewer gets nothing more', async () => {
  const command = await host.run('echo ready; while read x; do echo got $x; done');
  const [left, stays] = [
    new TestViewer(host.client, command.id, null),
    new TestViewer(host.client, command.id, null),
  ];
  await left.until('ready', () => (left.bytes.includes('ready') ? true : undefined));
  left.stream.close();
  const had = left.received;
  await host.client.write(command.id, 'more\n');
  await stays.until('more', () => (stays.bytes.includes('got more') ? true : undefined));
  expect(left.received).toBe(had);
  await host.client.stop(command.id, 'user');
  await command.exited();
});

it('the output of a command that nobody knows is not opened', async () => {
  const viewer = new TestViewer(host.client, 'c_0000000000000000', null);
  expect(await viewer.stream.opened).toMatchObject({ ok: false, error: { code: 'unknown_handle' } });
});

it('the exit frame comes when the last of what was left behind has ended', async () => {
  const command = await host.run('(sleep 0.3; echo late) & echo main');
  const viewer = new TestViewer(host.client, command.id, null);
  const exit = await command.exited();
  const end = await viewer.exit();
  expect([exit.bytes, end]).toEqual([6, 12]);
  expect(viewer.bytes.toString()).toBe('main\r\nlate\r\n');
});

it('a flood with a stuck viewer and a client that takes nothing leaves the host small and the command running', async () => {
  const command = await host.run('exec yes flood', { stopGraceMs: 0 });
  const stuck = new TestViewer(host.client, command.id, null, false);
  // A client that says hello, opens the output forty times, and does not read its socket.
  const deaf = await rawClient(host.folder);
  for (let stream = 1; stream <= 40; stream++) {
    deaf.say({ seq: stream, op: 'open', id: command.id, stream, from: null });
  }
  deaf.socket.pause();

  const pid = hostPid(host.folder) as number;
  const began = performance.now();
  await host.until('the flood to be on its way', () => (command.log().length > 2_000_000 ? true : undefined));
  const before = { rss: rssBytes(pid), log: size() };
  await host.until('three seconds of flood', () => (performance.now() - began > 3_000 ? true : undefined));
  const after = { rss: rssBytes(pid), log: size() };
  expect(after.rss - before.rss).toBeLessThan(32 * 1024 * 1024);
  expect(after.log - before.log).toBeGreaterThan(5_000_000);
  expect(stuck.received).toBe(VIEWER_HIGH_BYTES);
  const stopping = performance.now();
  await host.client.stop(command.id, 'user');
  await command.exited();
  expect(performance.now() - stopping).toBeLessThan(1_000);
  // It was held back, not dropped: when it reads again it is served.
  deaf.socket.resume();
  deaf.say({ seq: 99, op: 'list' });
  await host.until('the answer', () =>
    deaf.messages.some((m) => (m as { re?: number }).re === 99) ? true : undefined,
  );
  deaf.socket.destroy();

  function size(): number {
    return fs.statSync(`${command.folder}/output.log`).size;
  }
});

function rssBytes(pid: number): number {
  const line = /^VmRSS:\s+(\d+) kB$/m.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(line?.[1]) * 1024;
}
