import { describe, expect, it } from 'vitest';
import { mergeUpdateInfo } from '../../../build/update-info.mjs';

const info = (version: string, ...names: string[]) =>
  `version: ${version}\nfiles:\n${names.map((name) => `  - url: ${name}\n    sha512: ${name}==\n    size: 5\n`).join('')}` +
  `path: ${names[0]}\nsha512: ${names[0]}==\nreleaseDate: '2026-12-01T02:08:33.298Z'\n`;

describe('update information of several runs', () => {
  it('names the packages of all of them under what the first says', () => {
    const merged = mergeUpdateInfo([info('1.0.0', 'a.AppImage'), info('1.0.0', 'a.deb', 'a.rpm')]);
    expect(merged).toBe(
      info('1.0.0', 'a.AppImage', 'a.deb', 'a.rpm').replaceAll(/^(path|sha512): .*$/gm, (_, key) =>
        key === 'path' ? 'path: a.AppImage' : 'sha512: a.AppImage==',
      ),
    );
  });

  it('stays as it is when there is only one', () => {
    expect(mergeUpdateInfo([info('1.0.0', 'a$&.zip')])).toBe(info('1.0.0', 'a$&.zip'));
  });

  it('is refused when the versions differ, or one is something else', () => {
    expect(() => mergeUpdateInfo([info('1.0.0', 'a'), info('1.0.1', 'b')])).toThrow(/1\.0\.0 and 1\.0\.1/);
    expect(() => mergeUpdateInfo([info('1.0.0', 'a'), 'Not Found'])).toThrow(/no update information/);
    expect(() => mergeUpdateInfo([])).toThrow();
  });
});
