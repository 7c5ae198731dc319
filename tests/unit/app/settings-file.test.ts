import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { loadSettings, type SettingsFile } from '../../../electron/app/settings-file.ts';
import { DEFAULT_SETTINGS } from '../../../shared/model/settings.ts';

let folder: string;
let file: string;
let reports: string[];

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'switchyard-settings-'));
  file = path.join(folder, 'settings.json');
  reports = [];
});
afterEach(() => fs.rmSync(folder, { recursive: true }));

const load = (): Promise<SettingsFile> => loadSettings(file, (message) => reports.push(message));

it('gives the defaults when there is no file, and makes none', async () => {
  expect((await load()).current).toEqual(DEFAULT_SETTINGS);
  expect(reports).toEqual([]);
  expect(fs.readdirSync(folder)).toEqual([]);
});

it('reads what a person wrote', async () => {
  fs.writeFileSync(file, '{"theme":"dark","limits":{"foregroundMs":1000}}');
  expect((await load()).current).toMatchObject({ theme: 'dark', limits: { foregroundMs: 1000 } });
  expect(reports).toEqual([]);
});

it('saves a change and keeps the rest', async () => {
  fs.writeFileSync(file, '{"limits":{"foregroundMs":1000}}');
  const settings = await load();
  const changed = await settings.change({ theme: 'light' });
  expect(changed).toMatchObject({ theme: 'light', limits: { foregroundMs: 1000 } });
  expect(settings.current).toEqual(changed);
  expect((await load()).current).toEqual(changed);
  expect(fs.readdirSync(folder)).toEqual(['settings.json']);
  expect(fs.statSync(file).mode & 0o777).toBe(0o600);
});

it('saves changes in their order', async () => {
  const settings = await load();
  await Promise.all(
    (['dark', 'light', 'system', 'dark'] as const).map((theme) => settings.change({ theme })),
  );
  expect((await load()).current.theme).toBe('dark');
});

it.each([
  ['{"theme":"dark"', /not JSON/],
  ['{"theme":"pink"}', /theme: /],
  ['{"colour":"dark"}', /colour: no such parameter/],
  ['{"limits":{"foregroundMs":-1}}', /limits\.foregroundMs: /],
  ['{"limits":{"foregroundSeconds":1}}', /limits\.foregroundSeconds: no such parameter/],
  ['[]', /the file: /],
])('uses the defaults for %s, says why, and keeps the file', async (text, reason) => {
  fs.writeFileSync(file, text);
  const settings = await load();
  expect(settings.current).toEqual(DEFAULT_SETTINGS);
  expect(reports).toEqual([expect.stringMatching(reason)]);
  expect(fs.readFileSync(file, 'utf8')).toBe(text);

  await settings.change({ theme: 'dark' });
  await settings.change({ theme: 'light' });
  const [kept = '', ...rest] = fs.readdirSync(folder).filter((name) => name !== 'settings.json');
  expect(rest).toEqual([]);
  expect(fs.readFileSync(path.join(folder, kept), 'utf8')).toBe(text);
  expect((await load()).current.theme).toBe('light');
});

it('changes nothing when it cannot be written', async () => {
  const settings = await load();
  fs.mkdirSync(file);
  fs.writeFileSync(path.join(file, 'in-the-way'), '');
  await expect(settings.change({ theme: 'dark' })).rejects.toThrow();
  expect(settings.current).toEqual(DEFAULT_SETTINGS);
  expect(fs.readdirSync(folder)).toEqual(['settings.json']);
  fs.rmSync(file, { recursive: true });
  expect((await settings.change({ theme: 'dark' })).theme).toBe('dark');
});
