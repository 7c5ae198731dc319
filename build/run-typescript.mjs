import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './console.mjs';
import { runWithDisplay } from './with-display.mjs';

/**
 * Runs a TypeScript file of the repository as a Node program, on a virtual display if there is no real one.
 * @param {string} file relative to the top
 * @param {string[]} [args]
 * @param {{ isOptional?: boolean }} [display] `isOptional`: it also runs where no display can be had
 * @returns {Promise<number>} its exit code
 */
export function runTypeScript(file, args = [], display = {}) {
  const hooks = pathToFileURL(path.join(root, 'build/typescript-hooks.mjs')).href;
  const line = ['--enable-source-maps', '--import', hooks, path.join(root, file), ...args];
  return runWithDisplay(process.execPath, line, display);
}
