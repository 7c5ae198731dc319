// What must be true of a packaged app's files before anybody starts it. Each function gives what is wrong, as
// sentences; nothing when all is well.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import asar from '@electron/asar';
import { findDamage } from '../electron/app/program-files.ts';
import { root, run } from './console.mjs';
import { FUSES, findWrongFuses } from './fuses.mjs';
import { INTEGRITY_RECORD, listFiles } from './integrity-record.mjs';
import { fusedProgram, layoutOf } from './packed-app.mjs';

/** @typedef {{ files?: Record<string, AsarEntry>, unpacked?: boolean, link?: string, integrity?: { hash: string } }} AsarEntry */

/**
 * The only files that lie outside the asar: a library cannot be loaded, nor a program run, from inside.
 * @param {NodeJS.Architecture} arch
 */
const outsideOnLinux = (arch) => [
  `app.asar.unpacked/node_modules/@libsql/linux-${arch}-gnu/index.node`,
  'app.asar.unpacked/node_modules/node-pty/build/Release/pty.node',
  'app.asar.unpacked/out/runner/switchyard-runner',
];

/** @param {string} app folder of the packaged app */
export async function wrongFuses(app) {
  const wrong = await findWrongFuses(fusedProgram(app));
  return { what: `${Object.keys(FUSES).length} fuses are as chosen`, wrong };
}

/** @param {string} app */
export async function wrongOutsideFiles(app) {
  const found = listFiles(path.join(app, 'resources'), 'app.asar.unpacked');
  const expected = outsideOnLinux(process.arch);
  const wrong = [
    ...found.filter((file) => !expected.includes(file)).map((file) => `${file} is outside the asar`),
    ...expected.filter((file) => !found.includes(file)).map((file) => `${file} is missing`),
  ];
  return {
    what: `only ${expected.map((file) => path.basename(file)).join(', ')} are outside the asar`,
    wrong,
  };
}

/** Every file of the asar against the hash in its header, and the record beside it. @param {string} app */
export async function wrongAsar(app) {
  const { resources } = layoutOf(app);
  const archive = path.join(resources, 'app.asar');
  const { header } = asar.getRawHeader(archive);
  /** @type {string[]} */
  const wrong = [];
  let count = 0;
  const visit = (/** @type {AsarEntry} */ entry, /** @type {string} */ name) => {
    for (const [child, each] of Object.entries(entry.files ?? {}))
      visit(each, name ? `${name}/${child}` : child);
    if (entry.files !== undefined || entry.link !== undefined) return;
    const content = entry.unpacked
      ? fs.readFileSync(path.join(`${archive}.unpacked`, name))
      : asar.extractFile(archive, name);
    count++;
    if (createHash('sha256').update(content).digest('hex') !== entry.integrity?.hash)
      wrong.push(`${name} is not the file that the asar's header names`);
    // What was compiled from C or Rust carries paths of its own maker.
    if (!entry.unpacked && content.includes(root))
      wrong.push(`${name} contains the path of the build machine`);
    if (/\.map$|\.tsx?$|testkit|(^|\/)\.bundles/.test(name)) wrong.push(`${name} has no place in a package`);
  };
  visit(/** @type {AsarEntry} */ (/** @type {unknown} */ (header)), '');
  if (process.platform !== 'linux')
    return { what: `the ${count} files of the asar are the packed ones`, wrong };
  const record = fs.readFileSync(path.join(resources, INTEGRITY_RECORD), 'utf8');
  const damage = await findDamage(record, (file) => fs.createReadStream(path.join(resources, file)));
  for (const { file, what } of damage) wrong.push(`${file} is ${what}, by ${INTEGRITY_RECORD}`);
  return { what: `the ${count} files of the asar are the packed ones, and the record agrees`, wrong };
}

/** @param {string} app */
export async function wrongLicences(app) {
  const wrong = [];
  for (const file of ['LICENSE.electron.txt', 'LICENSES.chromium.html', 'resources/LICENSE.switchyard.txt'])
    if (!fs.existsSync(path.join(app, file))) wrong.push(`${file} is missing`);
  const list = path.join(app, 'resources/THIRD-PARTY-LICENCES.txt');
  const text = fs.existsSync(list) ? fs.readFileSync(list, 'utf8') : '';
  for (const name of ['react', 'node-pty', 'libsql', '@xterm/xterm', '@fontsource-variable/inter'])
    if (!text.includes(`\n${name} `)) wrong.push(`${name} is not in THIRD-PARTY-LICENCES.txt`);
  return {
    what: `${text.match(/^Licence: /gm)?.length} licences and those of Electron and Chromium are there`,
    wrong,
  };
}

/**
 * By this file the updater knows how it was installed: an app from an archive must not be updated by dpkg.
 * @param {string} app
 * @param {string} form
 */
export async function wrongPackageType(app, form) {
  const read = (/** @type {string} */ name) => {
    const file = path.join(app, 'resources', name);
    return fs.existsSync(file) ? fs.readFileSync(file, 'utf8').trim() : undefined;
  };
  const hasFeed = read('app-update.yml') !== undefined;
  const expected = hasFeed && ['deb', 'rpm'].includes(form) ? form : undefined;
  const found = read('package-type');
  const wrong = found === expected ? [] : [`its package-type is ${found}, not ${expected}`];
  return {
    what: hasFeed ? 'its updates are of its own form' : 'without an address for updates it seeks none',
    wrong,
  };
}

/** Owners and modes of a deb. @param {string} deb */
export async function wrongModes(deb) {
  const { output } = await run('dpkg-deb', ['--contents', deb], { quiet: true });
  const lines = output.split('\n');
  const wrong = [];
  for (const line of lines) {
    const [mode = '', owner, , , , name = ''] = line.split(/\s+/);
    const isLink = mode.startsWith('l');
    if (owner !== 'root/root') wrong.push(`${name} belongs to ${owner}`);
    if (!isLink && (mode[5] === 'w' || mode[8] === 'w'))
      wrong.push(`${name} can be changed by others (${mode})`);
    if (!isLink && mode[7] !== 'r') wrong.push(`${name} cannot be read by others (${mode})`);
    if (/[st]/i.test(mode) && path.basename(name) !== 'chrome-sandbox')
      wrong.push(`${name} has the mode ${mode}`);
  }
  return {
    what: `the ${lines.length} entries of the deb belong to root and nobody else may change them`,
    wrong,
  };
}

/** The desktop entry and the AppStream metadata below a root. @param {string} top */
export async function wrongMetadata(top) {
  const entry = path.join(top, 'usr/share/applications/switchyard.desktop');
  const metainfo = path.join(top, 'usr/share/metainfo/dev.switchyard.app.metainfo.xml');
  const wrong = [];
  for (const [program, ...args] of [
    ['desktop-file-validate', entry],
    ['appstreamcli', 'validate', '--no-net', metainfo],
  ]) {
    const { code, output } = await run(program ?? '', args, { quiet: true });
    if (code !== 0 || /error|warning/i.test(output))
      wrong.push(`${program}: ${output || `exit code ${code}`}`);
  }
  return { what: 'the desktop entry and the AppStream metadata are valid', wrong };
}
