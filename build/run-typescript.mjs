import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './console.mjs';
import { runWithDisplay } from './with-display.mjs';

/**
 * Runs a TypeScript file of the repository as a Node program, on a virtual display if there is no real one.
 * @param {string} file relative to the top
 * @param {string[]} [args]
 * @returns {Promise<number>} its exit code
 */
export function runTypeScript(file, args = []) {
  const hooks = pathToFileURL(path.join(root, 'build/typescript-hooks.mjs')).href;
  return runWithDisplay(process.execPath, [
    '--enable-source-maps',
    '--import',
    hooks,
    path.join(root, file),
    ...args,
  ]);
}
