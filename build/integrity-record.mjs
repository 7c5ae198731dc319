// Checksums of the program's own files, kept beside them. electron/app/asar-integrity.ts reads them at the start of the
// app on Linux, where Electron itself does not look; `sha256sum --check` reads them too.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';

export const INTEGRITY_RECORD = 'app.sha256';

/**
 * Writes the record for the asar and what lies unpacked beside it.
 * @param {string} resources the packaged app's resources folder
 */
export async function recordIntegrity(resources) {
  const names = ['app.asar', ...listFiles(resources, 'app.asar.unpacked')];
  const lines = [];
  for (const name of names) lines.push(`${await sha256(path.join(resources, name))}  ${name}\n`);
  fs.writeFileSync(path.join(resources, INTEGRITY_RECORD), lines.join(''));
}

/**
 * The files below a folder, as sorted paths relative to the base.
 * @param {string} base
 * @param {string} folder
 * @returns {string[]}
 */
export function listFiles(base, folder) {
  const top = path.join(base, folder);
  if (!fs.existsSync(top)) return [];
  return fs
    .readdirSync(top, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.relative(base, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'))
    .sort();
}

/** @param {string} file @returns {Promise<string>} in hexadecimal */
export async function sha256(file) {
  const hash = createHash('sha256');
  await pipeline(fs.createReadStream(file), hash);
  return hash.digest('hex');
}
