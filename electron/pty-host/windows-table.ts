import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { ProcessInfo, ProcessTable } from './process-table.ts';

const run = promisify(execFile);
const FOREVER = 64 * 1024 * 1024;
const ROW = /^"(\d+)","(\d+)","(\d+)","(.*)"\r?$/;

/**
 * Windows: the processes as WMI has them (wmic itself is gone since Windows 11 24H2). The text holds nothing that comes
 * from outside. Environments of others cannot be read there, so nobody carries a mark.
 */
export const windowsTable: ProcessTable = {
  async find(pid) {
    return (await list(` -Filter 'ProcessId=${pid}'`))[0] ?? null;
  },
  async visit(_mark, visitor) {
    for (const process of await list('')) visitor(process, () => false);
  },
};

/** Reads the CSV that `list` asks for: number, parent's number, time of creation in units of 100 ns, name. */
export function parseWindowsRows(text: string): ProcessInfo[] {
  const processes: ProcessInfo[] = [];
  for (const line of text.split('\n')) {
    const fields = ROW.exec(line);
    if (fields === null) continue;
    const [, pid, parent, created, name = ''] = fields;
    processes.push({
      pid: Number(pid),
      parent: Number(parent),
      group: 0,
      session: 0,
      startTime: Number(created),
      foreground: 0,
      terminal: 0,
      name: name.replaceAll('""', '"'),
    });
  }
  return processes;
}

async function list(selection: string): Promise<ProcessInfo[]> {
  const created = `@{n='Created';e={if ($_.CreationDate) {$_.CreationDate.ToFileTimeUtc()} else {0}}}`;
  const question =
    `Get-CimInstance Win32_Process${selection} | ` +
    `Select-Object ProcessId,ParentProcessId,${created},Name | ConvertTo-Csv -NoTypeInformation`;
  const args = ['-NoProfile', '-NonInteractive', '-Command', question];
  try {
    const { stdout } = await run('powershell.exe', args, { maxBuffer: FOREVER, windowsHide: true });
    return parseWindowsRows(stdout);
  } catch {
    return []; // nobody of that number, or no answer: what is not seen is not hit
  }
}
