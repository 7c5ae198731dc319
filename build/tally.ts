import fs from 'node:fs';
import path from 'node:path';

/** What a test runner tells build/test.mjs about one run. */
export interface Tally {
  passed: number;
  /** Names of failed tests, and what failed outside of any test. */
  failed: string[];
  skipped: { name: string; reason: string }[];
}

export function writeTally(file: string, tally: Tally): void {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, `${JSON.stringify(tally, null, 2)}\n`);
}
