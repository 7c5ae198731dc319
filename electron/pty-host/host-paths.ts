import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { CommandId } from '../../shared/model/ids.ts';

/** sun_path holds 108 bytes on Linux and 104 on macOS, with the NUL. */
const SOCKET_PATH_MAX = 103;
const PID_FILE = /^host-([A-Za-z0-9.-]+)\.pid$/;

export type SocketName = 'host' | 'runner';

/**
 * Files of the hosts in their folder. Each version of the app has a host of its own; the token and the commands are shared
 * by all of them.
 */
export const hostFiles = {
  token: (folder: string) => path.join(folder, 'token'),
  commands: (folder: string) => path.join(folder, 'commands'),
  /** Written once the host answers, so its presence means ready. */
  pid: (folder: string, version: string) => path.join(folder, `host-${fileVersion(version)}.pid`),
  log: (folder: string, version: string) => path.join(folder, `host-${fileVersion(version)}.log`),
  owner: (folder: string, version: string) => path.join(folder, `owner-${fileVersion(version)}`),
} as const;

/** A version as it stands in the names of files. */
export function fileVersion(version: string): string {
  return version.replace(/[^A-Za-z0-9.-]/g, '-');
}

/** The version (as in names of files) whose pid file has this name; null when it is none. */
export function versionOfPidFile(name: string): string | null {
  return PID_FILE.exec(name)?.[1] ?? null;
}

/** Files of one command. */
export const commandFiles = {
  folder: (folder: string, id: CommandId) => path.join(hostFiles.commands(folder), id),
  script: (folder: string, id: CommandId) => path.join(hostFiles.commands(folder), id, 'command.sh'),
  meta: (folder: string, id: CommandId) => path.join(hostFiles.commands(folder), id, 'meta.json'),
  exit: (folder: string, id: CommandId) => path.join(hostFiles.commands(folder), id, 'exit.json'),
} as const;

/**
 * Where the host of a version listens: in the folder, or where that path is too long for a socket, in a short private
 * folder whose name follows from both. Host and clients come to the same answer as long as they agree on the system's
 * folder for temporary files. Pure: nothing is made.
 */
export function socketPath(folder: string, name: SocketName, version: string): string {
  const inFolder = path.join(folder, `${name}-${fileVersion(version)}.sock`);
  if (Buffer.byteLength(inFolder) <= SOCKET_PATH_MAX) return inFolder;
  return path.join(shortFolder(folder, version), `${name}.sock`);
}

/**
 * Makes the private folder (0700) of a socket path, if it is not the hosts' own. Throws when somebody else has it, or
 * when even that path is too long.
 */
export function prepareSocketFolder(folder: string, version: string): void {
  const socket = socketPath(folder, 'runner', version);
  if (Buffer.byteLength(socket) > SOCKET_PATH_MAX) throw new Error(`the socket path ${socket} is too long`);
  const parent = path.dirname(socket);
  if (parent === folder) return;
  fs.mkdirSync(parent, { recursive: true, mode: 0o700 });
  const found = fs.lstatSync(parent);
  const isOurs = found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o077) === 0;
  if (!isOurs) throw new Error(`the folder ${parent} is not private to this user`);
}

/** Removes the short private folder of the sockets, if there is one and it is empty. Never throws. */
export function removeSocketFolder(folder: string, version: string): void {
  const parent = path.dirname(socketPath(folder, 'runner', version));
  if (parent === folder) return;
  try {
    fs.rmdirSync(parent);
  } catch {
    // Somebody has put something there, or removed it already.
  }
}

function shortFolder(folder: string, version: string): string {
  const name = `${path.resolve(folder)}\n${fileVersion(version)}`;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 16);
  return path.join(os.tmpdir(), `switchyard-${process.getuid?.() ?? 0}-${hash}`);
}
