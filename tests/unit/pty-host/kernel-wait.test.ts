import { expect, it } from 'vitest';
import {
  fdSetSize,
  parseEpoll,
  parseFdSet,
  parsePollFds,
  parseSyscall,
  pollFdsSize,
} from '../../../electron/pty-host/kernel-wait.ts';

// Lines as the kernel wrote them.
it('a system call is told by its number on this processor', () => {
  const read = '0 0x0 0x556aeb173f40 0x1000 0x8 0x7fba075fdc68 0x0 0x7ffd2643aaf8 0x7fba075222ad\n';
  expect(parseSyscall(read, 'x64')).toEqual({ kind: 'read', fd: 0 });
  expect(parseSyscall(read, 'arm64')).toEqual({ kind: 'other' });
  expect(parseSyscall('63 0x3 0x1 0x1 0x0 0x0 0x0 0x1 0x1\n', 'arm64')).toEqual({ kind: 'read', fd: 3 });
  const epoll = '281 0xf 0x7ffdf50a70e0 0x400 0xffffffff 0x0 0x8 0x7ffdf50a6380 0x7f1347126cae\n';
  expect(parseSyscall(epoll, 'x64')).toEqual({ kind: 'epoll', fd: 15 });
  const poll = '7 0x7ffdf50a70e0 0x2 0xffffffff 0x0 0x0 0x8 0x7ffdf50a6380 0x7f1347126cae\n';
  expect(parseSyscall(poll, 'x64')).toEqual({ kind: 'poll', address: 0x7ffdf50a70e0, count: 2 });
  const select = '270 0x4 0x7ffdf50a70e0 0x0 0x0 0x0 0x8 0x7ffdf50a6380 0x7f1347126cae\n';
  expect(parseSyscall(select, 'x64')).toEqual({ kind: 'select', address: 0x7ffdf50a70e0, limit: 4 });
});

it('what is no such call is something else', () => {
  const nanosleep = '230 0x0 0x0 0x7ffd18292f80 0x7ffd18292fc0 0x0 0x0 0x7ffd18292f68 0x7feb2a404503\n';
  for (const line of [nanosleep, 'running\n', '-1 0x7ffd 0x7feb\n', '']) {
    expect(parseSyscall(line, 'x64')).toEqual({ kind: 'other' });
  }
});

it('the upper half of a register is no part of a descriptor, and a count is bounded', () => {
  expect(parseSyscall('0 0xffffffff00000005 0x1 0x1 0x0 0x0 0x0 0x1 0x1', 'x64')).toEqual({
    kind: 'read',
    fd: 5,
  });
  expect(parseSyscall('7 0x1000 0x7fffffff 0x1 0x0 0x0 0x0 0x1 0x1', 'x64')).toMatchObject({ count: 4_096 });
});

it('an epoll instance names what it watches for input', () => {
  const text =
    'pos:\t0\nflags:\t02000002\nmnt_id:\t17\nino:\t12\n' +
    'tfd:       16 events:       19 data:               10  pos:0 ino:6a21c sdev:f\n' +
    'tfd:       18 events:       1c data:               12  pos:0 ino:c sdev:10\n' +
    'tfd:       19 events: 80000001 data:               13  pos:0 ino:9 sdev:1a\n';
  expect(parseEpoll(text)).toEqual([16, 19]);
});

it('an array of pollfd and a set of descriptors name what they ask input of', () => {
  const polled = Buffer.alloc(pollFdsSize(4));
  for (const [index, [fd, events]] of [
    [3, 1],
    [-1, 1],
    [5, 4],
    [6, 5],
  ].entries()) {
    polled.writeInt32LE(fd as number, index * 8);
    polled.writeInt16LE(events as number, index * 8 + 4);
  }
  expect(parsePollFds(polled)).toEqual([3, 6]);
  expect(parsePollFds(polled.subarray(0, 12))).toEqual([3]);
  const set = Buffer.alloc(fdSetSize(70));
  expect(set.length).toBe(16);
  for (const fd of [0, 9, 69]) set[fd >> 3] = (set[fd >> 3] ?? 0) | (1 << (fd & 7));
  expect(parseFdSet(set, 70)).toEqual([0, 9, 69]);
  expect(parseFdSet(set, 69)).toEqual([0, 9]);
});
