import fs from 'node:fs';
import path from 'node:path';

/** Left free beside the new file. */
const MARGIN_BYTES = 1024 * 1024;

/**
 * Why a file cannot be replaced by a newer one; null: it can. The updater removes the old file before it moves the new one
 * there, so what stands against that must be known before.
 */
export function whyNotReplaceable(file: string, newer: string): string | null {
  const folder = path.dirname(file);
  try {
    fs.accessSync(folder, fs.constants.W_OK);
    const { size, dev } = fs.statSync(newer);
    if (dev === fs.statSync(folder).dev) return null; // it is only renamed
    const { bavail, bsize } = fs.statfsSync(folder);
    return bavail * bsize >= size + MARGIN_BYTES ? null : `there is no room for it in ${folder}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
