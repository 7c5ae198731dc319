import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { whyNotReplaceable } from '../../../electron/app/replaceable.ts';

describe('a file that an update replaces', () => {
  let folder: string;
  beforeAll(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'switchyard-replaceable-'));
    fs.writeFileSync(path.join(folder, 'new'), 'x');
  });
  afterAll(() => fs.rmSync(folder, { recursive: true }));

  it('is removed only where the new one can take its place', () => {
    expect(whyNotReplaceable(path.join(folder, 'old'), path.join(folder, 'new'))).toBeNull();
    expect(whyNotReplaceable(path.join(folder, 'gone/old'), path.join(folder, 'new'))).toContain('ENOENT');
    expect(whyNotReplaceable(path.join(folder, 'old'), path.join(folder, 'gone'))).toContain('ENOENT');
  });

  it('stays where there is no room for the new one', (context) => {
    if (!fs.existsSync('/dev/shm')) return context.skip('there is no second file system here');
    const large = path.join(folder, 'large');
    fs.writeFileSync(large, '');
    fs.truncateSync(large, 2 ** 40); // of no size on the disk
    expect(whyNotReplaceable('/dev/shm/old', large)).toContain('no room');
  });
});
