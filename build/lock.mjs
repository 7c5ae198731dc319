// npm run lock: writes build/package-lock.json anew after package.json changed. It lives there to keep the top of the
// repository small; setup.mjs copies it to where npm reads it.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { PlainError, root, runMain, say } from './console.mjs';
import { runNpm } from './setup.mjs';

await runMain(async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'switchyard-lock-'));
  try {
    // Elsewhere, because npm takes an installed tree for granted and then leaves out other platforms' packages. With
    // the old lock file at hand it keeps the versions that still fit; --fresh lets all of them move.
    for (const name of ['package.json', '.npmrc'])
      fs.copyFileSync(path.join(root, name), path.join(folder, name));
    const oldLock = path.join(root, 'build/package-lock.json');
    if (fs.existsSync(oldLock) && !process.argv.includes('--fresh'))
      fs.copyFileSync(oldLock, path.join(folder, 'package-lock.json'));
    const { code, output } = await runNpm(['install', '--package-lock-only', '--loglevel=error'], {
      cwd: folder,
    });
    if (code !== 0) throw new PlainError(`npm could not work out the versions. It said:\n\n${output}`);
    const lock = fs.readFileSync(path.join(folder, 'package-lock.json'), 'utf8');
    if (/"resolved": "https?:/.test(lock))
      throw new PlainError(
        'The new lock file names a registry. Look at omit-lockfile-registry-resolved in .npmrc; npm 8.17 or newer knows it.',
      );
    fs.writeFileSync(oldLock, lock);
    say('Wrote build/package-lock.json. The next npm start, npm test or npm run build installs from it.');
    return 0;
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
});
