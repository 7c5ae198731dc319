import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { InputQueue } from '../../../electron/pty-host/input-queue.ts';
import { until } from '../../support/host.ts';

const { O_RDWR, O_NONBLOCK } = fs.constants;

// A FIFO takes 64 KiB and then says EAGAIN, as a terminal does whose program does not read.
let folder = '';
let fd = -1;
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'switchyard-input-'));
  const fifo = path.join(folder, 'fifo');
  execFileSync('mkfifo', [fifo]);
  fd = fs.openSync(fifo, O_RDWR | O_NONBLOCK);
});
afterEach(() => {
  fs.closeSync(fd);
  fs.rmSync(folder, { recursive: true, force: true });
});

function readSome(): Buffer {
  const bytes = Buffer.alloc(65_536);
  try {
    return bytes.subarray(0, fs.readSync(fd, bytes));
  } catch {
    return bytes.subarray(0, 0);
  }
}

it('brings everything, in order, to a reader that comes late', async () => {
  const queue = new InputQueue(fd, () => true);
  const all = Buffer.from(Array.from({ length: 1 << 20 }, (_, i) => i & 255));
  expect(queue.push(all.subarray(0, 700_000))).toBe(true);
  expect(queue.push(all.subarray(700_000))).toBe(true);
  const got: Buffer[] = [];
  let have = 0;
  await until('all input', () => {
    for (let part = readSome(); part.length > 0; part = readSome()) {
      got.push(part);
      have += part.length;
    }
    return have === all.length ? true : undefined;
  });
  expect(Buffer.concat(got).equals(all)).toBe(true);
  expect([queue.size, queue.dropped]).toEqual([0, 0]);
});

it('takes all of an input or nothing of it', () => {
  const queue = new InputQueue(fd, () => true, 100_000);
  expect(queue.push(Buffer.alloc(100_000))).toBe(true);
  const { size } = queue;
  expect(queue.push(Buffer.alloc(100_001 - size))).toBe(false);
  expect(queue.size).toBe(size);
  expect(queue.push(Buffer.alloc(100_000 - size))).toBe(true);
  queue.close();
});

it('counts what it drops when it is closed, and takes nothing after', () => {
  const queue = new InputQueue(fd, () => true);
  queue.push(Buffer.alloc(200_000));
  const waiting = queue.size;
  expect(waiting).toBeGreaterThan(0);
  queue.close();
  expect([queue.size, queue.dropped]).toEqual([0, waiting]);
  expect(queue.push(Buffer.from('x'))).toBe(false);
});

it('never writes to a descriptor that was closed', () => {
  let isOpen = true;
  const queue = new InputQueue(fd, () => isOpen);
  isOpen = false;
  expect(queue.push(Buffer.from('secret'))).toBe(false);
  expect(readSome().length).toBe(0);
  expect(queue.dropped).toBe(6);
});

it('the interrupt character goes at once when nothing waits', () => {
  const queue = new InputQueue(fd, () => true);
  expect(queue.interrupt()).toBe(true);
  expect([...readSome()]).toEqual([3]);
  expect(queue.dropped).toBe(0);
});

it('the interrupt character discards what waits, and is not put behind what cannot be written', () => {
  const queue = new InputQueue(fd, () => true);
  queue.push(Buffer.alloc(300_000, 'x'));
  const waiting = queue.size;
  expect(queue.interrupt()).toBe(false);
  expect([queue.size, queue.dropped]).toEqual([0, waiting]);
  for (let part = readSome(); part.length > 0; part = readSome()) expect(part.includes(3)).toBe(false);
  queue.close();
  expect(queue.interrupt()).toBe(false);
});
