import path from 'node:path';
import { defineConfig } from '@playwright/test';

const root = path.resolve(import.meta.dirname, '..');
const tallyFile = process.env.SWITCHYARD_TALLY_FILE;

export default defineConfig({
  testDir: path.join(root, 'tests/e2e'),
  testMatch: '**/*.spec.ts',
  outputDir: path.join(root, 'test-results'),
  timeout: 60_000,
  expect: { timeout: 10_000 },
  workers: 1, // one app at a time: focus, notifications and the clipboard belong to the whole display
  retries: 0, // a launch that hangs is tried again by tests/support/launch-app.ts; nothing else is
  forbidOnly: Boolean(process.env.CI),
  reporter: [['list'], ...(tallyFile ? [['./playwright-tally.ts', { file: tallyFile }] as const] : [])],
});
