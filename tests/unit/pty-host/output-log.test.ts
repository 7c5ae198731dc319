import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { OutputLog, readLogFile } from '../../../electron/pty-host/output-log.ts';

let folder = '';
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'switchyard-log-'));
});
afterEach(() => {
  vi.restoreAllMocks();
  fs.rmSync(folder, { recursive: true, force: true });
});

const open = () => {
  const written: [number, string][] = [];
  const file = path.join(folder, 'output.log');
  const log = new OutputLog(file, {
    onWritten: (offset, bytes) => written.push([offset, Buffer.from(bytes).toString()]),
    onBlocked: () => {},
  });
  return { log, file, written };
};

it('a short write is no loss and is told as one', () => {
  const { log, file, written } = open();
  const real = fs.writeSync;
  vi.spyOn(fs, 'writeSync').mockImplementation(((fd: number, bytes: Uint8Array, offset: number) =>
    real(fd, bytes, offset, Math.min(3, bytes.length - offset))) as typeof fs.writeSync);
  log.append(Buffer.from('0123456789'));
  expect(fs.readFileSync(file, 'utf8')).toBe('0123456789');
  expect(written).toEqual([[0, '0123456789']]);
  log.close();
});

it('a descriptor is not closed under a read', async () => {
  const { log } = open();
  log.append(Buffer.from('0123456789'));
  const reading = log.read(2, 4);
  log.close();
  expect(Buffer.from(await reading).toString()).toBe('2345');
  expect(Buffer.from(await log.read(8, 100)).toString()).toBe('89');
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
  const { log, file } = open();
  log.append(Buffer.from('0123456789'));
  log.close();
  expect((await readLogFile(file, 4, Number.MAX_SAFE_INTEGER)).length).toBe(6);
  expect((await readLogFile(file, 40, 10)).length).toBe(0);
});
