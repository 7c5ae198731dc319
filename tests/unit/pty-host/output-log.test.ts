import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { logQuota } from '../../../electron/pty-host/log-quota.ts';
import { readLogFiles } from '../../../electron/pty-host/log-segments.ts';
import { OutputLog } from '../../../electron/pty-host/output-log.ts';

let folder = '';
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'switchyard-log-'));
});
afterEach(() => {
  vi.restoreAllMocks();
  fs.rmSync(folder, { recursive: true, force: true });
});

const LARGE = 1024 * 1024;
/** 40 bytes of head, files of 10, 120 bytes of tail. */
const SMALL = 160;

const open = (quota = LARGE) => {
  const written: [number, string][] = [];
  const blocked: boolean[] = [];
  const gaps: string[] = [];
  const file = path.join(folder, 'output.log');
  const log = new OutputLog(folder, quota, {
    onWritten: (offset, bytes) => written.push([offset, Buffer.from(bytes).toString()]),
    onBlocked: (isBlocked) => blocked.push(isBlocked),
    onGap: (reason) => gaps.push(reason),
  });
  return { log, file, written, blocked, gaps };
};

const text = (size: number) =>
  Buffer.from(Array.from({ length: size }, (_, i) => 97 + ((i + Math.floor(i / 26)) % 26)));
const read = async (log: OutputLog, offset: number, length: number) => {
  const { from, bytes } = await log.read(offset, length);
  return [from, Buffer.from(bytes).toString()];
};
const readFiles = async (offset: number, length: number) => {
  const { from, bytes } = await readLogFiles(folder, offset, length);
  return [from, Buffer.from(bytes).toString()];
};
const settledNames = async (count: number) => {
  await vi.waitFor(() => expect(fs.readdirSync(folder)).toHaveLength(count));
  return fs.readdirSync(folder).sort();
};

it('a short write is no loss and is told as one', () => {
  const { log, file, written } = open();
  const real = fs.writeSync;
  vi.spyOn(fs, 'writeSync').mockImplementation(((
    fd: number,
    bytes: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ) => real(fd, bytes, offset, Math.min(3, length), position)) as typeof fs.writeSync);
  log.append(Buffer.from('0123456789'));
  expect(fs.readFileSync(file, 'utf8')).toBe('0123456789');
  expect(written).toEqual([[0, '0123456789']]);
  log.close();
});

it('a descriptor is not closed under a read', async () => {
  const { log } = open();
  log.append(Buffer.from('0123456789'));
  const reading = read(log, 2, 4);
  log.close();
  expect(await reading).toEqual([2, '2345']);
  expect(await read(log, 8, 100)).toEqual([8, '89']);
});

it('a descriptor is not closed under a read when another file is begun', async () => {
  const { log } = open(SMALL);
  log.append(text(38));
  const reading = read(log, 10, 4);
  log.append(text(4));
  expect(await reading).toEqual([10, text(38).subarray(10, 14).toString()]);
  log.close();
});

it('what comes after the close is counted as lost', () => {
  const { log, file } = open();
  log.append(Buffer.from('kept'));
  log.close();
  log.append(Buffer.from('late'));
  expect([log.bytes, log.lost, fs.readFileSync(file, 'utf8')]).toEqual([4, 4, 'kept']);
});

it('never writes into a file that is there', () => {
  fs.writeFileSync(path.join(folder, 'output.log'), 'theirs');
  expect(open).toThrow(/EEXIST/);
});

it('reads no more than there is', async () => {
  const { log } = open();
  log.append(Buffer.from('0123456789'));
  log.close();
  expect(await readFiles(4, Number.MAX_SAFE_INTEGER)).toEqual([4, '456789']);
  expect(await readFiles(40, 10)).toEqual([40, '']);
});

it('a quota is a quarter of beginning, and files of a sixteenth or 16 MB', () => {
  const MB = 1024 * 1024;
  expect(logQuota(256 * MB)).toEqual({
    headBytes: 64 * MB,
    segmentBytes: 16 * MB,
    tailBytes: 192 * MB,
  });
  expect(logQuota(1024 * MB).segmentBytes).toBe(16 * MB);
  expect(logQuota(16 * MB)).toEqual({ headBytes: 4 * MB, segmentBytes: MB, tailBytes: 12 * MB });
});

it('up to the quota everything is kept and read as one', async () => {
  const { log, gaps } = open(SMALL);
  const all = text(160);
  for (let at = 0; at < 160; at += 7) log.append(all.subarray(at, at + 7));
  expect([log.bytes, log.gap, gaps]).toEqual([160, null, []]);
  expect(fs.readdirSync(folder)).toHaveLength(13);
  for (const from of [0, 35, 39, 40, 55, 149, 159]) {
    expect(await read(log, from, 200)).toEqual([from, all.subarray(from).toString()]);
    expect(await readFiles(from, 12)).toEqual([from, all.subarray(from, from + 12).toString()]);
  }
  log.close();
});

it('above it beginning and newest part are kept, the rest is counted, and offsets stay', async () => {
  const { log, gaps } = open(SMALL);
  const all = text(1_003);
  for (let at = 0; at < all.length; at += 17) log.append(all.subarray(at, at + 17));
  // The newest file begins at 1000; with 11 before it the tail holds 113 bytes.
  expect(log.gap).toEqual({ from: 40, to: 890, droppedBytes: 850 });
  expect([log.bytes, log.lost, new Set(gaps)]).toEqual([1_003, 0, new Set(['quota'])]);
  const names = await settledNames(13);
  expect(names.slice(0, 2)).toEqual(['output.1000.log', 'output.890.log']);
  const size = names.reduce((sum, name) => sum + fs.statSync(path.join(folder, name)).size, 0);
  expect(size).toBe(all.length - 850);
  for (const look of [
    (from: number, length: number) => read(log, from, length),
    (from: number, length: number) => readFiles(from, length),
  ]) {
    expect(await look(30, 50)).toEqual([30, all.subarray(30, 40).toString()]);
    expect(await look(40, 5)).toEqual([890, all.subarray(890, 895).toString()]);
    expect(await look(500, 20)).toEqual([890, all.subarray(890, 910).toString()]);
    expect(await look(995, 100)).toEqual([995, all.subarray(995).toString()]);
  }
  expect(Buffer.from(log.tail(13)).toString()).toBe(all.subarray(-13).toString());
  log.close();
  expect(await read(log, 889, 2)).toEqual([890, all.subarray(890, 892).toString()]);
});

it('a full disk at the beginning of a file blocks, and nothing is lost or written twice', async () => {
  const { log, blocked } = open(SMALL);
  const all = text(60);
  log.append(all.subarray(0, 35));
  const full = vi.spyOn(fs, 'openSync').mockImplementation(() => {
    throw Object.assign(new Error('full'), { code: 'ENOSPC' });
  });
  log.append(all.subarray(35, 50));
  log.append(all.subarray(50));
  expect([log.bytes, log.isBlocked, blocked]).toEqual([40, true, [true]]);
  full.mockRestore();
  await log.settled();
  expect([log.bytes, log.lost, blocked]).toEqual([60, 0, [true, false]]);
  expect(await read(log, 0, 100)).toEqual([0, all.toString()]);
  log.close();
});

it('held it blocks as on a full disk; a stop is let write', async () => {
  const { log, blocked } = open();
  log.hold(true);
  log.append(Buffer.from('one'));
  expect([log.bytes, blocked]).toEqual([0, [true]]);
  log.hold(false);
  expect([log.bytes, blocked]).toEqual([3, [true, false]]);
  log.hold(true);
  log.append(Buffer.from('two'));
  log.loseWhenFull();
  log.hold(true);
  log.append(Buffer.from('three'));
  expect([log.bytes, log.lost]).toEqual([11, 0]);
  log.close();
});

it('a removed file is told, and another goes on at the right offset', async () => {
  const { log, file, gaps } = open();
  log.append(Buffer.from('0123456789'));
  await log.check(() => {});
  expect(gaps).toEqual([]);
  fs.rmSync(file);
  await log.check(() => {});
  expect(gaps).toEqual(['deleted']);
  expect(log.gap).toEqual({ from: 0, to: 10, droppedBytes: 10 });
  log.append(Buffer.from('abc'));
  expect(fs.readFileSync(path.join(folder, 'output.10.log'), 'utf8')).toBe('abc');
  expect(await read(log, 0, 100)).toEqual([10, 'abc']);
  await log.check(() => {});
  expect(gaps).toEqual(['deleted']);
  log.close();
});

it('with the folder gone it asks for another one, and if there is none tries again', async () => {
  const { log, gaps } = open();
  log.append(Buffer.from('0123'));
  fs.rmSync(folder, { recursive: true });
  await log.check(() => {
    throw new Error('no folder to be had');
  });
  log.append(Buffer.from('4'));
  expect(gaps).toEqual([]);
  await log.check(() => fs.mkdirSync(folder));
  log.append(Buffer.from('56'));
  expect(gaps).toEqual(['deleted']);
  expect(await read(log, 0, 100)).toEqual([5, '56']);
  log.close();
});

it('a file that somebody cut keeps its offsets', async () => {
  const { log, file } = open();
  log.append(Buffer.from('0123456789'));
  fs.truncateSync(file, 0);
  log.append(Buffer.from('abc'));
  expect(await read(log, 10, 3)).toEqual([10, 'abc']);
  log.close();
});
