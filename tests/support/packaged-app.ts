import fs from 'node:fs';
import path from 'node:path';
import { electronPath } from '../../build/electron-runtime.mjs';

const ROOT = path.resolve(import.meta.dirname, '../..');

/**
 * The built app as an installation has it: Electron's folder under our name, with the app in its resources. Its files are
 * links to those of the development build.
 *
 * @param folder where it is made
 * @param feed text of app-update.yml; undefined: it has none
 * @returns the program
 */
export function makePackagedApp(folder: string, version: string, feed?: string): string {
  linkTree(path.dirname(electronPath()), folder);
  const program = path.join(folder, 'switchyard');
  fs.renameSync(path.join(folder, path.basename(electronPath())), program); // by its name it knows to be packaged
  const resources = path.join(folder, 'resources');
  fs.rmSync(path.join(resources, 'default_app.asar'), { force: true });
  const manifest = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  const { name, productName, type, main } = manifest;
  fs.mkdirSync(path.join(resources, 'app'));
  fs.writeFileSync(
    path.join(resources, 'app/package.json'),
    JSON.stringify({ name, productName, type, main, version }),
  );
  fs.symlinkSync(path.join(ROOT, 'out'), path.join(resources, 'app/out'));
  if (feed !== undefined) fs.writeFileSync(path.join(resources, 'app-update.yml'), feed);
  return program;
}

function linkTree(from: string, to: string): void {
  fs.mkdirSync(to, { recursive: true });
  for (const entry of fs.readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [path.join(from, entry.name), path.join(to, entry.name)];
    if (entry.isDirectory()) linkTree(source, target);
    else if (entry.isSymbolicLink()) fs.symlinkSync(fs.readlinkSync(source), target);
    else linkFile(source, target);
  }
}

function linkFile(source: string, target: string): void {
  try {
    fs.linkSync(source, target);
  } catch {
    fs.copyFileSync(source, target); // another file system
  }
}
