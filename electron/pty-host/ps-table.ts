import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { ProcessInfo, ProcessTable } from './process-table.ts';

const run = promisify(execFile);
const COLUMNS = 'pid=,ppid=,sess=,tpgid=,stat=,lstart=,comm=';
const ROW = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(-?\d+)\s+(\S+)\s+(\w+\s+\w+\s+\d+\s+[\d:]+\s+\d+)\s+(.*)$/;

/** macOS: the ps program, which never runs through a shell. */
export const psTable: ProcessTable = {
  async find(pid) {
    const rows = await list(['-p', String(pid)]);
    return rows[0] ?? null;
  },
  async visit(mark, visitor) {
    const marked = await pidsWith(mark);
    for (const process of await list(['-ax'])) visitor(process, () => marked.has(process.pid));
  },
};

async function list(selection: string[]): Promise<ProcessInfo[]> {
  const processes: ProcessInfo[] = [];
  for (const line of await ps([...selection, '-o', COLUMNS])) {
    const [, pid, parent, session, foreground, state = 'Z', started = '', name = ''] = ROW.exec(line) ?? [];
    if (pid === undefined || state.startsWith('Z')) continue;
    processes.push({
      pid: Number(pid),
      parent: Number(parent),
      session: Number.parseInt(session ?? '', 16) || 0,
      startTime: Date.parse(started) / 1_000,
      foreground: Number(foreground),
      terminal: 0, // ps names it, and nobody here asks for it at this level
      name: name.slice(name.lastIndexOf('/') + 1),
    });
  }
  return processes;
}

async function pidsWith(mark: string): Promise<Set<number>> {
  const lines = await ps(['-axEww', '-o', 'pid=,command=']);
  return new Set(lines.filter((line) => line.includes(mark)).map((line) => Number.parseInt(line, 10)));
}

async function ps(args: string[]): Promise<string[]> {
  try {
    const { stdout } = await run('/bin/ps', args, { env: { LC_ALL: 'C' }, maxBuffer: 64 * 1024 * 1024 });
    return stdout.split('\n').filter((line) => line !== '');
  } catch {
    return []; // ps fails when the selected process is gone
  }
}
