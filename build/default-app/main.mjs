// Stands in for Electron's own default app in the runtime that make-electron.mjs assembles. It gives the bare binary
//   electron [switches] [-r module]... <app folder or file> [app arguments]
//   electron --version
// and nothing else. It has to be an ES module that awaits the app: Electron holds back `ready` until its entry is
// evaluated, and an ESM main that was loaded by import() from CommonJS comes too late to register its protocol.
import fs from 'node:fs';
import Module, { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import electron from 'electron';

/** @type {any} the setters that Electron's own default app uses are not in the public types */
const app = electron.app;

/** @typedef {{ preloads: string[], target: string | undefined, wantsVersion: boolean }} CommandLine */

/**
 * @param {string[]} args
 * @returns {CommandLine}
 */
function parseCommandLine(args) {
  /** @type {CommandLine} */
  const line = { preloads: [], target: undefined, wantsVersion: false };
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? '';
    if (arg === '-v' || arg === '--version') line.wantsVersion = true;
    else if (arg === '-r' || arg === '--require') line.preloads.push(args[++i] ?? '');
    else if (!arg.startsWith('-')) {
      line.target = arg; // all that follows belongs to the app
      break;
    }
  }
  return line;
}

/**
 * @param {string} message
 * @returns {never}
 */
function fail(message) {
  process.stderr.write(`electron: ${message}\n`);
  process.exit(1);
}

/** @param {string} folder */
function adoptManifest(folder) {
  const manifest = path.join(folder, 'package.json');
  if (!fs.existsSync(manifest)) return false;
  const { name, productName, version, desktopName, type } = JSON.parse(fs.readFileSync(manifest, 'utf8'));
  if (version) app.setVersion(version);
  if (productName || name) app.setName(productName || name);
  app.setDesktopName?.(desktopName || `${app.getName()}.desktop`);
  return type === 'module';
}

/** @param {string} target */
async function loadApp(target) {
  const absolute = path.resolve(target);
  if (!fs.existsSync(absolute)) fail(`there is no app at ${absolute}`);
  Object.defineProperty(process, 'defaultApp', { value: true, enumerable: true });
  const isFolder = fs.statSync(absolute).isDirectory(); // Electron's fs shows an .asar archive as a folder
  const isModule = isFolder && adoptManifest(absolute);
  app.setAppPath(isFolder ? absolute : path.dirname(absolute));
  const entry = createRequire(import.meta.url).resolve(absolute);
  if (entry.endsWith('.mjs') || (isModule && !entry.endsWith('.cjs')))
    await import(pathToFileURL(entry).href);
  else Reflect.apply(Reflect.get(Module, '_load'), Module, [entry, null, true]);
}

const line = parseCommandLine(process.argv.slice(1));
if (line.wantsVersion) {
  process.stdout.write(`v${process.versions.electron}\n`);
  process.exit(0);
}
const requireFromHere = createRequire(path.join(process.cwd(), 'here.js'));
for (const preload of line.preloads.filter(Boolean)) requireFromHere(preload);
if (line.target === undefined) fail('usage: electron [switches] <app folder or file> [app arguments]');
try {
  await loadApp(line.target);
} catch (error) {
  fail(error instanceof Error ? (error.stack ?? error.message) : String(error));
}
