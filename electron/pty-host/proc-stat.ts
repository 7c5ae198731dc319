import fs from 'node:fs';

const PF_KTHREAD = 0x0020_0000;

/** What /proc/PID/stat says of a process. See proc(5); fields that nobody needs are left out. */
export interface ProcStat {
  readonly pid: number;
  readonly name: string;
  /** By its flag: that its parent is process 2 is true only outside of a PID namespace. */
  readonly isKernelThread: boolean;
  /** R running, S sleeping, D in the disk, T stopped, Z zombie, X dead. */
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Device number of the controlling terminal; 0: none. */
  readonly terminal: number;
  /** Foreground process group of that terminal; below 1: none. */
  readonly foreground: number;
  /** User and system time, in clock ticks. */
  readonly cpuTicks: number;
  /** In clock ticks since boot. */
  readonly startTime: number;
  readonly residentPages: number;
}

/** Linux. Null when there is no such process. Synchronous: no disk is behind it. */
export function readProcStat(pid: number): ProcStat | null {
  try {
    return parseProcStat(fs.readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return null;
  }
}

/** Null when the text is not that of a stat file. */
export function parseProcStat(text: string): ProcStat | null {
  // The name may hold spaces and parentheses: the fields begin behind the last one.
  const nameEnd = text.lastIndexOf(')');
  const fields = text.slice(nameEnd + 2).split(' ');
  const number = (index: number) => Number(fields[index]);
  if (nameEnd < 0 || fields.length < 22) return null;
  return {
    pid: Number.parseInt(text, 10),
    name: Buffer.from(text.slice(text.indexOf('(') + 1, nameEnd), 'latin1').toString('utf8'),
    isKernelThread: (number(6) & PF_KTHREAD) !== 0,
    state: fields[0] ?? 'X',
    parent: number(1),
    group: number(2),
    session: number(3),
    terminal: number(4),
    foreground: number(5),
    cpuTicks: number(11) + number(12),
    startTime: number(19),
    residentPages: number(21),
  };
}
