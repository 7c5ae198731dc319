import { procfsTable } from './procfs-table.ts';
import { psTable } from './ps-table.ts';
import { windowsTable } from './windows-table.ts';

/** A living process. Pid and start time together name it: a pid alone may have become a stranger's. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Of the kernel's own count: clock ticks since boot on Linux, seconds since the epoch on macOS, 100 ns on Windows. */
  readonly startTime: number;
}

export interface ProcessInfo extends ProcessIdentity {
  /** On Windows that of who started it, alive or not: nobody is re-parented there. */
  readonly parent: number;
  /** 0 where there is none, or where it is not told. */
  readonly group: number;
  /** 0 where there is none, or where it is not told. */
  readonly session: number;
  /** Device number of the controlling terminal; 0: none. */
  readonly terminal: number;
  /** Foreground process group of that terminal; below 1: none. */
  readonly foreground: number;
  readonly name: string;
}

/** What lives on this machine. Zombies are not alive. */
export interface ProcessTable {
  find(pid: number): Promise<ProcessInfo | null>;
  /**
   * Calls back for each process at the moment it is read, so that a signal sent there has the least time to miss.
   * `hasMark` says whether its environment holds `mark` (a whole `NAME=value`).
   */
  visit(mark: string, visitor: (process: ProcessInfo, hasMark: () => boolean) => void): Promise<void>;
}

const TABLES: Partial<Record<NodeJS.Platform, ProcessTable>> = { linux: procfsTable, win32: windowsTable };

/** This system's own. Any other Unix has a ps. */
export const processTable: ProcessTable = TABLES[process.platform] ?? psTable;

export function isSameProcess(a: ProcessIdentity, b: ProcessIdentity): boolean {
  return a.pid === b.pid && a.startTime === b.startTime;
}

/** False for a zombie, and for a process that has got the number of one that ended. */
export async function isAlive(identity: ProcessIdentity): Promise<boolean> {
  const found = await processTable.find(identity.pid);
  return found !== null && isSameProcess(found, identity);
}
