import path from 'node:path';
import { defineConfig } from 'vitest/config';
import { VitestTally } from './vitest-tally.ts';

const root = path.resolve(import.meta.dirname, '..');
const tallyFile = process.env.SWITCHYARD_TALLY_FILE;

export default defineConfig({
  root,
  test: {
    reporters: tallyFile ? ['default', new VitestTally(tallyFile)] : ['default'],
    projects: [
      {
        root,
        test: {
          name: 'unit',
          include: ['tests/unit/**/*.test.{ts,tsx}'],
          pool: 'threads',
          sequence: { groupOrder: 0 },
        },
      },
      {
        root,
        test: {
          name: 'integration', // real terminals and processes, so nothing else may run beside a file
          include: ['tests/integration/**/*.test.ts'],
          pool: 'forks',
          maxWorkers: 1,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
