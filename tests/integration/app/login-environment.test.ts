import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { captureLoginEnvironment } from '../../../electron/app/login-environment.ts';
import { commandEnvironment } from '../../../electron/supervisor/command-environment.ts';
import { removeFolder, startTime, temporaryFolder, until } from '../../support/host.ts';

let home = '';
beforeAll(() => {
  home = temporaryFolder('login');
});
afterAll(() => removeFolder(home));

const bash = ['/bin/bash', '/usr/bin/bash'].find((file) => fs.existsSync(file)) ?? '';
const bare = () => ({ HOME: home, PATH: '/usr/bin:/bin', SHELL: bash });
const profile = (text: string) => fs.writeFileSync(path.join(home, '.bash_profile'), text);

it('started with a bare PATH the login environment is found, and nothing of ours or of an AppImage in it', async () => {
  profile(
    'echo "welcome to the machine"; export PATH="/opt/tools/bin:$PATH" GREETING="two\nlines" SEEN="$SWITCHYARD_READS_ENVIRONMENT" ELECTRON_X=1\n' +
      '[[ $- == *i* ]] && export INTERACTIVE=yes\n',
  );
  const inherited = {
    ...bare(),
    ELECTRON_RUN_AS_NODE: '1',
    NODE_OPTIONS: '--no-warnings',
    APPDIR: '/tmp/.mount_sw',
    PATH: '/tmp/.mount_sw/usr/bin:/usr/bin:/bin',
  };
  const { env, notice } = await captureLoginEnvironment({ inherited });
  expect(notice).toBe(null);
  expect(env).toMatchObject({
    PATH: expect.stringMatching(/^\/opt\/tools\/bin:[^.]+$/),
    GREETING: 'two\nlines',
    SEEN: '1',
    INTERACTIVE: 'yes',
    HOME: home,
  });
  const names = Object.keys(env).filter((name) =>
    /^(ELECTRON_|NODE_|APP|SWITCHYARD_|SHLVL$|_$|PWD$|TERM$)/.test(name),
  );
  expect(names).toEqual([]);
  expect(commandEnvironment(env, fs.existsSync).env).toMatchObject({
    TERM: 'xterm-256color',
    GREETING: 'two\nlines',
  });
});

it('a login script that never ends costs the limit, leaves nothing, and is told', async () => {
  profile(`echo $$ > ${home}/pid; while :; do sleep 0.1; done`);
  const began = performance.now();
  const { env, notice } = await captureLoginEnvironment({ inherited: bare(), limitMs: 700 });
  expect(performance.now() - began).toBeLessThan(1_500);
  expect(notice).toContain('did not tell its environment within 0.7 s');
  expect(env.PATH).toBe('/usr/bin:/bin');
  const pid = Number(fs.readFileSync(path.join(home, 'pid'), 'utf8'));
  await until('its end', () => (startTime(pid) === null ? true : undefined));
});

it('what a start-up file leaves running keeps nobody waiting and lives on', async () => {
  profile(`sleep 60 & echo $! > ${home}/left; export AGENT=yes`);
  const began = performance.now();
  const { env, notice } = await captureLoginEnvironment({ inherited: bare() });
  const left = Number(fs.readFileSync(path.join(home, 'left'), 'utf8'));
  try {
    expect([notice, env.AGENT]).toEqual([null, 'yes']);
    expect(performance.now() - began).toBeLessThan(3_000);
    expect(startTime(left)).not.toBe(null);
  } finally {
    process.kill(left, 'SIGKILL');
  }
});

it('a shell that fails, is missing, or writes without end is told, and the inherited environment is kept', async () => {
  profile('exit 3');
  const failed = await captureLoginEnvironment({ inherited: bare() });
  expect(failed.notice).toContain('ended with 3');
  const missing = await captureLoginEnvironment({ inherited: { ...bare(), SHELL: '/no/such/shell' } });
  expect(missing.notice).toContain('could not be started');
  profile('yes');
  const endless = await captureLoginEnvironment({ inherited: bare() });
  expect(endless.notice).toContain('writes without end');
  for (const { env } of [failed, endless]) expect(env).toEqual(bare());
  expect(missing.env.PATH).toBe(bare().PATH);
});

it('the other shells of this machine are understood', async () => {
  for (const name of ['sh', 'dash', 'zsh', 'fish', 'ksh', 'tcsh']) {
    const { stdout } = spawnSync('/bin/sh', ['-c', `command -v ${name}`], { encoding: 'utf8' });
    const shell = stdout.trim();
    if (!path.isAbsolute(shell)) continue;
    const { env, notice } = await captureLoginEnvironment({
      // `_` is what dash hands on anew once it has inherited one, as every program started by another shell does
      inherited: { ...bare(), HOME: '/nowhere', _: '/usr/bin/switchyard' },
      shell,
    });
    expect([name, notice]).toEqual([name, null]);
    expect(env.PATH).toContain('/bin');
  }
});
