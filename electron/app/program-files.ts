import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';

/** A file of the record that is not as it was packed. */
export interface Damage {
  readonly file: string;
  readonly what: 'changed' | 'unreadable';
}

/**
 * Compares files with a record of their checksums, as `sha256sum` writes it.
 * @param record the record's text
 * @param open begins to read a file of the record
 * @returns what differs; a record without a single entry is damaged itself
 */
export async function findDamage(record: string, open: (file: string) => Readable): Promise<Damage[]> {
  const entries = [...record.matchAll(/^([0-9a-f]{64}) {2}(.+)$/gm)];
  if (entries.length === 0) return [{ file: 'the record itself', what: 'changed' }];
  const damage: Damage[] = [];
  // One after the other: this runs beside the app's first seconds, and has time.
  for (const [, expected, file = ''] of entries) {
    const hash = createHash('sha256');
    try {
      for await (const chunk of open(file)) hash.update(chunk);
    } catch {
      damage.push({ file, what: 'unreadable' });
      continue;
    }
    if (hash.digest('hex') !== expected) damage.push({ file, what: 'changed' });
  }
  return damage;
}
