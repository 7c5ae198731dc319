// npm run -s mcp: serves the terminals to an MCP client on standard input and output, without a window. Arguments behind
// "--" go to the server.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { keepOutputClean, root, runMain } from './console.mjs';
import { setUp } from './setup.mjs';

keepOutputClean();
await runMain(async () => {
  await setUp({ isHeadless: true });
  if (process.env.npm_lifecycle_event !== undefined) leaveNpm();
  // In this very process, so that its input, its end and its signals are the client's own.
  await import(pathToFileURL(path.join(root, 'out/main/mcp.js')).href);
  return 0;
});

/** npm has changed folder and PATH; commands are to run where the client is, with the programs of its user. */
function leaveNpm() {
  process.chdir(process.env.INIT_CWD ?? process.cwd());
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  const isOfNpm = (/** @type {string} */ folder) =>
    path.basename(folder) === 'node-gyp-bin' || isBinAbove(root, folder);
  process.env.PATH = folders.filter((folder) => !isOfNpm(folder)).join(path.delimiter);
}

/**
 * Whether `folder` is the node_modules/.bin of `inner` or of a folder around it, which npm puts first.
 * @param {string} inner
 * @param {string} folder
 */
function isBinAbove(inner, folder) {
  for (let at = inner; ; at = path.dirname(at)) {
    if (folder === path.join(at, 'node_modules/.bin')) return true;
    if (at === path.dirname(at)) return false;
  }
}
