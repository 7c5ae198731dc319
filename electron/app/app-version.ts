import fs from 'node:fs';
import path from 'node:path';

/**
 * The version of the app that a bundle belongs to, where Electron is not there to be asked.
 *
 * @param bundle folder of main's own bundle
 */
export function appVersion(bundle: string): string {
  const manifest = path.resolve(bundle, '../../package.json');
  return (JSON.parse(fs.readFileSync(manifest, 'utf8')) as { version: string }).version;
}
