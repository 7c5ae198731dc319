import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { FixedRecord, readFixedRecord } from '../../../electron/pty-host/fixed-record.ts';

let folder = '';
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'switchyard-record-'));
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

it('has its size from the beginning and keeps it', async () => {
  const file = path.join(folder, 'exit.json');
  const record = new FixedRecord(file, 4_096);
  expect(fs.statSync(file).size).toBe(4_096);
  expect(await readFixedRecord(file)).toBeUndefined();
  record.write({ text: 'x'.repeat(3_000) });
  record.write({ text: 'ü' });
  await record.sync();
  record.close();
  expect(await readFixedRecord(file)).toEqual({ text: 'ü' });
  expect(fs.statSync(file).size).toBe(4_096);
  expect(fs.statSync(file).mode & 0o777).toBe(0o600);
});

it('is rewritten in place: the same file, never an empty one', () => {
  const file = path.join(folder, 'exit.json');
  const record = new FixedRecord(file, 512);
  const { ino } = fs.statSync(file);
  record.write({ a: 1 });
  expect(fs.statSync(file).ino).toBe(ino);
  record.close();
});

it('refuses what does not fit and keeps what it had', async () => {
  const file = path.join(folder, 'exit.json');
  const record = new FixedRecord(file, 64);
  record.write({ a: 1 });
  expect(() => record.write({ text: 'ü'.repeat(40) })).toThrow(RangeError);
  record.close();
  expect(await readFixedRecord(file)).toEqual({ a: 1 });
});

it('never takes over a file that is there', () => {
  const file = path.join(folder, 'exit.json');
  fs.writeFileSync(file, 'theirs');
  expect(() => new FixedRecord(file, 64)).toThrow(/EEXIST/);
  expect(fs.readFileSync(file, 'utf8')).toBe('theirs');
});

it('a torn record is no record', async () => {
  const file = path.join(folder, 'exit.json');
  fs.writeFileSync(file, '{"a":');
  expect(await readFixedRecord(file)).toBeUndefined();
  expect(await readFixedRecord(path.join(folder, 'missing'))).toBeUndefined();
});
