import { randomBytes } from 'node:crypto';
import fs from 'node:fs/promises';
import { hostFiles } from '../pty-host/host-paths.ts';

const TOKEN_BYTES = 32;
const TOKEN = /^[0-9a-f]{64}$/;

/**
 * The secret that a host of this folder asks for, 0600. Made once and kept: of two clients that come at the same time,
 * both get the one that was there first. Rejects with the system's error.
 */
export async function ensureToken(folder: string): Promise<string> {
  const file = hostFiles.token(folder);
  const found = await readToken(folder);
  if (found !== null) return found;
  // Whole before it has its name, so that nobody reads half of it; link() refuses a name that is taken.
  const fresh = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  await fs.writeFile(fresh, randomBytes(TOKEN_BYTES).toString('hex'), { flag: 'wx', mode: 0o600 });
  try {
    await fs.link(fresh, file).catch(async () => {
      if ((await readToken(folder)) === null) await fs.rename(fresh, file); // it is there and illegible
    });
  } finally {
    await fs.rm(fresh, { force: true });
  }
  const token = await readToken(folder);
  if (token === null) throw new Error(`the file ${file} cannot be read`);
  return token;
}

/** The secret of the folder's hosts; null when there is none, or it cannot be read. */
export async function readToken(folder: string): Promise<string | null> {
  const text = await fs.readFile(hostFiles.token(folder), 'utf8').catch(() => '');
  return TOKEN.test(text.trim()) ? text.trim() : null;
}
