import { readdir, readFile, readlink } from 'node:fs/promises';

const LISTEN = '0A';

/** TCP ports on which each process listens, ascending. Linux only: elsewhere the lists are empty. */
export async function listeningPorts(pids: readonly number[]): Promise<Map<number, number[]>> {
  const ports = new Map<number, number[]>();
  const portOfInode = await listeningSockets();
  for (const pid of pids) {
    const own = new Set<number>();
    if (portOfInode.size > 0) {
      for (const inode of await socketsOf(pid)) {
        const port = portOfInode.get(inode);
        if (port !== undefined) own.add(port);
      }
    }
    ports.set(
      pid,
      [...own].sort((a, b) => a - b),
    );
  }
  return ports;
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
