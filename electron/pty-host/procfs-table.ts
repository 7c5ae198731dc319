import fs from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { readProcStat } from './proc-stat.ts';
import type { ProcessInfo, ProcessTable } from './process-table.ts';

/** Processes read in one turn of the loop (about 1 ms): a scan of thousands must not hold up the terminals. */
const SLICE = 64;

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
      if (process === null) continue;
      visitor(process, () => environmentHolds(pid, needle));
    }
  },
};

function readProcess(pid: number): ProcessInfo | null {
  const found = readProcStat(pid);
  if (found === null || found.isKernelThread) return null;
  return found.state === 'Z' || found.state === 'X' ? null : found;
}

function environmentHolds(pid: number, needle: Buffer): boolean {
  try {
    return fs.readFileSync(`/proc/${pid}/environ`).includes(needle);
  } catch {
    return false; // it ended, or belongs to another user
  }
}
