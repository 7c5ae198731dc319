import { execFile } from 'node:child_process';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const LISTEN = '0A';

/** TCP ports on which each process listens, ascending. Where the system does not tell them the lists are empty. */
export async function listeningPorts(pids: readonly number[]): Promise<Map<number, number[]>> {
  const own = await portsOf(pids);
  const ascending = (pid: number) => [...(own.get(pid) ?? [])].sort((a, b) => a - b);
  return new Map(pids.map((pid) => [pid, ascending(pid)]));
}

type PortsByPid = ReadonlyMap<number, ReadonlySet<number>>;

async function portsOf(pids: readonly number[]): Promise<PortsByPid> {
  if (pids.length === 0) return new Map();
  switch (process.platform) {
    case 'linux':
      return portsFromProcfs(pids);
    case 'win32':
      return parseNetstat(await textOf('netstat.exe', ['-ano', '-p', 'TCP']));
    default: {
      const selection = ['-a', '-p', pids.join(','), '-iTCP', '-sTCP:LISTEN'];
      return parseLsof(await textOf('/usr/sbin/lsof', ['-nP', '-Fpn', ...selection]));
    }
  }
}

async function portsFromProcfs(pids: readonly number[]): Promise<PortsByPid> {
  const ports = new Map<number, Set<number>>();
  const portOfInode = await listeningSockets();
  if (portOfInode.size === 0) return ports;
  for (const pid of pids) {
    for (const inode of await socketsOf(pid)) {
      const port = portOfInode.get(inode);
      if (port !== undefined) add(ports, pid, port);
    }
  }
  return ports;
}

/** Reads what `lsof -Fpn` prints: a line `p` and the process, then for each of its sockets a line `n` and the address. */
export function parseLsof(text: string): PortsByPid {
  const ports = new Map<number, Set<number>>();
  let pid = 0;
  for (const line of text.split('\n')) {
    if (line.startsWith('p')) pid = Number(line.slice(1));
    else if (line.startsWith('n')) add(ports, pid, portOf(line));
  }
  return ports;
}

/** Reads what `netstat -ano` prints. Its state is translated, so a listener is known by the other side: port 0. */
export function parseNetstat(text: string): PortsByPid {
  const ports = new Map<number, Set<number>>();
  for (const line of text.split('\n')) {
    const [protocol, local = '', remote = '', , pid] = line.trim().split(/\s+/);
    if (protocol === 'TCP' && portOf(remote) === 0 && pid !== undefined)
      add(ports, Number(pid), portOf(local));
  }
  return ports;
}

const portOf = (address: string) => Number(address.slice(address.lastIndexOf(':') + 1));

function add(ports: Map<number, Set<number>>, pid: number, port: number): void {
  const own = ports.get(pid);
  if (own === undefined) ports.set(pid, new Set([port]));
  else own.add(port);
}

async function textOf(program: string, args: string[]): Promise<string> {
  try {
    return (await run(program, args, { maxBuffer: 16 * 1024 * 1024, windowsHide: true })).stdout;
  } catch {
    return ''; // lsof fails when there is nothing to tell
  }
}

/** Port by inode, from proc(5): `sl local_address rem_address st ... inode`, the address ending in a port in hex. */
export async function listeningSockets(): Promise<Map<string, number>> {
  const ports = new Map<string, number>();
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    const text = await readFile(table, 'latin1').catch(() => '');
    for (const line of text.split('\n').slice(1)) {
      const fields = line.trim().split(/\s+/);
      const [, local = '', , state] = fields;
      const inode = fields[9];
      if (state !== LISTEN || inode === undefined) continue;
      ports.set(inode, Number.parseInt(local.slice(local.lastIndexOf(':') + 1), 16));
    }
  }
  return ports;
}

/** Inodes of the sockets that a process has open; none when it has ended or belongs to another user. */
export async function socketsOf(pid: number): Promise<string[]> {
  const folder = `/proc/${pid}/fd`;
  const names = await readdir(folder).catch(() => []);
  const links = await Promise.all(names.map((name) => readlink(`${folder}/${name}`).catch(() => '')));
  return links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []);
}
