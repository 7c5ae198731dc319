// npm run package:verify: checks what npm run package made, a line a check; the last line is "N passed, N failed".
// `npm run package:verify FOLDER` checks only an app that is in this folder.
import fs from 'node:fs';
import path from 'node:path';
import { PlainError, root, runMain } from './console.mjs';
import { runTypeScript } from './run-typescript.mjs';
import { setUp } from './setup.mjs';
import { preparePackagingTools } from './system-packages.mjs';

await runMain(async () => {
  const folders = process.argv.slice(2);
  if (folders.length === 0 && !fs.existsSync(path.join(root, 'dist/SHA256SUMS')))
    throw new PlainError('There are no packages in dist/ yet. Run "npm run package" first.');
  await setUp();
  await preparePackagingTools();
  return runTypeScript('build/package-check.ts', folders);
});
