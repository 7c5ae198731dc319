// npm run faults: gets everything ready and plays the faults that a supervisor must survive, for real, one after the
// other. npm run faults -- 1-18 (or 7,23) plays some of them. With --installed (or --installed=FOLDER) host, runner and
// window are those of an installed app.
import fs from 'node:fs';
import path from 'node:path';
import { PlainError, runMain } from './console.mjs';
import { runTypeScript } from './run-typescript.mjs';
import { setUp } from './setup.mjs';

/** Where the packages put it. */
const INSTALLED_FOLDER = '/opt/Switchyard';
const OPTION = '--installed';

/** @param {string[]} args @returns {string | null} the folder of the installed app, if that is to be played */
function installedFolder(args) {
  const option = args.find((arg) => arg === OPTION || arg.startsWith(`${OPTION}=`));
  if (option === undefined) return null;
  const folder = path.resolve(option.slice(OPTION.length + 1) || INSTALLED_FOLDER);
  const needed = ['switchyard', 'resources/app.asar'];
  const missing = needed.find((name) => !fs.existsSync(path.join(folder, name)));
  if (missing !== undefined)
    throw new PlainError(
      `Switchyard is not installed in ${folder}: ${missing} is missing there.\n` +
        'Make packages with "npm run package" and install one (Debian: apt-get install ./dist/*.deb), or name the folder\n' +
        'that it is in:\n' +
        '  npm run faults -- --installed=FOLDER',
    );
  return folder;
}

await runMain(async () => {
  const args = process.argv.slice(2);
  const folder = installedFolder(args);
  await setUp();
  if (folder !== null) process.env.SWITCHYARD_INSTALLED = folder;
  const cases = args.filter((arg) => !arg.startsWith(OPTION));
  return runTypeScript('tests/faults/run.ts', cases, { isOptional: true });
});
