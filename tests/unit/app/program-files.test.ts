import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findDamage } from '../../../electron/app/program-files.ts';

describe('the check of the program files', () => {
  let folder: string;
  let record: string;
  const inFolder = (name: string) => path.join(folder, name);
  const check = () => findDamage(record, (name) => fs.createReadStream(inFolder(name)));

  beforeEach(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'switchyard-files-'));
    fs.mkdirSync(inFolder('app.asar.unpacked'));
    const files = { 'app.asar': 'a'.repeat(300_000), 'app.asar.unpacked/a b.node': 'native' };
    record = '';
    for (const [name, text] of Object.entries(files)) {
      fs.writeFileSync(inFolder(name), text);
      record += `${createHash('sha256').update(text).digest('hex')}  ${name}\n`;
    }
  });
  afterEach(() => fs.rmSync(folder, { recursive: true }));

  it('finds nothing in files as they were packed', async () => {
    expect(await check()).toEqual([]);
  });

  it('finds one changed byte in the middle', async () => {
    const file = fs.openSync(inFolder('app.asar'), 'r+');
    fs.writeSync(file, 'b', 150_000);
    fs.closeSync(file);
    expect(await check()).toEqual([{ file: 'app.asar', what: 'changed' }]);
  });

  it('finds a file cut off, and one that is gone, whose name has a space', async () => {
    fs.truncateSync(inFolder('app.asar'), 299_999);
    fs.rmSync(inFolder('app.asar.unpacked/a b.node'));
    expect(await check()).toEqual([
      { file: 'app.asar', what: 'changed' },
      { file: 'app.asar.unpacked/a b.node', what: 'unreadable' },
    ]);
  });

  it('takes a record that is empty or garbled for damage', async () => {
    record = '';
    expect(await check()).toHaveLength(1);
    record = '\0\0\0\0';
    expect(await check()).toHaveLength(1);
  });
});
