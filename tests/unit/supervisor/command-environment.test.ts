import { expect, test } from 'vitest';
import { commandEnvironment } from '../../../electron/supervisor/command-environment.ts';

const exists = (file: string) => file === '/bin/bash';

test('commands never see what is ours', () => {
  const ours = {
    ELECTRON_RUN_AS_NODE: '1',
    NODE_OPTIONS: 'x',
    NODE_ENV: 'test',
    npm_config_x: '1',
    VITE_A: '1',
    SWITCHYARD_X: '1',
    APPDIR: '/x',
  };
  const { env } = commandEnvironment({ ...ours, HOME: '/home/me', LANG: 'de_DE.UTF-8' }, exists);
  for (const name of Object.keys(ours)) expect(env).not.toHaveProperty(name);
  expect(env).toMatchObject({
    HOME: '/home/me',
    LANG: 'de_DE.UTF-8',
    PAGER: 'cat',
    GIT_TERMINAL_PROMPT: '0',
    TERM: 'xterm-256color',
  });
  expect(env).not.toHaveProperty('LC_CTYPE');
});

test('a locale that is not UTF-8 is replaced, and a bare environment still finds programs', () => {
  const { env, shell } = commandEnvironment({ LC_ALL: 'C' }, exists);
  expect(env).toMatchObject({ LC_CTYPE: 'C.UTF-8' });
  expect(env).not.toHaveProperty('LC_ALL');
  expect(env.PATH).toContain('/usr/bin');
  expect(shell).toBe('/bin/bash');
  expect(commandEnvironment({}, () => false).shell).toBe('/bin/sh');
});

test('of an AppImage neither its variables nor its folders are left', () => {
  const { env } = commandEnvironment(
    {
      APPDIR: '/tmp/.mount_sw',
      APPIMAGE: '/home/me/Switchyard.AppImage',
      ARGV0: 'Switchyard',
      OWD: '/home/me',
      PATH: '/tmp/.mount_sw:/tmp/.mount_sw/usr/sbin:/tmp/.mount_swift/bin:/usr/bin',
      LD_LIBRARY_PATH: '/tmp/.mount_sw/usr/lib:',
      XDG_DATA_DIRS: '/tmp/.mount_sw/usr/share:/usr/share',
      PYTHONPATH: '/home/me/lib',
    },
    exists,
  );
  for (const name of ['APPDIR', 'APPIMAGE', 'ARGV0', 'OWD', 'LD_LIBRARY_PATH']) {
    expect(env).not.toHaveProperty(name);
  }
  expect(env).toMatchObject({
    PATH: '/tmp/.mount_swift/bin:/usr/bin',
    XDG_DATA_DIRS: '/usr/share',
    PYTHONPATH: '/home/me/lib',
  });
});
