import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ExitRecord } from '../../../shared/protocol/host.ts';
import { childKinds, childKindsScript } from '../../support/child-kinds.ts';
import { built, living, startTime, TestHost } from '../../support/host.ts';

let host: TestHost;
beforeAll(async () => {
  host = await TestHost.start();
});
afterAll(() => host?.close());

const IGNORES_TERM = 'trap "" TERM; echo ready; while :; do sleep 0.05; done';

/** Starts one command with a child of each kind; gives those processes and its own. */
async function startKinds(name: string, deadlineMs: number | null, stopGraceMs: number) {
  const folder = path.join(host.folder, name);
  fs.mkdirSync(folder);
  const command = await host.run(childKindsScript, {
    env: { ...host.spec('').env, D: folder, K: built.testkit },
    deadlineMs,
    stopGraceMs,
  });
  const pids = await host.until('all kinds of child', () => {
    const read = childKinds.map((kind) => {
      const file = path.join(folder, kind);
      return fs.existsSync(file) ? Number(fs.readFileSync(file, 'utf8')) : 0;
    });
    return read.every((pid) => pid > 0) ? read : undefined;
  });
  const processes = [...pids, command.pid].map((pid) => ({ pid, start: startTime(pid) }));
  expect(processes.every(({ start }) => start !== null)).toBe(true);
  return { command, processes };
}

for (const [name, deadlineMs, stopGraceMs] of [
  ['SIGKILL at once', null, 0],
  ['the ladder', null, 200],
  ['the deadline', 1_500, 200],
] as const) {
  it(`no child of 12 kinds lives after a stop by ${name}`, async () => {
    const { command, processes } = await startKinds(name.replaceAll(' ', '-'), deadlineMs, stopGraceMs);
    if (deadlineMs === null) await host.client.stop(command.id, 'agent');
    const exit = await command.exited();
    expect(living(processes)).toEqual([]);
    const expected =
      deadlineMs === null ? { reason: 'stopped', by: 'agent' } : { reason: 'timeout', by: 'timeout' };
    expect(exit).toMatchObject({
      ...expected,
      exitCode: null,
      wasForced: true,
      survivors: [],
      descendants: [],
    });
  });
}

it('a second stop ends the grace', async () => {
  const command = await host.run(IGNORES_TERM, { stopGraceMs: 60_000 });
  await command.sees('ready');
  const began = performance.now();
  await host.client.stop(command.id, 'agent');
  await host.event('stopping', (event) =>
    event.type === 'stopping' && event.id === command.id ? true : undefined,
  );
  await host.client.stop(command.id, 'user');
  const exit = await command.exited();
  expect(performance.now() - began).toBeLessThan(5_000);
  // The first reason wins.
  expect(exit).toMatchObject({ reason: 'stopped', by: 'agent', signal: 'SIGKILL', wasForced: true });
  expect(host.events.filter((event) => event.type === 'stopping' && event.id === command.id)).toHaveLength(1);
  expect(host.events.filter((event) => event.type === 'exited' && event.id === command.id)).toHaveLength(1);
});

it('what ignores SIGTERM at the deadline is killed after the grace: timeout, forced', async () => {
  const command = await host.run(IGNORES_TERM, { deadlineMs: 300, stopGraceMs: 200 });
  const exit = await command.exited();
  expect(exit).toMatchObject({
    reason: 'timeout',
    by: 'timeout',
    signal: 'SIGKILL',
    exitCode: null,
    wasForced: true,
  });
  expect(exit.endedAt - exit.startedAt).toBeGreaterThanOrEqual(480);
});

it('what heeds SIGTERM is not forced', async () => {
  const command = await host.run('trap "echo bye; exit 8" TERM; echo ready; while :; do sleep 0.02; done');
  await command.sees('ready');
  await host.client.stop(command.id, 'user');
  expect(await command.exited()).toMatchObject({
    reason: 'stopped',
    by: 'user',
    exitCode: 8,
    wasForced: false,
  });
  expect(command.log().toString()).toMatch(/bye\r\n$/);
});

it('a stopped process is ended too', async () => {
  const command = await host.run('echo ready; kill -STOP $$; exit 3');
  await command.sees('ready');
  await host.client.stop(command.id, 'user');
  expect(await command.exited()).toMatchObject({ reason: 'stopped', signal: 'SIGTERM', wasForced: false });
});

it('a deadline after the exit is ignored', async () => {
  const command = await host.run('(trap "" HUP; sleep 30) & exit 0', { deadlineMs: 400 });
  const exit = await command.exited();
  expect(exit).toMatchObject({ reason: 'exited', exitCode: 0, by: null });
  await host.until('the deadline to be over', () => (Date.now() > exit.startedAt + 700 ? true : undefined));
  const after = host.events.filter((event) => 'id' in event && event.id === command.id);
  expect(after.filter(({ type }) => type === 'stopping' || type === 'descendants')).toEqual([]);
  await host.client.stop(command.id, 'user');
});

it('a clean-up of the shell runs on stop', async () => {
  const lock = path.join(host.folder, 'lock');
  const command = await host.run(`trap 'rm -f ${lock}' EXIT; touch ${lock}; echo ready; sleep 600`);
  await command.sees('ready');
  expect(fs.existsSync(lock)).toBe(true);
  await host.client.stop(command.id, 'user');
  expect((await command.exited()).wasForced).toBe(false);
  expect(fs.existsSync(lock)).toBe(false);
});

it('"sleep 600 & echo ok" returns at once with the sleep listed; stop then ends it', async () => {
  const began = performance.now();
  const command = await host.run('sleep 600 & echo ok');
  const exit = await command.exited();
  expect(performance.now() - began).toBeLessThan(1_000);
  expect(exit).toMatchObject({ reason: 'exited', exitCode: 0, descendants: [{ ports: [] }] });
  const [sleeper] = exit.descendants;
  const process = { pid: sleeper?.pid ?? 0, start: startTime(sleeper?.pid ?? 0) };
  expect(process.start).not.toBeNull();
  const listed = await host.client.list();
  const known = listed.ok ? listed.value.find(({ id }) => id === command.id) : undefined;
  expect(known?.descendants.map(({ pid }) => pid)).toEqual([process.pid]);

  expect(await host.client.stop(command.id, 'user')).toEqual({ ok: true, value: null });
  await host.event('nothing left', (event) =>
    event.type === 'descendants' && event.id === command.id && event.descendants.length === 0
      ? true
      : undefined,
  );
  expect(living([process])).toEqual([]);
  // The end that was told stays as it was.
  const record = JSON.parse(fs.readFileSync(path.join(command.folder, 'exit.json'), 'utf8')) as ExitRecord;
  expect(record).toEqual(exit);
});

it('a server that was left behind is listed with its port', async () => {
  const script = `require('node:net').createServer().listen(0, '127.0.0.1', function () { console.log('port ' + this.address().port) })`;
  const file = path.join(host.folder, 'port');
  const command = await host.run(
    `${process.execPath} -e "${script}" > ${file} & until grep -q port ${file}; do sleep 0.02; done`,
  );
  const exit = await command.exited();
  const port = Number(/port (\d+)/.exec(fs.readFileSync(file, 'utf8'))?.[1]);
  expect(exit.descendants.flatMap(({ ports }) => ports)).toEqual([port]);
  await host.client.stop(command.id, 'user');
  await host.event('nothing left', (event) =>
    event.type === 'descendants' && event.id === command.id && event.descendants.length === 0
      ? true
      : undefined,
  );
  await new Promise<void>((resolve, reject) => {
    net
      .createServer()
      .once('error', reject)
      .listen(port, '127.0.0.1', function (this: net.Server) {
        this.close(() => resolve());
      });
  });
});

it('stop of one command leaves another and its terminal alone', async () => {
  const one = await host.run('echo one; read x');
  const other = await host.run('echo other; read x; echo got $x');
  await Promise.all([one.sees('one'), other.sees('other')]);
  await host.client.stop(one.id, 'user');
  await one.exited();
  await host.client.write(other.id, 'it\n');
  expect((await other.exited()).exitCode).toBe(0);
  expect(other.log().toString()).toContain('got it');
});

it('SIGTERM reaches the child of a shell that dies of it at once: nothing waits for the kill, 40 times', async () => {
  for (let round = 0; round < 10; round++) {
    const floods = await Promise.all([1, 2, 3, 4].map((number) => host.run(`yes ${number}`)));
    await Promise.all(floods.map((flood, index) => flood.sees(`${index + 1}\r\n`)));
    await Promise.all(floods.map((flood) => host.client.stop(flood.id, 'user')));
    for (const flood of floods)
      expect(await flood.exited()).toMatchObject({ signal: 'SIGTERM', wasForced: false });
  }
});

it('stop after everything has ended does nothing', async () => {
  const command = await host.run('exit 0');
  await command.exited();
  expect(await host.client.stop(command.id, 'user')).toEqual({ ok: true, value: null });
  expect(host.events.filter((event) => event.type === 'stopping' && event.id === command.id)).toEqual([]);
});

it('a tree of 1,000 processes is stopped in under a second', async () => {
  const command = await host.run(`exec ${built.testkit} wide 1000`, { stopGraceMs: 0 });
  await command.sees('up');
  const began = performance.now();
  await host.client.stop(command.id, 'user');
  expect((await command.exited()).survivors).toEqual([]);
  expect(performance.now() - began).toBeLessThan(1_000);
});
