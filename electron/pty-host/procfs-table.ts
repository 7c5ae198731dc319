import fs from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ProcessInfo, ProcessTable } from './process-table.ts';

/** Processes read in one turn of the loop (about 1 ms): a scan of thousands must not hold up the terminals. */
const SLICE = 64;
const KERNEL_THREADS = 2;

/** Linux: /proc. Single reads are synchronous (no disk is behind them); whole scans give way between slices. */
export const procfsTable: ProcessTable = {
  async find(pid) {
    return readProcess(pid);
  },
  async visit(mark, visitor) {
    const needle = Buffer.from(mark);
    let count = 0;
    for (const name of fs.readdirSync('/proc')) {
      const pid = Number(name);
      if (!Number.isInteger(pid)) continue;
      if (++count % SLICE === 0) await nextTurn();
      const process = readProcess(pid);
      if (process === null || process.pid === KERNEL_THREADS || process.parent === KERNEL_THREADS) continue;
      visitor(process, () => environmentHolds(pid, needle));
    }
  },
};

function readProcess(pid: number): ProcessInfo | null {
  let text: string;
  try {
    text = fs.readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return null;
  }
  // The name may hold spaces and parentheses: the fields begin behind the last one.
  const nameEnd = text.lastIndexOf(')');
  const [state = 'X', parent, , session, terminal, foreground, ...rest] = text.slice(nameEnd + 2).split(' ');
  if (state === 'Z' || state === 'X') return null;
  return {
    pid,
    startTime: Number(rest[13]),
    parent: Number(parent),
    session: Number(session),
    terminal: Number(terminal),
    foreground: Number(foreground),
    name: Buffer.from(text.slice(text.indexOf('(') + 1, nameEnd), 'latin1').toString('utf8'),
  };
}

function environmentHolds(pid: number, needle: Buffer): boolean {
  try {
    return fs.readFileSync(`/proc/${pid}/environ`).includes(needle);
  } catch {
    return false; // it ended, or belongs to another user
  }
}
