import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CommandId } from '../../../shared/model/ids.ts';
import { FrameType } from '../../../shared/protocol/frame.ts';
import {
  built,
  emitted,
  endHost,
  hostLimits,
  type TestCommand,
  TestHost,
  TestViewer,
  until,
} from '../../support/host.ts';

const MB = 1024 * 1024;
const NO_FLOOR = { ...hostLimits, freeSpaceFloorBytes: 0 };

let host: TestHost;
beforeAll(async () => {
  host = await TestHost.start();
});
afterAll(() => host?.close());

const logNames = (command: TestCommand) =>
  fs.readdirSync(command.folder).filter((name) => name.endsWith('.log'));
const logBytes = (command: TestCommand) =>
  logNames(command).reduce((sum, name) => sum + fs.statSync(path.join(command.folder, name)).size, 0);
const lost = (id: CommandId, reason: string) =>
  host.event(`${id} ${reason}`, (event) =>
    event.type === 'log_lost' && event.id === id && event.reason === reason ? event.gap : undefined,
  );

it('over its quota a command keeps beginning and newest part; what is between is counted, and viewers jump', async () => {
  const all = emitted(5_000_000);
  const command = await host.run(`exec ${built.testkit} emit ${all.length}`, { logQuotaBytes: MB });
  const exit = await command.exited();
  const gap = exit.gap ?? { from: 0, to: 0, droppedBytes: 0 };
  expect(exit).toMatchObject({ bytes: all.length, bytesLost: 0 });
  expect(gap.from).toBe(MB / 4);
  expect(gap.droppedBytes).toBe(gap.to - gap.from);
  await until('the files to be removed', () => (logBytes(command) <= MB ? true : undefined));
  expect(logBytes(command)).toBe(all.length - gap.droppedBytes);
  expect(logBytes(command)).toBeGreaterThan((MB * 7) / 8);

  const [listed] = await host.client.list().then((list) => (list.ok ? list.value.slice(-1) : []));
  expect(listed?.gap).toEqual(gap);
  // Offsets stay: before the gap, in it, behind it, and at the end.
  const range = async (from: number, to: number) => {
    const part = await host.client.readLogRange(command.id, from, to);
    expect(Buffer.from(part.bytes).equals(all.subarray(part.from, part.from + part.bytes.length))).toBe(true);
    return [part.from, part.from + part.bytes.length];
  };
  expect(await range(0, all.length)).toEqual([0, gap.from]);
  expect(await range(gap.from, all.length)).toEqual([gap.to, all.length]);
  expect(await range(1_000_000, gap.to + 10)).toEqual([gap.to, gap.to + 10]);
  expect(await range(1_000_000, 1_000_100)).toEqual([1_000_100, 1_000_100]);
  expect(await range(all.length - 5, all.length + 5)).toEqual([all.length - 5, all.length]);

  const viewer = new TestViewer(host.client, command.id, null);
  expect(await viewer.exit()).toBe(all.length);
  const resets = viewer.frames.filter(({ type }) => type === FrameType.reset).map(({ offset }) => offset);
  expect(resets).toEqual([0, gap.to]);
  expect(viewer.bytes.equals(Buffer.concat([all.subarray(0, gap.from), all.subarray(gap.to)]))).toBe(true);
});

it('a viewer that is overtaken by the quota goes on behind the gap, and every byte is told at its own offset', async () => {
  const all = emitted(8_000_000);
  const command = await host.run(`exec ${built.testkit} emit ${all.length}`, { logQuotaBytes: MB });
  const slow = new TestViewer(host.client, command.id, null, false);
  await command.exited();
  await slow.until('its window', () => (slow.received > 0 ? true : undefined));
  let end = 0;
  await slow.until('the end', () => {
    for (const frame of slow.frames.splice(0)) {
      if (frame.type === FrameType.exit) return true;
      if (frame.type === FrameType.reset) end = frame.offset;
      if (frame.type !== FrameType.data) continue;
      expect(frame.offset).toBe(end);
      expect(Buffer.from(frame.bytes).equals(all.subarray(end, end + frame.bytes.length))).toBe(true);
      end += frame.bytes.length;
      slow.ack(end);
    }
    return undefined;
  });
  expect(end).toBe(all.length);
});

it('over the total the oldest ended logs go first, never a living one; the record of the end stays', async () => {
  await host.client.configure(NO_FLOOR);
  const live = await host.run(`${built.testkit} emit 400000; echo; echo up; read x`);
  await live.sees('up');
  const ended: TestCommand[] = [];
  for (let i = 0; i < 4; i++) {
    const command = await host.run(`exec ${built.testkit} emit 300000 ${i}`);
    await command.exited();
    ended.push(command);
  }
  const [first, second, third, fourth] = ended as [TestCommand, TestCommand, TestCommand, TestCommand];
  await host.client.configure({ ...NO_FLOOR, totalLogBytes: 800_000 });
  expect(await lost(second.id, 'expired')).toEqual({ from: 0, to: 300_000, droppedBytes: 300_000 });
  await lost(first.id, 'expired');
  expect([first, second, third, fourth].map(logBytes)).toEqual([0, 0, 300_000, 300_000]);
  expect(logBytes(live)).toBeGreaterThan(400_000);
  const viewer = new TestViewer(host.client, first.id, null);
  expect(await viewer.exit()).toBe(300_000);
  expect(viewer.received).toBe(0);
  expect(JSON.parse(fs.readFileSync(path.join(second.folder, 'exit.json'), 'utf8'))).toMatchObject({
    exitCode: 1,
    bytes: 300_000,
  });
  await host.client.configure(NO_FLOOR);
  await host.client.stop(live.id, 'user');
  await live.exited();
});

it('ended commands expire by age, also those of a former host', async () => {
  const old = await TestHost.start();
  try {
    const command = await old.run('echo old');
    await command.exited();
    const stays = await old.run('echo up; read x');
    await stays.sees('up');
    await old.client.configure({ ...NO_FLOOR, logExpiryMs: 0 });
    await until('its folder to be gone', () => (fs.existsSync(command.folder) ? undefined : true));
    expect(fs.existsSync(stays.folder)).toBe(true);
    await old.client.stop(stays.id, 'user');
    await stays.exited();
    const later = await old.run('echo later');
    await later.exited();
    await old.client.configure({ ...NO_FLOOR, logExpiryMs: 86_400_000 });
    const other = await old.run('echo other');
    await other.exited();
    const past = Date.now() / 1_000 - 86_400 * 15;
    fs.utimesSync(path.join(other.folder, 'exit.json'), past, past);
    old.client.dispose();
    endHost(old.folder);
    const next = await TestHost.start({ folder: old.folder });
    await until('its folder to be gone', () => (fs.existsSync(other.folder) ? undefined : true));
    next.client.dispose();
  } finally {
    await old.close();
  }
});

it('below the floor of free space ended logs go, then commands block, and with space again nothing is lost', async () => {
  const old = await host.run(`exec ${built.testkit} emit 200000`);
  await old.exited();
  const command = await host.run(`read x; exec ${built.testkit} emit 300000 3`);
  const other = await host.run('read x; echo seen');
  await host.client.configure({ ...hostLimits, freeSpaceFloorBytes: Number.MAX_SAFE_INTEGER });
  await lost(old.id, 'expired');
  await host.until('the hold', async () => {
    await host.client.write(other.id, '\n');
    const list = await host.client.list();
    return list.ok && list.value.find(({ id }) => id === other.id)?.isBlocked ? true : undefined;
  });
  await host.client.write(command.id, '\n');
  await host.event('blocked', (event) =>
    event.type === 'blocked' && event.id === command.id && event.isBlocked ? true : undefined,
  );
  const had = logBytes(command);
  await host.client.configure(NO_FLOOR);
  expect(await command.exited()).toMatchObject({ exitCode: 3, bytesLost: 0 });
  expect(had).toBeLessThan(10);
  expect(command.log().subarray(-300_000).equals(emitted(300_000))).toBe(true);
  await other.exited();
  expect(other.log().toString()).toContain('seen');
});

it('a log that is removed is said to be, and the job goes on in another file at the right offset', async () => {
  const command = await host.run('echo ready; while read x; do echo got=$x; done; exit 5');
  const viewer = new TestViewer(host.client, command.id, null);
  await command.sees('ready');
  const had = fs.statSync(path.join(command.folder, 'output.log')).size;
  fs.rmSync(path.join(command.folder, 'output.log'));
  expect(await lost(command.id, 'deleted')).toEqual({ from: 0, to: had, droppedBytes: had });
  await host.client.write(command.id, 'more\n');
  await viewer.until('more', () => (viewer.bytes.includes('got=more') ? true : undefined));
  expect(await host.client.readLogRange(command.id, 0, 5)).toEqual({ from: 5, bytes: new Uint8Array(0) });
  const part = await host.client.readLogRange(command.id, 0, 1_000);
  expect([part.from, Buffer.from(part.bytes).toString()]).toEqual([had, 'more\r\ngot=more\r\n']);
  await host.client.sendEof(command.id);
  expect(await command.exited()).toMatchObject({ exitCode: 5, gap: { from: 0, to: had } });
});

it('with its whole folder removed the job goes on, and its end is on record', async () => {
  const command = await host.run('echo ready; read x; echo got=$x; exit 6');
  await command.sees('ready');
  fs.rmSync(command.folder, { recursive: true });
  await lost(command.id, 'deleted');
  await host.client.write(command.id, 'on\n');
  const exit = await command.exited();
  expect(exit).toMatchObject({ exitCode: 6, gap: { from: 0, to: 7 } });
  expect(JSON.parse(fs.readFileSync(path.join(command.folder, 'exit.json'), 'utf8'))).toEqual(exit);
  expect(fs.readFileSync(path.join(command.folder, 'output.7.log'), 'utf8')).toBe('on\r\ngot=on\r\n');
  expect(command.meta()).toMatchObject({ pid: command.pid });
  expect(fs.statSync(command.folder).mode & 0o777).toBe(0o700);
});
