// Where things are in an app that electron-builder has packed.
import fs from 'node:fs';
import path from 'node:path';

/**
 * Folders that apps were packed into.
 * @param {string} dist
 */
export function packedFolders(dist) {
  const names = fs.readdirSync(dist).filter((name) => /-unpacked$|^mac/.test(name));
  return names.map((name) => path.join(dist, name));
}

/**
 * The apps that were packed: their folders; on macOS each is the .app inside.
 * @param {string} dist
 */
export function packedApps(dist) {
  const folders = packedFolders(dist);
  return process.platform === 'darwin'
    ? folders.map((folder) => path.join(folder, 'Switchyard.app'))
    : folders;
}

/**
 * Where things are in a packaged app.
 * @param {string} app its folder; on macOS the .app
 */
export function layoutOf(app) {
  if (process.platform === 'darwin')
    return {
      program: path.join(app, 'Contents/MacOS/Switchyard'),
      resources: path.join(app, 'Contents/Resources'),
    };
  const program = process.platform === 'win32' ? 'Switchyard.exe' : 'switchyard';
  return { program: path.join(app, program), resources: path.join(app, 'resources') };
}

/** What the fuses are burnt into. @param {string} app */
export function fusedProgram(app) {
  return process.platform === 'darwin' ? app : layoutOf(app).program;
}
