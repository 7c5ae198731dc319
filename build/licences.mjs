// The licences of everything that is in a package, as one text: written from what was really bundled, by the bundles'
// source maps, and from the native modules and their dependencies. As a script it prints the list in short.
import fs from 'node:fs';
import path from 'node:path';
import { PlainError, root, runMain, say } from './console.mjs';
import { listFiles } from './stamps.mjs';

/** Licences that ask for no more than to be named and passed on. Anything else is a decision for a person. */
const ACCEPTED = new Set([
  ...['MIT', 'MIT-0', 'ISC', '0BSD', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', 'BlueOak-1.0.0', 'Zlib'],
  ...['CC0-1.0', 'Unlicense', 'Python-2.0', 'OFL-1.1'],
]);
const LICENCE_FILE = /^(licen[cs]e|copying|notice)/i;
/** Of what a package has inside from others. */
const INNER_LICENCES = {
  'node-pty': ['deps/winpty/LICENSE', 'third_party/conpty/LICENSE'],
};

/** @typedef {{ name: string, version: string, licence: string, link: string, texts: string[] }} Licence */

/**
 * Writes the list.
 * @param {string} file
 * @returns {Promise<number>} how many packages are in it. Rejects with a PlainError where a package has no licence or
 *   one that a person must look at
 */
export async function writeLicences(file) {
  const licences = collectLicences();
  const rule = `${'='.repeat(78)}\n`;
  const parts = licences.map(({ name, version, licence, link, texts }) => {
    const body = texts.length > 0 ? texts.join('\n\n') : `The package has no text of it. See ${link}`;
    return `${rule}${name} ${version}\nLicence: ${licence}\n${link}\n\n${body}\n`;
  });
  const head =
    'Switchyard is made with the work of others. Their licences follow. Those of Electron and Chromium are in\n' +
    'LICENSE.electron.txt and LICENSES.chromium.html beside the program.\n\n';
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, head + parts.join('\n') + cLibrary(rule));
  return licences.length;
}

/** @returns {Licence[]} by name */
function collectLicences() {
  const folders = new Set([...bundledPackages(), ...nativePackages()]);
  /** @type {string[]} */
  const problems = [];
  const licences = [...folders].map((folder) => readLicence(folder, problems));
  if (problems.length > 0)
    throw new PlainError(
      `Some licences must be looked at by a person first (the list is in build/licences.mjs):\n  ${problems.join('\n  ')}`,
    );
  return licences.sort((a, b) => (`${a.name} ${a.version}` < `${b.name} ${b.version}` ? -1 : 1));
}

/** Folders of the packages of which a part is in out/. */
function bundledPackages() {
  const maps = listFiles(['out/main', 'out/preload', 'out/renderer'], (file) => file.endsWith('.map'));
  if (maps.length === 0) throw new PlainError('There are no bundles in out/ yet. Run "npm run build".');
  const sources = maps.flatMap((map) => {
    const { sources } = /** @type {{ sources: string[] }} */ (JSON.parse(read(map)));
    return sources.map((source) => path.resolve(root, path.dirname(map), source));
  });
  // Style sheets and fonts have no source map. They come in by imports that name nothing.
  const pages = listFiles(['renderer'], (file) => /\.(css|tsx?)$/.test(file));
  const imported = pages.flatMap((page) =>
    [...read(page).matchAll(/^\s*@?import\s*(?:url\()?['"]([^.'"][^'"]*)['"]/gm)].map(([, specifier = '']) =>
      path.join(root, 'node_modules', specifier),
    ),
  );
  return [...sources, ...imported].flatMap((file) => packageFolder(file) ?? []);
}

/** Folders of `dependencies` and of what those need; of a system's own builds those that are installed here. */
function nativePackages() {
  /** @type {Set<string>} */
  const found = new Set();
  const visit = (/** @type {string} */ name, /** @type {string} */ from) => {
    const folder = findInstalled(name, from);
    if (folder === undefined || found.has(folder)) return;
    found.add(folder);
    const { dependencies = {}, optionalDependencies = {} } = readJson(path.join(folder, 'package.json'));
    for (const each of Object.keys({ ...dependencies, ...optionalDependencies })) visit(each, folder);
  };
  for (const name of Object.keys(readJson('package.json').dependencies)) visit(name, root);
  return found;
}

/** @param {string} name @param {string} from */
function findInstalled(name, from) {
  for (let folder = from; folder.startsWith(root); folder = path.dirname(folder)) {
    const candidate = path.join(folder, 'node_modules', name);
    if (fs.existsSync(path.join(candidate, 'package.json'))) return candidate;
  }
  return undefined;
}

/** @param {string} file @returns {string | undefined} undefined for our own files and what a bundler made up */
function packageFolder(file) {
  const match = /^(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/@\0][^\\/]*)[\\/]/.exec(`${file}/`);
  const folder = match?.[1];
  return folder !== undefined && fs.existsSync(path.join(folder, 'package.json')) ? folder : undefined;
}

/**
 * @param {string} folder
 * @param {string[]} problems
 * @returns {Licence}
 */
function readLicence(folder, problems) {
  const { name, version, license, homepage, repository } = readJson(path.join(folder, 'package.json'));
  const licence = typeof license === 'string' ? license : (license?.type ?? '');
  if (licence === '') problems.push(`${name} ${version} names no licence`);
  else if (!isAccepted(licence)) problems.push(`${name} ${version} is under ${licence}`);
  const source = typeof repository === 'string' ? repository : repository?.url;
  const files = [
    ...fs.readdirSync(folder).filter((entry) => LICENCE_FILE.test(entry)),
    ...(INNER_LICENCES[/** @type {keyof typeof INNER_LICENCES} */ (name)] ?? []),
  ];
  const texts = files
    .map((entry) => path.join(folder, entry))
    .filter((file) => fs.statSync(file, { throwIfNoEntry: false })?.isFile())
    .map((file) => read(file).trim());
  return { name, version, licence, link: String(source ?? homepage ?? '').replace(/^git\+/, ''), texts };
}

/**
 * @param {string} expression as SPDX writes them: names with AND, OR and brackets
 * @returns {boolean}
 */
export function isAccepted(expression) {
  const tokens = expression.match(/\(|\)|[^\s()]+/g) ?? [];
  const either = /** @returns {boolean} */ () => {
    let is = both();
    while (tokens[0] === 'OR') {
      tokens.shift();
      const other = both();
      is ||= other;
    }
    return is;
  };
  const both = /** @returns {boolean} */ () => {
    let is = one();
    while (tokens[0] === 'AND') {
      tokens.shift();
      const other = one();
      is &&= other;
    }
    return is;
  };
  const one = /** @returns {boolean} */ () => {
    const token = tokens.shift();
    if (token !== '(') return ACCEPTED.has(token ?? '');
    const is = either();
    return tokens.shift() === ')' && is;
  };
  const is = either();
  return tokens.length === 0 && is;
}

// The runner of Linux is linked statically, so a part of the C library is in the package.
/** @param {string} rule */
function cLibrary(rule) {
  if (process.platform !== 'linux' || !fs.existsSync(path.join(root, 'out/runner/switchyard-runner')))
    return '';
  const text = '/usr/share/common-licenses/LGPL-2.1';
  const body = fs.existsSync(text)
    ? read(text)
    : 'The text is at https://www.gnu.org/licenses/old-licenses/lgpl-2.1.html';
  return (
    `\n${rule}GNU C Library\nLicence: LGPL-2.1-or-later\nhttps://www.gnu.org/software/libc/\n\n` +
    'switchyard-runner has a part of it inside. Its own source is in runner-source/; to put another C library in:\n' +
    '  cc -std=c99 -O2 -static -o switchyard-runner runner.c\n\n' +
    `${body}\n`
  );
}

/** @param {string} file */
function read(file) {
  return fs.readFileSync(path.resolve(root, file), 'utf8');
}

/** @param {string} file */
function readJson(file) {
  return JSON.parse(read(file));
}

if (process.argv[1] === import.meta.filename) {
  await runMain(async () => {
    for (const { name, version, licence, texts } of collectLicences())
      say(`${name} ${version}: ${licence}${texts.length === 0 ? ' (no text in the package)' : ''}`);
    return 0;
  });
}
