import fs from 'node:fs';
import path from 'node:path';

/**
 * The version of the program on the disk that a bundle belongs to.
 *
 * @param bundle folder of main's own bundle
 */
export function programVersion(bundle: string): string {
  const manifest = path.resolve(bundle, '../../package.json');
  return (JSON.parse(fs.readFileSync(manifest, 'utf8')) as { version: string }).version;
}
