// The files that tell an installed app of a newer version (latest-linux.yml, latest-mac.yml and the like). electron-builder
// writes one a run, with the packages of that run only. As a script it merges those of several runs:
//   node build/update-info.mjs OUTPUT INPUT...
import fs from 'node:fs';
import { PlainError, runMain } from './console.mjs';

/**
 * One file that names the packages of all of them. What stands beside the list (the version, and for old updaters one
 * package) is the first's.
 * @param {string[]} texts as electron-builder writes them
 * @returns {string} rejects what is of different versions
 */
export function mergeUpdateInfo(texts) {
  const parts = texts.map((text) => {
    const match = /^version: (.+)\n(?:[\s\S]*\n)?files:\n((?: .*\n)+)/.exec(text);
    if (match === null) throw new PlainError('This is no update information of electron-builder.');
    return { text, version: match[1], files: match[2] ?? '' };
  });
  const [first] = parts;
  if (first === undefined) throw new PlainError('There is nothing to merge.');
  const other = parts.find(({ version }) => version !== first.version);
  if (other !== undefined)
    throw new PlainError(`The versions ${first.version} and ${other.version} cannot be told as one.`);
  return first.text.replace(first.files, () => parts.map(({ files }) => files).join(''));
}

if (process.argv[1] === import.meta.filename) {
  await runMain(async () => {
    const [output, ...inputs] = process.argv.slice(2);
    if (output === undefined || inputs.length === 0)
      throw new PlainError('usage: node build/update-info.mjs OUTPUT INPUT...');
    fs.writeFileSync(output, mergeUpdateInfo(inputs.map((file) => fs.readFileSync(file, 'utf8'))));
    return 0;
  });
}
