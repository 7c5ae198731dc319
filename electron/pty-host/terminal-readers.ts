import fs from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  fdSetSize,
  type KernelWait,
  parseEpoll,
  parseFdSet,
  parsePollFds,
  parseSyscall,
  pollFdsSize,
} from './kernel-wait.ts';
import { readProcStat } from './proc-stat.ts';
import { threadsOf } from './process-children.ts';
import { errnoOf } from './system-names.ts';

/** /dev/tty: the controlling terminal of whoever opens it. */
const DEV_TTY = 0x0500;
/** Processes looked at in one turn of the loop: below 1 ms. */
const SLICE = 8;
/** Threads looked at in one process: a reader is among the first. */
const THREADS_MAX = 64;

/** A terminal, named by its device file: numbers alone repeat in containers. */
export interface TerminalIdentity {
  readonly device: number;
  readonly inode: number;
  readonly number: number;
}

/** Null when the file is gone: nobody has the terminal any more. */
export function identifyTerminal(slavePath: string): TerminalIdentity | null {
  try {
    const found = fs.statSync(slavePath);
    return { device: found.dev, inode: found.ino, number: found.rdev };
  } catch {
    return null;
  }
}

/** Who waits for input of a terminal. */
export interface TerminalReaders {
  /** They sleep in a read: nothing but input lets that thread go on. */
  readonly reading: readonly number[];
  /** They sleep until one of several things happens, and input is one. */
  readonly polling: readonly number[];
  /** They sleep in the foreground, and the kernel does not tell us in what: another user's, as sudo is. */
  readonly hidden: readonly number[];
}

/** Looks which of the processes wait for input of the terminal, each at one moment. Linux. */
export async function terminalReaders(
  pids: readonly number[],
  terminal: TerminalIdentity,
): Promise<TerminalReaders> {
  const readers = { reading: [] as number[], polling: [] as number[], hidden: [] as number[] };
  let count = 0;
  for (const pid of pids) {
    if (++count % SLICE === 0) await nextTurn();
    const how = waitsFor(pid, terminal);
    if (how !== null) readers[how].push(pid);
  }
  return readers;
}

function waitsFor(pid: number, terminal: TerminalIdentity): keyof TerminalReaders | null {
  const stat = readProcStat(pid);
  if (stat === null || stat.state === 'Z' || stat.state === 'T') return null;
  // One in the background is stopped at its read, and what it polls for is not for it.
  const isOwn = stat.terminal === terminal.number;
  if (isOwn && stat.group !== stat.foreground) return null;
  let isPolling = false;
  for (const thread of threadsOf(pid).slice(0, THREADS_MAX)) {
    const wait = waitOf(pid, thread);
    if (wait === 'hidden') return isOwn && stat.state === 'S' ? 'hidden' : null;
    const has = (fd: number) => isTerminal(pid, fd, terminal, isOwn);
    if (wait.kind === 'read' && has(wait.fd)) return 'reading';
    isPolling ||= polledBy(pid, wait).some(has);
  }
  return isPolling ? 'polling' : null;
}

function waitOf(pid: number, thread: string): KernelWait | 'hidden' {
  try {
    return parseSyscall(fs.readFileSync(`/proc/${pid}/task/${thread}/syscall`, 'latin1'));
  } catch (error) {
    const errno = errnoOf(error);
    return errno === 'EACCES' || errno === 'EPERM' ? 'hidden' : { kind: 'other' };
  }
}

function polledBy(pid: number, wait: KernelWait): number[] {
  switch (wait.kind) {
    case 'epoll':
      return parseEpoll(readText(`/proc/${pid}/fdinfo/${wait.fd}`));
    case 'poll':
      return parsePollFds(readMemory(pid, wait.address, pollFdsSize(wait.count)));
    case 'select':
      return parseFdSet(readMemory(pid, wait.address, fdSetSize(wait.limit)), wait.limit);
    default:
      return [];
  }
}

function isTerminal(pid: number, fd: number, terminal: TerminalIdentity, isOwn: boolean): boolean {
  try {
    const link = `/proc/${pid}/fd/${fd}`;
    // A file of a server that does not answer must not be touched.
    if (!fs.readlinkSync(link).startsWith('/dev/')) return false;
    const found = fs.statSync(link);
    return (
      (found.ino === terminal.inode && found.dev === terminal.device) || (isOwn && found.rdev === DEV_TTY)
    );
  } catch {
    return false; // it was closed
  }
}

function readText(file: string): string {
  try {
    return fs.readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}

function readMemory(pid: number, address: number, size: number): Buffer {
  if (address === 0 || size === 0) return Buffer.alloc(0);
  try {
    const fd = fs.openSync(`/proc/${pid}/mem`, 'r');
    try {
      const bytes = Buffer.alloc(size);
      return bytes.subarray(0, fs.readSync(fd, bytes, 0, size, address));
    } finally {
      fs.closeSync(fd);
    }
  } catch {
    return Buffer.alloc(0); // it ended, or goes on by now
  }
}
