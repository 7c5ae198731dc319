import { afterAll, beforeAll, expect, it } from 'vitest';
import { MARKER_VARIABLE } from '../../../shared/protocol/host.ts';
import { appVersion, built, TestHost } from '../../support/host.ts';

let host: TestHost;
beforeAll(async () => {
  process.env.SWITCHYARD_TEST_LEAK = '1'; // what the client's process has
  process.env.NODE_OPTIONS_LEAK = '1';
  host = await TestHost.start();
});
afterAll(() => host?.close());

it('a command has descriptors 0, 1 and 2 only, and a clean signal state, beside 50 open terminals', async () => {
  const others = await Promise.all(
    Array.from({ length: 50 }, () => host.run('echo up; exec sleep 60', { stopGraceMs: 0 })),
  );
  await Promise.all(others.map((other) => other.sees('up')));
  for (let round = 0; round < 3; round++) {
    const command = await host.run(`exec ${built.testkit} state`);
    await command.exited();
    expect(command.log().toString()).toMatch(/^fds 0\r\nSigBlk:\s+0+\r\nSigIgn:\s+0+\r\n$/);
  }
  await Promise.all(others.map((other) => host.client.stop(other.id, 'user')));
  await Promise.all(others.map((other) => other.exited()));
});

it('the environment is exactly what was given, the terminal, the marker and the folder', async () => {
  const command = await host.run('exec env', {
    env: { PATH: '/usr/bin:/bin', 'odd name': 'a=b\nc' },
    cwd: '/usr/lib',
  });
  await command.exited();
  const text = command.log().toString().replaceAll('\r\n', '\n');
  // Bash adds SHLVL and _ by itself.
  const variables = text
    .split(/\n(?=[^\n=]+=)/)
    .map((line) => line.trimEnd())
    .filter((line) => !/^(SHLVL|_)=/.test(line));
  expect(variables.sort()).toEqual(
    [
      'PATH=/usr/bin:/bin',
      'PWD=/usr/lib',
      `${MARKER_VARIABLE}=${command.meta().marker}`,
      'TERM=xterm-256color',
      'odd name=a=b\nc',
    ].sort(),
  );
});

it('TERM stays as it was given', async () => {
  const command = await host.run('echo $TERM', { env: { PATH: '/usr/bin:/bin', TERM: 'dumb' } });
  await command.exited();
  expect(command.log().toString()).toBe('dumb\r\n');
});

it('neither the text nor the secrets nor the folder are in any argument list', async () => {
  const command = await host.run(
    'sleep 0 # a-needle-of-the-text\ntr "\\0" " " < /proc/$PPID/cmdline; echo; tr "\\0" " " < /proc/$$/cmdline',
    { cwd: '/usr/lib' },
  );
  await command.exited();
  const [runner = '', shell = ''] = command.log().toString().split('\r\n');
  expect(runner).toContain('switchyard-runner ---');
  expect(runner).not.toMatch(/[0-9a-f]{32}|\d{24}|\/usr\/lib|needle|runner\.sock/);
  expect(shell).toBe(`/bin/bash ${command.folder}/command.sh `);
});

it('the command is a group of its own in a session of its own, in the foreground of its own terminal', async () => {
  const command = await host.run('ps -o pid=,ppid=,pgid=,sid=,tpgid= -p $$; tty');
  await command.exited();
  const [numbers = '', tty] = command.log().toString().split('\r\n');
  const [pid, parent, group, session, foreground] = numbers.trim().split(/\s+/).map(Number);
  const { runnerPid } = command.meta();
  expect({ pid, parent, session, group }).toEqual({
    pid: command.pid,
    parent: runnerPid,
    session: runnerPid,
    group: command.pid,
  });
  expect([command.pid, foreground]).toContain(foreground);
  expect(tty).toMatch(/^\/dev\/pts\/\d+$/);
});

it('files are 0600 in folders 0700, the socket too', async () => {
  const command = await host.run('echo hi');
  await command.exited();
  const script = `cd ${host.folder}; stat -c '%a %n' . token host-${appVersion}.pid host-${appVersion}.sock runner-${appVersion}.sock owner-${appVersion} commands commands/${command.id} commands/${command.id}/*`;
  const list = await host.run(script);
  await list.exited();
  const modes = list.log().toString().trim().split('\r\n');
  expect(modes).toHaveLength(12);
  for (const line of modes) {
    const isFolder = /( \.| owner-[\d.]+| commands| commands\/c_\w+)$/.test(line);
    expect(line).toMatch(isFolder ? /^700 / : /^600 /);
  }
});
