// The rules of the other files that matter most, for a command that no runner holds.
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { childKinds, childKindsScript } from '../../support/child-kinds.ts';
import { built, emitted, inParallel, living, startTime, TestHost, TestViewer } from '../../support/host.ts';

let host: TestHost;
beforeAll(async () => {
  host = await TestHost.start({ runner: null });
});
afterAll(() => host?.close());

it('says at which level it holds commands, and takes a runner that is not there for none', async () => {
  expect(host.client.level).toBe('scan');
  const other = await TestHost.start({ runner: '/no/such/runner' });
  expect(other.client.level).toBe('scan');
  await other.close();
});

for (const size of [5_000, 1_000_000]) {
  it(`every byte of ${size} that are followed at once by the exit is in the log, 40 times`, async () => {
    const expected = emitted(size);
    let exact = 0;
    await inParallel(40, 4, async () => {
      const command = await host.run(`exec ${built.testkit} emit ${size} 3`);
      const exit = await command.exited();
      if (command.log().equals(expected) && exit.exitCode === 3) exact++;
    });
    expect(exact).toBe(40);
  });
}

it('the end is told at once', async () => {
  const began = performance.now();
  for (let round = 0; round < 5; round++) await (await host.run('echo hi')).exited();
  expect(performance.now() - began).toBeLessThan(2_000);
});

it('exit codes and fatal signals are exact', async () => {
  const wrong: unknown[] = [];
  await inParallel(32, 4, async (index) => {
    const code = index * 8 + 7;
    const exit = await (await host.run(`exit ${code}`)).exited();
    if (exit.exitCode !== code || exit.signal !== null) wrong.push([code, exit]);
  });
  for (const [number, name] of Object.entries({ 1: 'SIGHUP', 6: 'SIGABRT', 9: 'SIGKILL', 11: 'SIGSEGV' })) {
    const exit = await (await host.run(`exec ${built.testkit} die ${number}`)).exited();
    if (exit.signal !== name || exit.exitCode !== null || exit.reason !== 'exited') wrong.push([name, exit]);
  }
  expect(wrong).toEqual([]);
});

it('a start that fails says why, and leaves nothing', async () => {
  const attempt = (changes: object) => host.client.spawn(host.spec('echo RAN', changes));
  const before = fs.readdirSync(path.join(host.folder, 'commands'));
  expect(await attempt({ cwd: '/no/such' })).toMatchObject({
    error: { code: 'workdir_missing', errno: 'ENOENT' },
  });
  expect(await attempt({ cwd: '/etc/passwd' })).toMatchObject({
    error: { code: 'workdir_missing', errno: 'ENOTDIR' },
  });
  expect(await attempt({ shell: '/no/such' })).toMatchObject({
    error: { code: 'spawn_failed', errno: 'ENOENT' },
  });
  expect(await attempt({ shell: '/etc' })).toMatchObject({
    error: { code: 'spawn_failed', errno: 'EACCES' },
  });
  expect(fs.readdirSync(path.join(host.folder, 'commands'))).toEqual(before);
});

it('no child lives after a stop, but the one kind that cannot be found', async () => {
  const folder = path.join(host.folder, 'kinds');
  fs.mkdirSync(folder);
  const env = { ...host.spec('').env, D: folder, K: built.testkit };
  const command = await host.run(childKindsScript, { env, stopGraceMs: 200 });
  const pids = await host.until('all kinds of child', () => {
    const read = childKinds.map((kind) => {
      const file = path.join(folder, kind);
      return fs.existsSync(file) ? Number(fs.readFileSync(file, 'utf8')) : 0;
    });
    return read.every((pid) => pid > 0) ? read : undefined;
  });
  const processes = [...pids, command.pid].map((pid) => ({ pid, start: startTime(pid) }));
  const hidden = pids[childKinds.indexOf('daemon_clearenv')] as number;
  try {
    await host.client.stop(command.id, 'user');
    expect(await command.exited()).toMatchObject({ reason: 'stopped', by: 'user', survivors: [] });
    expect(living(processes).filter((pid) => pid !== hidden)).toEqual([]);
  } finally {
    const [, start] = [hidden, processes.find(({ pid }) => pid === hidden)?.start];
    if (startTime(hidden) === start) process.kill(hidden, 'SIGKILL');
  }
});

it('what was left behind is listed, its output kept, and stopped on request', async () => {
  const command = await host.run('trap "" HUP; (sleep 0.3; echo late; exec sleep 600) & echo ok');
  const exit = await command.exited();
  expect(exit).toMatchObject({ reason: 'exited', exitCode: 0 });
  expect(exit.descendants.length).toBeGreaterThan(0);
  await command.sees('late');
  await host.client.stop(command.id, 'user');
  await host.event('nothing left', (event) =>
    event.type === 'descendants' && event.id === command.id && event.descendants.length === 0
      ? true
      : undefined,
  );
  const viewer = new TestViewer(host.client, command.id, null);
  await viewer.exit();
  expect(viewer.bytes.toString()).toBe('ok\r\nlate\r\n');
});

it('a deadline, input, an end of file and an interrupt work', async () => {
  const late = await host.run('sleep 60', { deadlineMs: 200 });
  expect(await late.exited()).toMatchObject({
    reason: 'timeout',
    by: 'timeout',
    signal: 'SIGTERM',
    wasForced: false,
  });
  const reader = await host.run('echo ready; cat; echo end');
  await reader.sees('ready');
  await host.client.write(reader.id, 'abc\n');
  await host.client.sendEof(reader.id);
  expect((await reader.exited()).exitCode).toBe(0);
  expect(reader.log().toString()).toBe('ready\r\nabc\r\nabc\r\nend\r\n');
  const sleeper = await host.run('echo ready; sleep 100', { tty: false });
  await sleeper.sees('ready');
  await host.client.write(sleeper.id, '\x03');
  expect((await sleeper.exited()).signal).toBe('SIGINT');
  const deaf = await host.run('echo ready; exec sleep 100');
  await deaf.sees('ready');
  for (let part = 0; part < 8; part++) await host.client.write(deaf.id, `${'z'.repeat(79)}\n`.repeat(800));
  await host.client.write(deaf.id, '\x03');
  expect((await deaf.exited()).signal).toBe('SIGINT');
});

it('a command has descriptors 0, 1 and 2 only beside 20 open terminals', async () => {
  const others = await Promise.all(
    Array.from({ length: 20 }, () => host.run('echo up; exec sleep 60', { stopGraceMs: 0 })),
  );
  await Promise.all(others.map((other) => other.sees('up')));
  const command = await host.run(`exec ${built.testkit} state`, { tty: false });
  await command.exited();
  expect(command.log().toString()).toMatch(/^fds 0\r\n/);
  await Promise.all(others.map((other) => host.client.stop(other.id, 'user')));
  await Promise.all(others.map((other) => other.exited()));
});

it('what a killed host leaves is found by its mark and ended by the next', async () => {
  const first = await TestHost.start({ runner: null });
  const command = await first.run(
    'trap "" HUP; setsid sleep 3401 & echo $!; echo ready; while :; do sleep 0.05; done',
  );
  const log = await command.sees('ready');
  const processes = [command.pid, Number(/^\d+/.exec(log)?.[0])].map((pid) => ({
    pid,
    start: startTime(pid),
  }));
  process.kill(first.client.hostPid, 'SIGKILL');
  await first.until('the end of the host', () => (first.client.isClosed ? true : undefined));
  expect(living(processes).length).toBeGreaterThan(0);
  const next = await TestHost.start({ runner: null, folder: first.folder });
  try {
    const listed = await next.client.list();
    expect(listed.ok && listed.value).toMatchObject([
      { id: command.id, exit: { reason: 'lost', survivors: [] } },
    ]);
    expect(living(processes)).toEqual([]);
  } finally {
    next.client.dispose();
    await first.close();
  }
});
