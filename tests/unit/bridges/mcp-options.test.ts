import path from 'node:path';
import { expect, test } from 'vitest';
import { appDataFolder, dataFolder, UsageError } from '../../../electron/bridges/mcp/options.ts';

test.each([
  ['linux', {}, '/home/u/.config/Switchyard'],
  ['linux', { XDG_CONFIG_HOME: '/conf' }, '/conf/Switchyard'],
  ['linux', { XDG_CONFIG_HOME: '' }, '/home/u/.config/Switchyard'],
  ['darwin', { XDG_CONFIG_HOME: '/conf' }, '/home/u/Library/Application Support/Switchyard'],
  ['win32', { APPDATA: 'C:\\Users\\u\\AppData\\Roaming' }, 'C:\\Users\\u\\AppData\\Roaming\\Switchyard'],
] as const)('on %s with %o the data folder is the one of the app: %s', (platform, env, folder) => {
  expect(appDataFolder({ platform, env, home: '/home/u' })).toBe(folder);
});

const system = { platform: 'linux', env: { SWITCHYARD_DATA_DIR: '/from/env' }, home: '/home/u' } as const;

test('an option goes before the variable, and that before the folder of the app', () => {
  expect(dataFolder(['--data-dir', '/from/option'], system)).toBe('/from/option');
  expect(dataFolder(['--data-dir=relative'], system)).toBe(path.resolve('relative'));
  expect(dataFolder([], system)).toBe('/from/env');
  expect(dataFolder([], { ...system, env: {} })).toBe('/home/u/.config/Switchyard');
});

test.each([[['--data']], [['--data-dir']], [['folder']]])('%j is refused with the usage', (args) => {
  expect(() => dataFolder(args, system)).toThrow(UsageError);
  expect(() => dataFolder(args, system)).toThrow(/usage:/);
});
