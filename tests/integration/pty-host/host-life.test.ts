import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { socketPath } from '../../../electron/pty-host/host-paths.ts';
import { MAX_FRAME_BYTES, PREFIX_BYTES } from '../../../shared/protocol/frame.ts';
import { HOST_PROTOCOL } from '../../../shared/protocol/host.ts';
import { childKindsScript } from '../../support/child-kinds.ts';
import {
  appVersion,
  built,
  connect,
  emitted,
  endHost,
  hostPid,
  living,
  removeFolder,
  startTime,
  TestHost,
  TestViewer,
  temporaryFolder,
  until,
} from '../../support/host.ts';
import { dialHost, helloOf, rawClient } from '../../support/raw-client.ts';

let folder = '';
beforeEach(() => {
  folder = temporaryFolder('host');
});
afterEach(async () => {
  endHost(folder);
  await removeFolder(folder);
});

const gone = (pid: number) =>
  until(`the end of process ${pid}`, () => (startTime(pid) === null ? true : undefined));

it('outlives its clients; a new one finds everything, what ended in between too', async () => {
  const first = await TestHost.start({ folder });
  expect(first.client.wasRunning).toBe(false);
  const lives = await first.run('echo one; read x; echo two; read y');
  const ends = await first.run('read x; echo end; exit 5');
  await lives.sees('one');
  await first.client.write(ends.id, 'go\n');
  first.client.dispose();
  await until('the record', () => {
    const text = fs.readFileSync(path.join(ends.folder, 'exit.json'), 'utf8').trim();
    return text === '' ? undefined : true;
  });
  // It is told only once it is synced.
  const witness = await connect(folder);
  await until('the end', async () => {
    const listed = await witness.list();
    return listed.ok && listed.value.some(({ id, exit }) => id === ends.id && exit !== null)
      ? true
      : undefined;
  });
  witness.dispose();

  const second = await TestHost.start({ folder });
  expect([second.client.wasRunning, second.client.hostPid]).toEqual([true, first.client.hostPid]);
  const listed = await second.client.list();
  const byId = new Map((listed.ok ? listed.value : []).map((command) => [command.id, command]));
  expect(byId.get(lives.id)).toMatchObject({
    pid: lives.pid,
    generation: lives.generation,
    exit: null,
    bytes: 5,
    tail: ['one'],
  });
  expect(byId.get(ends.id)).toMatchObject({ exit: { reason: 'exited', exitCode: 5 }, tail: ['go', 'end'] });
  const viewer = new TestViewer(second.client, lives.id, { generation: lives.generation, offset: 3 });
  await second.client.write(lives.id, 'x\ny\n');
  await viewer.exit();
  expect(viewer.bytes.toString()).toBe('\r\nx\r\ny\r\ntwo\r\n');
  second.client.dispose();
});

it('two clients that come at the same time end up at one host', async () => {
  const clients = await Promise.all([1, 2, 3].map(() => connect(folder)));
  const pids = new Set(clients.map(({ hostPid }) => hostPid));
  expect([...pids]).toEqual([hostPid(folder)]);
  expect(clients.filter(({ wasRunning }) => !wasRunning).length).toBe(1);
  for (const client of clients) client.dispose();
});

it('a second host of the same folder sees the first and leaves', async () => {
  const client = await connect(folder);
  const socket = socketPath(folder, 'host', appVersion);
  const { ino } = fs.statSync(socket);
  const second = spawn(process.execPath, [built.host, folder, appVersion, '-'], { stdio: 'ignore' });
  expect(await once(second, 'exit')).toEqual([0, null]);
  expect(fs.statSync(socket).ino).toBe(ino);
  expect((await client.list()).ok).toBe(true);
  expect(hostPid(folder)).toBe(client.hostPid);
  client.dispose();
});

it('what a dead host left is cleared away, its token used again', async () => {
  const first = await connect(folder);
  const token = fs.readFileSync(path.join(folder, 'token'), 'utf8');
  process.kill(first.hostPid, 'SIGKILL');
  await gone(first.hostPid);
  expect(fs.existsSync(socketPath(folder, 'host', appVersion))).toBe(true);
  const second = await connect(folder);
  expect(second.hostPid).not.toBe(first.hostPid);
  expect(second.wasRunning).toBe(false);
  expect(fs.readFileSync(path.join(folder, 'token'), 'utf8')).toBe(token);
  second.dispose();
});

it('a folder whose name is too long for a socket works, and leaves nothing elsewhere', async () => {
  const long = path.join(folder, 'x'.repeat(100));
  const socket = socketPath(long, 'host', appVersion);
  const host = await TestHost.start({ folder: long });
  const command = await host.run('echo hi');
  expect((await command.exited()).exitCode).toBe(0);
  expect(fs.statSync(socket).mode & 0o777).toBe(0o600);
  expect(fs.statSync(path.dirname(socket)).mode & 0o777).toBe(0o700);
  expect(await host.client.quitIfIdle()).toEqual({ ok: true, value: true });
  await gone(host.client.hostPid);
  expect(fs.existsSync(path.dirname(socket))).toBe(false);
});

it('nobody is listened to without the token', async () => {
  const host = await TestHost.start({ folder });
  const command = await host.run('echo ready; read x');
  await command.sees('ready');
  const stop = { seq: 1, op: 'stop', id: command.id, by: 'user' };
  const token = fs.readFileSync(path.join(folder, 'token'), 'utf8');
  const hellos = [
    stop,
    { hello: helloOf('f'.repeat(64)) },
    { hello: helloOf('') },
    { hello: { ...helloOf(''), token: undefined } },
    { hello: token },
    'hello',
    null,
  ];
  for (const hello of hellos) {
    const stranger = await dialHost(folder);
    stranger.say(hello);
    stranger.say(stop);
    await stranger.closed;
    expect(stranger.messages).toEqual([]);
  }
  const silent = await dialHost(folder);
  await silent.closed; // after two seconds
  expect(startTime(command.pid)).not.toBeNull();
  const other = await dialHost(folder);
  other.say({ hello: { ...helloOf(token), protocol: HOST_PROTOCOL + 1, oldest: HOST_PROTOCOL + 1 } });
  other.say(stop);
  await other.closed;
  expect(other.messages).toMatchObject([{ hello: { protocol: HOST_PROTOCOL } }]);
  expect(startTime(command.pid)).not.toBeNull();
  // A newer client that still speaks ours is welcome.
  const newer = await dialHost(folder);
  newer.say({ hello: { ...helloOf(token), protocol: HOST_PROTOCOL + 1 } });
  newer.say({ seq: 1, op: 'ping' });
  await until('the answer', () => (newer.messages.length === 2 ? true : undefined));
  expect(newer.messages[1]).toEqual({ re: 1, ok: null });
  newer.socket.destroy();
  host.client.dispose();
});

it('a client that sends nonsense is dropped alone', async () => {
  const host = await TestHost.start({ folder });
  const oversized = await rawClient(folder);
  const prefix = new Uint8Array(PREFIX_BYTES);
  new DataView(prefix.buffer).setUint32(0, MAX_FRAME_BYTES + 1, true);
  oversized.socket.write(prefix);
  await oversized.closed;
  const broken = await rawClient(folder);
  broken.send(new TextEncoder().encode('{"seq":'));
  await broken.closed;
  const odd = await rawClient(folder);
  odd.say({ seq: 1, op: '__proto__' });
  odd.say({ seq: 2, op: 'toString', id: 1 });
  await until('the answers', () => (odd.messages.length === 3 ? true : undefined));
  expect(odd.messages.slice(1)).toMatchObject([
    { re: 1, error: { code: 'invalid_arguments' } },
    { re: 2, error: { code: 'invalid_arguments' } },
  ]);
  odd.socket.destroy();
  expect((await (await host.run('exit 3')).exited()).exitCode).toBe(3);
  host.client.dispose();
});

it('when the host is killed its runners end the trees, the clients are told, and a new host tells what was lost', async () => {
  const host = await TestHost.start({ folder });
  const marks = path.join(folder, 'marks');
  fs.mkdirSync(marks);
  const env = { ...host.spec('').env, D: marks, K: built.testkit };
  const kinds = await host.run(childKindsScript, { env });
  const flood = await host.run('exec yes');
  const ended = await host.run('echo fine; exit 2');
  await ended.exited();
  const pids = await host.until('all kinds of child', () => {
    const names = fs.readdirSync(marks).filter((name) => !name.endsWith('.t'));
    return names.length === 12
      ? names.map((name) => Number(fs.readFileSync(path.join(marks, name), 'utf8')))
      : undefined;
  });
  const runners = [kinds, flood].map((command) => command.meta().runnerPid as number);
  const processes = [...pids, kinds.pid, flood.pid, ...runners].map((pid) => ({
    pid,
    start: startTime(pid),
  }));
  expect(processes.every(({ start }) => start !== null)).toBe(true);

  const closed = new Promise<void>((resolve) => host.client.onClose(resolve));
  const pending = host.client.list();
  process.kill(host.client.hostPid, 'SIGKILL');
  await closed;
  await pending;
  expect(await host.client.list()).toMatchObject({ ok: false, error: { code: 'host_unavailable' } });
  await until('the end of the trees', () => (living(processes).length === 0 ? true : undefined));

  const next = await TestHost.start({ folder });
  const listed = await next.client.list();
  const byId = new Map((listed.ok ? listed.value : []).map((command) => [command.id, command]));
  for (const command of [kinds, flood]) {
    expect(byId.get(command.id)).toMatchObject({
      cmd: command.spec.cmd,
      generation: command.generation,
      exit: { reason: 'lost', exitCode: null, signal: null, by: null },
    });
  }
  expect(byId.get(ended.id)).toMatchObject({ exit: { reason: 'exited', exitCode: 2 }, tail: ['fine'] });
  const viewer = new TestViewer(next.client, ended.id, { generation: ended.generation, offset: 2 });
  expect(await viewer.exit()).toBe(6);
  expect(viewer.bytes.toString()).toBe('ne\r\n');
  expect(await next.client.readLog(ended.id, 0, 100)).toEqual(new Uint8Array(ended.log()));
  expect(await next.client.write(flood.id, 'x')).toMatchObject({
    ok: false,
    error: { code: 'command_ended' },
  });
  next.client.dispose();
});

it('when a runner is killed its tree is swept, and the command is lost', async () => {
  const host = await TestHost.start({ folder });
  for (let round = 0; round < 3; round++) {
    const pidFile = path.join(folder, `daemon${round}`);
    const command = await host.run(
      `trap '' HUP TERM; setsid sleep 3301 & ${built.testkit} daemon ${pidFile} keepenv /bin/sleep 3302; echo $!; echo ready; while :; do sleep 0.05; done`,
    );
    const log = await command.sees('ready');
    // The daemon leaves its number when it has got away from its parent, which has not waited for that.
    const daemon = await host.until('the daemon', () => {
      const pid = fs.existsSync(pidFile) ? Number(fs.readFileSync(pidFile, 'utf8')) : 0;
      return pid > 0 ? pid : undefined;
    });
    const processes = [command.pid, Number(/^\d+/.exec(log)?.[0]), daemon].map((pid) => ({
      pid,
      start: startTime(pid),
    }));
    expect(processes.every(({ start }) => start !== null)).toBe(true);
    process.kill(command.meta().runnerPid as number, 'SIGKILL');
    const exit = await command.exited();
    expect(exit).toMatchObject({ reason: 'lost', exitCode: null, signal: null, by: null, survivors: [] });
    expect(living(processes)).toEqual([]);
  }
  expect(await host.client.quitIfIdle()).toEqual({ ok: true, value: true });
  host.client.dispose();
});

it('a runner that is stopped cannot hold up a stop', async () => {
  const host = await TestHost.start({ folder });
  const command = await host.run('echo ready; while :; do sleep 0.05; done', { stopGraceMs: 100 });
  await command.sees('ready');
  process.kill(command.meta().runnerPid as number, 'SIGSTOP');
  await host.client.stop(command.id, 'user');
  expect(await command.exited()).toMatchObject({
    reason: 'stopped',
    by: 'user',
    wasForced: true,
    survivors: [],
  });
  expect(startTime(command.pid)).toBeNull();
  host.client.dispose();
});

it('ends itself when nothing lives and nobody is there, and leaves nothing behind', async () => {
  const host = await TestHost.start({ folder, idleExitMs: 150 });
  const { hostPid: pid } = host.client;
  const command = await host.run('(trap "" HUP; sleep 0.5; echo last) & echo first');
  await command.exited();
  host.client.dispose();
  await gone(pid);
  expect(command.log().toString()).toBe('first\r\nlast\r\n'); // what was left behind counts as living
  expect(fs.readdirSync(folder).sort()).toEqual(['commands', 'token']);
});

it('quits on request when nothing lives, and only then', async () => {
  const host = await TestHost.start({ folder });
  const command = await host.run('read x');
  expect(await host.client.quitIfIdle()).toEqual({ ok: true, value: false });
  await host.client.stop(command.id, 'quit');
  await command.exited();
  // At once: what was told is recorded, and only the terminal is still to be closed.
  expect(await host.client.quitIfIdle()).toEqual({ ok: true, value: true });
  await gone(host.client.hostPid);
});

it('SIGTERM lets it stop everything and record each end', async () => {
  const host = await TestHost.start({ folder });
  const commands = await Promise.all(
    ['exec sleep 60', 'trap "exit 6" TERM; echo up; while :; do sleep 0.02; done'].map((cmd) =>
      host.run(cmd),
    ),
  );
  await commands[1]?.sees('up');
  process.kill(host.client.hostPid, 'SIGTERM');
  await gone(host.client.hostPid);
  const records = commands.map((command) =>
    JSON.parse(fs.readFileSync(path.join(command.folder, 'exit.json'), 'utf8')),
  );
  expect(records).toMatchObject([
    { reason: 'stopped', by: 'quit', signal: 'SIGTERM' },
    { reason: 'stopped', by: 'quit', exitCode: 6 },
  ]);
});

it('after 300 commands its descriptors, threads and zombies are where they were', async () => {
  const host = await TestHost.start({ folder });
  const measure = () => {
    const proc = `/proc/${host.client.hostPid}`;
    const children = fs.readFileSync(`${proc}/task/${host.client.hostPid}/children`, 'utf8').trim();
    return {
      descriptors: fs.readdirSync(`${proc}/fd`).length,
      threads: fs.readdirSync(`${proc}/task`).length,
      children: children === '' ? 0 : children.split(' ').length,
    };
  };
  // The last things of a command are closed after its end was told.
  const settled = async () => {
    let calm = 0;
    let last = '';
    return host.until('rest', () => {
      const now = measure();
      calm = now.children === 0 && JSON.stringify(now) === last ? calm + 1 : 0;
      last = JSON.stringify(now);
      return calm >= 5 ? now : undefined;
    });
  };
  await (await host.run('true')).exited();
  const before = await settled();
  for (let round = 0; round < 60; round++) {
    const commands = await Promise.all(Array.from({ length: 5 }, () => host.run('true')));
    for (const command of commands) expect((await command.exited()).exitCode).toBe(0);
  }
  const after = await settled();
  expect(after).toEqual(before);
  host.client.dispose();
});

it('a log stays readable without a host', async () => {
  const host = await TestHost.start({ folder });
  const command = await host.run(`exec ${built.testkit} emit 100000`);
  await command.exited();
  process.kill(host.client.hostPid, 'SIGKILL');
  await gone(host.client.hostPid);
  const all = emitted(100_000);
  expect(
    Buffer.from(await host.client.readLog(command.id, 10, 20_010)).equals(all.subarray(10, 20_010)),
  ).toBe(true);
  expect((await host.client.readLog(command.id, 99_990, 200_000)).length).toBe(10);
  expect((await host.client.readLog(command.id, 5, 5)).length).toBe(0);
  await expect(host.client.readLog('c_0000000000000000', 0, 10)).rejects.toThrow(/ENOENT/);
  await expect(host.client.readLog('../../token', 0, 10)).rejects.toThrow();
});
