// Makes a clone ready to run: packages, programs, bundles, Electron. Each step is quick when nothing changed, and says
// what it does when something did. As a script (npm run build) it does just that.
// Until the npm packages are there only Node's own modules may be imported, here and in what is imported here.
import fs from 'node:fs';
import path from 'node:path';
import { compilePrograms } from './compile-programs.mjs';
import { PlainError, root, run, runMain, say, secondsSince } from './console.mjs';
import { electronPath, prepareElectron } from './electron-runtime.mjs';
import { listFiles, Stamp } from './stamps.mjs';
import { prepareSystemPackages, requireSharedLibraries } from './system-packages.mjs';

const LOCK_FILE = 'build/package-lock.json';
const OLDEST_NODE = [20, 19];

/**
 * Does all that is needed before the app, a test or the demo can run.
 * @param {{ isHeadless?: boolean }} [options] `isHeadless`: Electron, and the system libraries that it needs, are left
 *   out
 * @returns {Promise<void>} rejects with a PlainError that says what to do
 */
export async function setUp({ isHeadless = false } = {}) {
  requireNode();
  await prepareSystemPackages({ isHeadless });
  await installPackages();
  await compilePrograms();
  await bundleApp();
  if (isHeadless) return;
  await prepareElectron(say);
  await requireSharedLibraries(electronPath());
}

function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST_NODE;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return;
  throw new PlainError(
    `Switchyard needs Node ${OLDEST_NODE.join('.')} or newer to be built, and this is ${process.versions.node}.\n` +
      'Install a newer one and run the same command again.',
  );
}

async function installPackages() {
  const stamp = new Stamp('node_modules/.cache/switchyard/packages.json', ['package.json', LOCK_FILE]);
  if (stamp.isFresh()) return;
  say('Installing npm packages (a minute or so the first time).');
  const began = performance.now();
  fs.copyFileSync(path.join(root, LOCK_FILE), path.join(root, 'package-lock.json'));
  const { code, output } = await runNpm(['ci', '--loglevel=error']);
  if (code !== 0)
    throw new PlainError(
      `npm ci failed. It said:\n\n${output}\n\nWhen that is mended, run the same command again.`,
    );
  stamp.write();
  say(`  Done in ${secondsSince(began)}.`);
}

/**
 * @param {string[]} args
 * @param {{ quiet?: boolean, cwd?: string }} [options]
 */
export function runNpm(args, options = {}) {
  /** @type {NodeJS.ProcessEnv} */
  const env = { ...process.env, ELECTRON_SKIP_BINARY_DOWNLOAD: '1' };
  // node-gyp would download Node's headers, although most installations have them
  const prefix = path.resolve(process.execPath, '../..');
  if (fs.existsSync(path.join(prefix, 'include/node/node.h'))) env.npm_config_nodedir ??= prefix;
  return run('npm', args, { env, quiet: true, shell: process.platform === 'win32', ...options });
}

async function bundleApp() {
  const isSource = (/** @type {string} */ file) => !file.endsWith('.c') && !file.endsWith('.md');
  const sources = ['electron', 'renderer', 'shared', 'build/electron.vite.config.ts', LOCK_FILE];
  const stamp = new Stamp('out/.bundles.json', listFiles(sources, isSource));
  if (stamp.isFresh()) return;
  say('Bundling the app.');
  const began = performance.now();
  const args = [
    'node_modules/electron-vite/bin/electron-vite.js',
    'build',
    '--config',
    'build/electron.vite.config.ts',
  ];
  const { code, output } = await run(process.execPath, args, { quiet: true });
  if (code !== 0) throw new PlainError(`The app could not be bundled:\n\n${output}`);
  stamp.write();
  say(`  Done in ${secondsSince(began)}.`);
}

if (process.argv[1] === import.meta.filename) {
  await runMain(async () => {
    await setUp();
    say('Everything is built. Start it with "npm start".');
    return 0;
  });
}
