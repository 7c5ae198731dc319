import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { HostError, SpawnSpec } from '../../../shared/protocol/host.ts';
import { newId, TestHost } from '../../support/host.ts';

let host: TestHost;
beforeAll(async () => {
  host = await TestHost.start();
});
afterAll(() => host?.close());

const commandFolders = () => {
  const folder = path.join(host.folder, 'commands');
  return fs.existsSync(folder) ? fs.readdirSync(folder) : [];
};

async function refusal(changes: Partial<SpawnSpec> & Record<string, unknown>): Promise<HostError> {
  const before = commandFolders();
  const result = await host.client.spawn({ ...host.spec('echo RAN'), ...changes } as SpawnSpec);
  expect(result.ok).toBe(false);
  expect(commandFolders()).toEqual(before);
  if (result.ok) throw new Error('it was started');
  expect(host.events.filter((event) => event.type !== 'progress' && event.id === changes.id)).toEqual([]);
  return result.error;
}

it('a missing folder, a file and a locked folder are workdir_missing with the errno', async () => {
  const file = path.join(host.folder, 'file');
  fs.writeFileSync(file, '');
  expect(await refusal({ cwd: '/no/such/folder' })).toMatchObject({
    code: 'workdir_missing',
    errno: 'ENOENT',
  });
  expect(await refusal({ cwd: file })).toMatchObject({ code: 'workdir_missing', errno: 'ENOTDIR' });
});

it('a shell that is missing, a folder, or not executable is spawn_failed with the errno', async () => {
  const plain = path.join(host.folder, 'plain');
  fs.writeFileSync(plain, '');
  expect(await refusal({ shell: '/no/such/shell' })).toMatchObject({ code: 'spawn_failed', errno: 'ENOENT' });
  expect(await refusal({ shell: '/etc' })).toMatchObject({ code: 'spawn_failed', errno: 'EACCES' });
  expect(await refusal({ shell: plain })).toMatchObject({ code: 'spawn_failed', errno: 'EACCES' });
});

it('what the system would cut or misread is refused beforehand', async () => {
  const long = 'x'.repeat(200_000);
  expect(await refusal({ env: { LONG: long } })).toMatchObject({ code: 'spawn_failed', errno: 'E2BIG' });
  expect(await refusal({ cwd: `/${long}` })).toMatchObject({
    code: 'workdir_missing',
    errno: 'ENAMETOOLONG',
  });
});

const invalid: [string, Record<string, unknown>, string][] = [
  ['a blank command', { cmd: ' \n\t ' }, 'cmd'],
  ['an empty command', { cmd: '' }, 'cmd'],
  ['a NUL in the command', { cmd: 'echo a\0b' }, 'cmd'],
  ['a command over 65,536 bytes', { cmd: `# ${'ü'.repeat(32_768)}` }, 'cmd'],
  ['a relative folder', { cwd: 'tmp' }, 'cwd'],
  ['a NUL in the folder', { cwd: '/tmp\0/x' }, 'cwd'],
  ['a NUL in a variable', { env: { A: 'b\0' } }, 'env.A'],
  ['a variable name with =', { env: { 'A=B': 'c' } }, 'env'],
  ['a deadline of 0', { deadlineMs: 0 }, 'deadlineMs'],
  ['a deadline beyond a day', { deadlineMs: 86_400_001 }, 'deadlineMs'],
  ['no columns', { cols: 0 }, 'cols'],
  ['a wrong type', { tty: 'yes' }, 'tty'],
  ['an id that climbs out of its folder', { id: '../../etc' }, 'id'],
  ['an unknown key', { sudo: true }, 'sudo'],
];
for (const [name, changes, parameter] of invalid) {
  it(`${name} is invalid_arguments, and ${parameter} is named`, async () => {
    const error = await refusal(changes);
    expect(error.code).toBe('invalid_arguments');
    expect(error.message).toContain(parameter);
  });
}

it('a command of exactly 65,536 bytes runs', async () => {
  const cmd = `exit 7 #${'x'.repeat(65_528)}`;
  expect(Buffer.byteLength(cmd)).toBe(65_536);
  expect((await (await host.run(cmd)).exited()).exitCode).toBe(7);
});

it('an id is used once: a second command of that id is refused and the first untouched', async () => {
  const first = await host.run('echo first');
  await first.exited();
  const result = await host.client.spawn(host.spec('echo second', { id: first.id }));
  expect(result).toMatchObject({ ok: false, error: { code: 'invalid_arguments' } });
  expect(first.log().toString()).toBe('first\r\n');

  const id = newId();
  const both = await Promise.all([1, 2].map((n) => host.client.spawn(host.spec(`exit ${n}`, { id }))));
  expect(both.map(({ ok }) => ok).sort()).toEqual([false, true]);
});

it('a call that does not exist, or names nothing, has no effect', async () => {
  const id = newId();
  expect(await host.client.stop(id, 'user')).toMatchObject({ ok: false, error: { code: 'unknown_handle' } });
  expect(await host.client.write(id, 'x')).toMatchObject({ ok: false, error: { code: 'unknown_handle' } });
  expect(await host.client.resize(id, 10, 10)).toMatchObject({
    ok: false,
    error: { code: 'unknown_handle' },
  });
});

it('a size that no terminal has is refused', async () => {
  const command = await host.run('trap "stty size" WINCH; echo ready; while :; do sleep 0.05; done');
  await command.sees('ready');
  for (const [cols, rows] of [
    [0, 5],
    [-1, 5],
    [1.5, 5],
    [65_536, 5],
    [5, 1_001],
  ] as const) {
    const result = await host.client.resize(command.id, cols, rows);
    expect(result).toMatchObject({ ok: false, error: { code: 'invalid_arguments' } });
  }
  expect(await host.client.resize(command.id, 101, 37)).toEqual({ ok: true, value: null });
  const log = await command.sees('37 101');
  expect(log).toBe('ready\r\n37 101\r\n');
  await host.client.stop(command.id, 'user');
  await command.exited();
});
