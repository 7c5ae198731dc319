import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type KeySafe, openKeySafe, type SafeStorage } from '../../../electron/app/key-safe.ts';

const KEY = 'sk-secret-0123456789';

let folder: string;
let file: string;
let reports: string[];

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'switchyard-keys-'));
  file = path.join(folder, 'keys.json');
  reports = [];
});
afterEach(() => fs.rmSync(folder, { recursive: true }));

/** A keyring of a kind, whose encryption depends on its secret. */
function keyring(backend: string, { available = true, secret = 1 } = {}): SafeStorage {
  const turn = (bytes: Buffer) => Buffer.from(bytes.map((byte) => byte ^ secret));
  return {
    isEncryptionAvailable: () => available,
    encryptString: (text) => turn(Buffer.from(`ok:${text}`)),
    decryptString: (encrypted) => {
      const text = turn(encrypted).toString();
      if (!text.startsWith('ok:')) throw new Error(`cannot decrypt ${text}`);
      return text.slice(3);
    },
    getSelectedStorageBackend: () => backend,
  };
}

const open = (safeStorage: SafeStorage, platform: NodeJS.Platform = 'linux'): Promise<KeySafe> =>
  openKeySafe({ file, safeStorage, platform, report: (message) => reports.push(message) });
const onDisk = () => (fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '');

it('keeps keys as the keyring encrypts them, for the owner only, and knows them at the next start', async () => {
  const safe = await open(keyring('gnome_libsecret'));
  expect(safe.backend().place).toBe('system');
  expect(safe.has('claude')).toBe(false);
  expect(await safe.set('claude', KEY)).toBe('system');
  expect(safe.get('claude')).toBe(KEY);
  expect(onDisk()).not.toContain(KEY);
  expect(fs.statSync(file).mode & 0o777).toBe(0o600);
  const next = await open(keyring('gnome_libsecret'));
  expect(next.get('claude')).toBe(KEY);
  expect(next.placeOf('claude')).toBe('system');
  await next.delete('claude');
  expect(next.has('claude')).toBe(false);
  expect((await open(keyring('gnome_libsecret'))).has('claude')).toBe(false);
});

it.each([
  ['basic_text', true],
  ['unknown', true],
  ['gnome_libsecret', false],
])('without a real keyring (%s, available: %s) a key lives in memory only', async (backend, available) => {
  const safe = await open(keyring(backend, { available }));
  expect(safe.backend()).toMatchObject({ place: 'memory', message: expect.stringContaining('no keyring') });
  expect(await safe.set('claude', KEY)).toBe('memory');
  expect(safe.get('claude')).toBe(KEY);
  expect(onDisk()).toBe('');
  expect((await open(keyring(backend, { available }))).get('claude')).toBeNull();
});

it('writes a key readable only when a person has said so for that key', async () => {
  const safe = await open(keyring('basic_text'));
  expect(await safe.set('claude', KEY, { allowPlain: true })).toBe('plain');
  expect(await safe.set('other', 'sk-other', {})).toBe('memory');
  expect(onDisk()).toContain(KEY);
  expect(onDisk()).not.toContain('sk-other');
  expect(fs.statSync(file).mode & 0o777).toBe(0o600);
  expect((await open(keyring('basic_text'))).placeOf('claude')).toBe('plain');
  // Said otherwise later, the readable one is gone.
  expect(await safe.set('claude', 'sk-new')).toBe('memory');
  expect(onDisk()).not.toContain(KEY);
});

it('with a keyring a key is encrypted also when plain was allowed', async () => {
  const safe = await open(keyring('kwallet6'));
  expect(await safe.set('claude', KEY, { allowPlain: true })).toBe('system');
  expect(onDisk()).not.toContain(KEY);
});

it('macOS and Windows have no backend to ask for', async () => {
  const { getSelectedStorageBackend: _none, ...storage } = keyring('');
  expect((await open(storage, 'darwin')).backend().place).toBe('system');
});

it('a keyring that has changed is told without a word of the key', async () => {
  await (await open(keyring('kwallet6'))).set('claude', KEY);
  const safe = await open(keyring('kwallet6', { secret: 2 }));
  expect(safe.get('claude')).toBeNull();
  expect(reports).toHaveLength(1);
  expect(reports[0]).toContain('Enter the key again');
  expect(reports[0]).not.toContain('sk-');
});

it('a file that cannot be used is kept beside the next one, and nothing of it is told', async () => {
  fs.writeFileSync(file, `{"claude": "${KEY}"`);
  const safe = await open(keyring('kwallet6'));
  expect(safe.has('claude')).toBe(false);
  expect(reports).toHaveLength(1);
  expect(reports[0]).not.toContain('sk-');
  await safe.set('claude', KEY);
  expect(fs.readdirSync(folder)).toHaveLength(2);
  expect((await open(keyring('kwallet6'))).get('claude')).toBe(KEY);
});

it('writes that come together all stand in the file', async () => {
  const safe = await open(keyring('kwallet6'));
  await Promise.all(['a', 'b', 'c', '__proto__'].map((id) => safe.set(id, `sk-${id}`)));
  const next = await open(keyring('kwallet6'));
  expect(['a', 'b', 'c'].map((id) => next.get(id))).toEqual(['sk-a', 'sk-b', 'sk-c']);
});

it('a key that cannot be written is not taken', async () => {
  const safe = await open(keyring('kwallet6'));
  fs.mkdirSync(`${file}/in-the-way`, { recursive: true });
  await expect(safe.set('claude', KEY)).rejects.toThrow();
  expect(safe.get('claude')).toBeNull();
});
