// Which kinds of package this system can make: looked up, not assumed.
import fs from 'node:fs';
import path from 'node:path';
import { root } from './console.mjs';
import { doesHostAnswer } from './electron-runtime.mjs';

/** @typedef {{ target: string, reason: string }} LeftOut */

const TOOLS_HOST = 'https://github.com/electron-userland/electron-builder-binaries/releases/download/';

/**
 * Sets the environment so that electron-builder finds its tools, and tells what it can make with them.
 * @returns {Promise<{ targets: string[], leftOut: LeftOut[], notes: string[] }>}
 */
export async function choosePackages() {
  const isOpen = await areToolsReachable();
  /** @type {LeftOut[]} */
  const leftOut = [];
  /** @type {string[]} */
  const notes = [];
  const wanted = {
    linux: ['deb', 'rpm', 'tar.gz', 'AppImage'],
    win32: ['nsis', 'zip'],
    darwin: ['dmg', 'zip'],
  }[/** @type {string} */ (process.platform)];
  if (wanted === undefined) return { targets: ['dir'], leftOut, notes };

  const unreachable = `electron-builder downloads the tools for it from ${new URL(TOOLS_HOST).host}, which does not answer from here`;
  const sevenZip = setTool('ELECTRON_BUILDER_7ZIP_PATH', isOpen ? undefined : findProgram('7za'));
  const fpm = setTool('CUSTOM_FPM_PATH', undefined);
  if (!isOpen && !fpm && process.platform === 'linux') {
    setTool('CUSTOM_FPM_PATH', path.join(root, 'build/fpm-lite.mjs'));
    notes.push('fpm cannot be downloaded, so build/fpm-lite.mjs makes deb and rpm in its place.');
  }
  /** @type {Record<string, string | undefined>} */
  const obstacles = {
    deb: isOpen || findProgram('dpkg-deb') ? undefined : 'dpkg-deb is not installed (Debian: package dpkg)',
    rpm: findProgram('rpmbuild') ? undefined : 'rpmbuild is not installed (Debian: package rpm)',
    'tar.gz': isOpen || sevenZip ? undefined : '7za is not installed (Debian: package p7zip-full)',
    zip: isOpen || sevenZip ? undefined : unreachable,
    AppImage: isOpen || process.env.APPIMAGE_TOOLS_PATH ? undefined : unreachable,
    nsis: isOpen ? undefined : unreachable,
    dmg: isOpen ? undefined : unreachable,
  };
  for (const target of wanted) {
    const reason = obstacles[target];
    if (reason !== undefined) leftOut.push({ target, reason });
  }
  return { targets: wanted.filter((target) => obstacles[target] === undefined), leftOut, notes };
}

async function areToolsReachable() {
  const mirror =
    process.env.ELECTRON_BUILDER_BINARIES_MIRROR || process.env.npm_config_electron_builder_binaries_mirror;
  // A proxy that electron-builder goes through is none for this question, so it has the benefit of the doubt.
  if (process.env.HTTPS_PROXY || process.env.https_proxy) return true;
  return doesHostAnswer(mirror || TOOLS_HOST);
}

/**
 * @param {string} variable
 * @param {string | undefined} file used where the environment does not name one itself
 */
function setTool(variable, file) {
  if (!process.env[variable] && file) process.env[variable] = file;
  return process.env[variable];
}

/**
 * @param {string} name
 * @returns {string | undefined} its path
 */
export function findProgram(name) {
  for (const folder of (process.env.PATH ?? '').split(path.delimiter)) {
    const file = path.join(folder, name);
    if (folder && fs.existsSync(file)) return file;
  }
  return undefined;
}
