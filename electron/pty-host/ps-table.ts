import { execFile } from 'node:child_process';
import fs from 'node:fs';
import { promisify } from 'node:util';
import type { ProcessInfo, ProcessTable } from './process-table.ts';

const run = promisify(execFile);
const COLUMNS = 'pid=,ppid=,pgid=,sess=,tpgid=,tty=,stat=,lstart=,comm=';
const ROW =
  /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(-?\d+)\s+(\S+)\s+(\S+)\s+(\w+\s+\w+\s+\d+\s+[\d:]+\s+\d+)\s+(.*)$/;
const FOREVER = 64 * 1024 * 1024;

/** macOS: the ps program, which never runs through a shell. */
export const psTable: ProcessTable = {
  async find(pid) {
    const rows = parsePsRows(await ps(['-p', String(pid), '-o', COLUMNS]), deviceNumber);
    return rows[0] ?? null;
  },
  async visit(mark, visitor) {
    const marked = parsePsMarks(await ps(['-axEww', '-o', 'pid=,command=']), mark);
    for (const process of parsePsRows(await ps(['-ax', '-o', COLUMNS]), deviceNumber))
      visitor(process, () => marked.has(process.pid));
  },
};

/**
 * Reads the rows that `ps -o COLUMNS` prints. macOS tells no session (`sess` is the kernel's address of it, or 0 since
 * those are hidden), so there a tree is known by its group and its terminal.
 *
 * @param deviceOf device number of a terminal's name, for instance of ttys003; 0 when it is gone
 */
export function parsePsRows(text: string, deviceOf: (terminal: string) => number): ProcessInfo[] {
  const processes: ProcessInfo[] = [];
  for (const line of text.split('\n')) {
    const fields = ROW.exec(line);
    if (fields === null) continue;
    const [, pid, parent, group, , foreground, terminal = '', state = '', started = '', name = ''] = fields;
    if (state.startsWith('Z')) continue;
    processes.push({
      pid: Number(pid),
      parent: Number(parent),
      group: Number(group),
      session: 0,
      startTime: Date.parse(`${started} UTC`) / 1_000,
      foreground: Number(foreground),
      terminal: terminal.startsWith('?') || terminal === '-' ? 0 : deviceOf(terminal),
      name: name.slice(name.lastIndexOf('/') + 1),
    });
  }
  return processes;
}

/** Pids of those rows of `ps -E -o pid=,command=` whose environment holds the mark, as a whole word. */
export function parsePsMarks(text: string, mark: string): Set<number> {
  const marked = text.split('\n').filter((line) => line.split(' ').includes(mark));
  return new Set(marked.map((line) => Number.parseInt(line, 10)));
}

function deviceNumber(terminal: string): number {
  try {
    return fs.statSync(`/dev/${terminal}`).rdev;
  } catch {
    return 0;
  }
}

async function ps(args: string[]): Promise<string> {
  try {
    // Start times are compared with those of other runs: neither language nor daylight saving may change them.
    const { stdout } = await run('/bin/ps', args, { env: { LC_ALL: 'C', TZ: 'UTC' }, maxBuffer: FOREVER });
    return stdout;
  } catch {
    return ''; // ps fails when the selected process is gone
  }
}
