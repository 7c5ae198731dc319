// The switches that are burnt into a packaged Electron binary: what is chosen, and reading it back.
import path from 'node:path';
import { FuseV1Options, getCurrentFuseWire } from '@electron/fuses';

/**
 * In the words of electron-builder's `electronFuses`.
 * @satisfies {Readonly<Record<string, boolean>>}
 */
export const FUSES = {
  // Stays on: the pty host and the command line are our own binary run as Node, as VS Code does it. With it off they
  // would need a second runtime of 100 MB. What it allows, anybody who can start the program can do without it.
  runAsNode: true,
  enableCookieEncryption: true,
  // Nobody's environment may load code into the app or open its debugger.
  enableNodeOptionsEnvironmentVariable: false,
  enableNodeCliInspectArguments: false,
  // Electron checks the asar on macOS and Windows only; on Linux electron/app/asar-integrity.ts does.
  enableEmbeddedAsarIntegrityValidation: true,
  onlyLoadAppFromAsar: true,
  loadBrowserProcessSpecificV8Snapshot: false,
  // The page comes over app://, so file:// needs no rights.
  grantFileProtocolExtraPrivileges: false,
};

// As they stand in the binary: the package has the names, and does not export them.
const STATES = /** @type {Record<number, string>} */ ({
  48: 'off',
  49: 'on',
  114: 'removed',
  144: 'inherited',
});

/**
 * Compares the fuses of a binary with the chosen ones.
 * @param {string} program the packaged program: the executable, or the .app on macOS
 * @returns {Promise<string[]>} what is different, as sentences; empty when nothing is
 */
export async function findWrongFuses(program) {
  const wire = await getCurrentFuseWire(program);
  const wrong = [];
  for (const [name, wanted] of Object.entries(FUSES)) {
    const option = /** @type {keyof typeof FuseV1Options} */ (name[0]?.toUpperCase() + name.slice(1));
    const state = STATES[wire[/** @type {FuseV1Options} */ (FuseV1Options[option])] ?? 0] ?? 'missing';
    const expected = wanted ? 'on' : 'off';
    if (state !== expected)
      wrong.push(`the fuse ${name} of ${path.basename(program)} is ${state}, not ${expected}`);
  }
  return wrong;
}
