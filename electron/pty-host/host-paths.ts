import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { CommandId } from '../../shared/model/ids.ts';

/** sun_path holds 108 bytes on Linux and 104 on macOS, with the NUL. */
const SOCKET_PATH_MAX = 103;

export type SocketName = 'host.sock' | 'runner.sock';

/** Files of a host, in the folder that names it. */
export const hostFiles = {
  token: (folder: string) => path.join(folder, 'token'),
  /** Written once the host answers, so its presence means ready. */
  pid: (folder: string) => path.join(folder, 'host.pid'),
  log: (folder: string) => path.join(folder, 'host.log'),
  owner: (folder: string) => path.join(folder, 'owner'),
  commands: (folder: string) => path.join(folder, 'commands'),
} as const;

/** Files of one command. */
export const commandFiles = {
  folder: (folder: string, id: CommandId) => path.join(hostFiles.commands(folder), id),
  script: (folder: string, id: CommandId) => path.join(hostFiles.commands(folder), id, 'command.sh'),
  meta: (folder: string, id: CommandId) => path.join(hostFiles.commands(folder), id, 'meta.json'),
  exit: (folder: string, id: CommandId) => path.join(hostFiles.commands(folder), id, 'exit.json'),
} as const;

/**
 * Where the host of `folder` listens: in the folder, or where that path is too long for a socket, in a short private
 * folder whose name follows from it. Host and clients come to the same answer as long as they agree on the system's
 * folder for temporary files. Pure: nothing is made.
 */
export function socketPath(folder: string, name: SocketName): string {
  const inFolder = path.join(folder, name);
  if (Buffer.byteLength(inFolder) <= SOCKET_PATH_MAX) return inFolder;
  return path.join(shortFolder(folder), name);
}

/**
 * Makes the private folder (0700) of a socket path, if it is not the host's own. Throws when somebody else has it, or
 * when even that path is too long.
 */
export function prepareSocketFolder(folder: string): void {
  const socket = socketPath(folder, 'runner.sock');
  if (Buffer.byteLength(socket) > SOCKET_PATH_MAX) throw new Error(`the socket path ${socket} is too long`);
  const parent = path.dirname(socket);
  if (parent === folder) return;
  fs.mkdirSync(parent, { recursive: true, mode: 0o700 });
  const found = fs.lstatSync(parent);
  const isOurs = found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o077) === 0;
  if (!isOurs) throw new Error(`the folder ${parent} is not private to this user`);
}

/** Removes the short private folder of the sockets, if there is one and it is empty. Never throws. */
export function removeSocketFolder(folder: string): void {
  const parent = path.dirname(socketPath(folder, 'runner.sock'));
  if (parent === folder) return;
  try {
    fs.rmdirSync(parent);
  } catch {
    // Somebody has put something there, or removed it already.
  }
}

function shortFolder(folder: string): string {
  const hash = createHash('sha256').update(path.resolve(folder)).digest('hex').slice(0, 16);
  return path.join(os.tmpdir(), `switchyard-${process.getuid?.() ?? 0}-${hash}`);
}
