// npm run package:verify: checks what npm run package made, a line a check; the last line is "N passed, N failed".
import fs from 'node:fs';
import path from 'node:path';
import { PlainError, root, runMain } from './console.mjs';
import { runTypeScript } from './run-typescript.mjs';
import { setUp } from './setup.mjs';
import { preparePackagingTools } from './system-packages.mjs';

await runMain(async () => {
  if (process.platform !== 'linux') {
    throw new PlainError(
      'package:verify installs and starts the packages of Linux. On Windows and macOS the release workflow starts them.',
    );
  }
  if (
    !fs.existsSync(path.join(root, 'dist/linux-unpacked')) &&
    !fs.existsSync(path.join(root, 'dist/SHA256SUMS'))
  )
    throw new PlainError('There are no packages in dist/ yet. Run "npm run package" first.');
  await setUp();
  await preparePackagingTools();
  return runTypeScript('build/package-check.ts');
});
