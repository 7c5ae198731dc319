// After an update of the app the host of the version before finishes its commands beside the new one.
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { HostUnavailableError } from '../../../electron/host-client/greet.ts';
import { hostFiles } from '../../../electron/pty-host/host-paths.ts';
import type { CommandRecord } from '../../../electron/supervisor/records.ts';
import { decodeFrame, FrameType } from '../../../shared/protocol/frame.ts';
import { type Gate, makeGate } from '../../support/gate.ts';
import {
  connect,
  endHost,
  hostPid,
  living,
  newId,
  programOfVersion,
  removeFolder,
  startTime,
  type TestCommand,
  TestHost,
  temporaryFolder,
  until,
} from '../../support/host.ts';
import { startLinkedApp, TestLink } from '../../support/linked.ts';
import { dialHost } from '../../support/raw-client.ts';

const OLD = '0.0.1';
let folder = '';
let programs = '';
let gate: Gate;
const links: TestLink[] = [];
beforeEach(() => {
  folder = temporaryFolder('hosts');
  programs = temporaryFolder('programs');
  gate = makeGate();
});
afterEach(async () => {
  for (const { link } of links.splice(0)) link.dispose();
  gate.release();
  endHost(folder);
  await removeFolder(folder);
  await removeFolder(programs);
});

const startOld = (change?: (text: string) => string, idleExitMs = 300) =>
  TestHost.start({
    folder,
    version: OLD,
    script: programOfVersion(programs, OLD, change),
    idleExitMs,
  });

async function newLink(): Promise<TestLink> {
  const linked = await TestLink.connect(folder);
  links.push(linked);
  return linked;
}

const specOf = (cwd: string, owner: string, cmd: string) => ({
  owner,
  ownerName: '',
  cmd,
  shell: '/bin/bash',
  cwd,
  env: { PATH: process.env.PATH ?? '/usr/bin:/bin' },
  tty: true,
  cols: 80,
  rows: 24,
  deadlineMs: null,
  stopGraceMs: 100,
});

/** As the supervisor has saved a command that runs. */
const recordFor = (id: string, sessionId: string): CommandRecord => ({
  ...{ id, sessionId, toolCallId: 'call', cmd: 'command', cwd: '/', shell: '/bin/bash', tty: true },
  ...{ state: 'running', placement: 'background', exitCode: null, signal: null, by: null },
  ...{
    startedAt: Date.now(),
    endedAt: null,
    lastOutputAt: null,
    outputBytes: 0,
    tail: [],
    pid: 1,
    generation: 1,
  },
  ...{ descendants: [], gap: null, isCleared: false, cursor: 0, hasYielded: true, isEndRead: false },
  ...{ isEndSaved: false, artifact: null, isUnawaited: true },
});

const gone = (pid: number) =>
  until(`the end of process ${pid}`, () => (startTime(pid) === null ? true : undefined));

const recorded = (command: TestCommand) => {
  const text = fs.readFileSync(path.join(command.folder, 'exit.json'), 'utf8').trim();
  return text === '' ? null : JSON.parse(text);
};

it('an older host finishes its commands: listed, watched, typed into, stopped, told once, and then it ends', async () => {
  const old = await startOld();
  const reads = await old.run('echo ready; read x; echo "got $x"; exit 7');
  const runs = await old.run(`echo up; ${gate.loop}`);
  await reads.sees('ready');
  await runs.sees('up');
  old.client.dispose();

  const linked = await newLink();
  const { link } = linked;
  const oldPid = old.client.hostPid;
  expect(hostPid(folder, OLD)).toBe(oldPid);
  expect(hostPid(folder)).not.toBe(oldPid);
  expect(await linked.listed(reads.id)).toMatchObject({ pid: reads.pid, exit: null, tail: ['ready'] });
  expect(await linked.listed(runs.id)).toMatchObject({ pid: runs.pid, exit: null, tail: ['up'] });
  // The own host is asked too, and watches from beside from now on: that must not tell the end a second time.
  expect(await link.find([reads.id])).toEqual({ ok: true, value: { commands: [], elsewhere: [reads.id] } });

  let seen = '';
  const stream = link.openStream(reads.id, null, (bytes) => {
    const frame = decodeFrame(bytes);
    if (frame.type === FrameType.data) seen += Buffer.from(frame.bytes).toString();
  });
  expect(await stream.opened).toEqual({ ok: true, value: null });
  expect(await link.write(reads.id, 'word\n')).toMatchObject({ ok: true });
  expect(await linked.exited(reads.id)).toMatchObject({ reason: 'exited', exitCode: 7 });
  await until('the output', () => (seen.includes('got word') ? true : undefined));
  expect(await link.stop(runs.id, 'user')).toEqual({ ok: true, value: null });
  expect(await linked.exited(runs.id)).toMatchObject({ reason: 'stopped', by: 'user' });

  const fresh = old.spec('exit 3');
  expect(await link.spawn(fresh)).toMatchObject({ ok: true });
  expect(await linked.exited(fresh.id)).toMatchObject({ exitCode: 3 });
  const meta = JSON.parse(fs.readFileSync(path.join(folder, 'commands', fresh.id, 'meta.json'), 'utf8'));
  expect(meta.host.pid).toBe(hostPid(folder));

  await gone(oldPid); // although the link visits it
  await until('the farewell', () =>
    linked.logged.some((line) => line.endsWith('is gone')) ? true : undefined,
  );
  expect(linked.told).not.toContain('lost');
  expect(linked.told).not.toContain('other lost');
  expect(await link.find([reads.id, runs.id])).toMatchObject({
    ok: true,
    value: {
      commands: expect.arrayContaining([
        expect.objectContaining({ id: reads.id, exit: expect.objectContaining({ exitCode: 7 }) }),
      ]),
      elsewhere: [],
    },
  });
  for (const { id } of [reads, runs, fresh]) expect(linked.exits(id)).toHaveLength(1);
});

it('a host that comes later is found, and what another program starts there is told', async () => {
  const linked = await newLink();
  const old = await startOld();
  await until('the visit', () =>
    linked.logged.some((line) => line.startsWith('visiting')) ? true : undefined,
  );
  const command = await old.run('echo here; read x');
  const started = await until('the start', () =>
    linked.events.find((event) => event.type === 'started' && event.id === command.id),
  );
  expect(started).toMatchObject({ command: { pid: command.pid } });
  await linked.link.stop(command.id, 'user');
  await linked.exited(command.id);
  expect((await command.exited()).by).toBe('user');
  old.client.dispose();
});

it('SIGKILL of the older host: its command is told as lost, once, and its tree is gone', async () => {
  const old = await startOld();
  const command = await old.run(`setsid sleep 3303 & echo $!; ${gate.loop}`);
  const log = await until('the pid', () => {
    const text = command.log().toString();
    return /^\d+/.test(text) ? text : undefined;
  });
  old.client.dispose();
  const linked = await newLink();
  const processes = [command.pid, Number.parseInt(log, 10)].map((pid) => ({ pid, start: startTime(pid) }));
  expect(living(processes)).toHaveLength(2);
  process.kill(old.client.hostPid, 'SIGKILL');
  expect(await linked.exited(command.id)).toMatchObject({ reason: 'lost', exitCode: null, survivors: [] });
  expect(living(processes)).toEqual([]);
  await linked.hears('other lost');
  expect(linked.told).not.toContain('lost');
  expect(await linked.listed(command.id)).toBeUndefined();
  expect(linked.exits(command.id)).toHaveLength(1);
  expect(recorded(command)).toMatchObject({ reason: 'lost' });
  // What it left is cleared away by the next host that starts.
  process.kill(hostPid(folder) as number, 'SIGKILL');
  await linked.hears('back');
  expect(fs.readdirSync(folder).filter((name) => name.includes(OLD))).toEqual([]);
});

it('hosts that start, look and die beside each other leave the other one alone', async () => {
  const old = await startOld();
  const before = await old.run(`echo up; ${gate.loop}; echo end`);
  await before.sees('up');
  const first = await TestHost.start({ folder });
  const own = await first.run(`echo up; ${gate.loop}; echo end`);
  await own.sees('up');
  const processes = [before, own].map(({ pid }) => ({ pid, start: startTime(pid) }));
  // Each asks for the other's: the folders are looked at, and nothing is done to them.
  expect(await first.client.find([before.id])).toEqual({
    ok: true,
    value: { commands: [], elsewhere: [before.id] },
  });
  expect(await old.client.find([own.id])).toEqual({ ok: true, value: { commands: [], elsewhere: [own.id] } });
  expect(await first.client.stop(before.id, 'user')).toMatchObject({ error: { code: 'host_unavailable' } });
  // The oldest logs are removed to the last: what the other host has is not among them.
  await first.client.configure({ totalLogBytes: 0, logExpiryMs: 0, freeSpaceFloorBytes: 0 });
  // A host that comes back after a crash looks through the whole folder.
  process.kill(first.client.hostPid, 'SIGKILL');
  await gone(first.client.hostPid);
  const second = await TestHost.start({ folder });
  expect(await second.client.find([own.id])).toMatchObject({
    value: { commands: [{ exit: { reason: 'lost' } }] },
  });
  await second.client.configure({ totalLogBytes: 0, logExpiryMs: 0, freeSpaceFloorBytes: 0 });
  expect(living(processes)).toEqual([before.pid]);
  expect(recorded(before)).toBeNull();
  gate.open();
  expect(await before.exited()).toMatchObject({ reason: 'exited', exitCode: 0 });
  expect(before.log().toString()).toBe('up\r\nend\r\n');

  // The other way about: an older host that comes leaves the newer one's alone.
  const stays = await second.run('echo up; read x');
  await stays.sees('up');
  process.kill(old.client.hostPid, 'SIGKILL');
  await gone(old.client.hostPid);
  const next = await startOld();
  expect(next.client.hostPid).not.toBe(old.client.hostPid);
  expect(startTime(stays.pid)).not.toBeNull();
  expect(recorded(stays)).toBeNull();
  next.client.dispose();
  old.client.dispose();
  second.client.dispose();
});

/** A host of the old version of which every protocol is unknown here, and a client that it understands. */
async function startForeign() {
  let isChanged = false;
  const script = programOfVersion(programs, OLD, (text) =>
    text.replace(/protocol: \d+,\s+oldest: \d+/, () => {
      isChanged = true;
      return 'protocol: 99, oldest: 99';
    }),
  );
  expect(isChanged).toBe(true);
  await expect(connect(folder, { version: OLD, script })).rejects.toThrow(/speaks a protocol up to 99/);
  const client = await dialHost(folder, OLD);
  const token = fs.readFileSync(path.join(folder, 'token'), 'utf8');
  client.say({ hello: { token, protocol: 99, oldest: 99, version: OLD } });
  return client;
}

it('a host with which no protocol is common keeps its commands, and their ends are told', async () => {
  // A run of the app starts them, and is updated: what runs is then another host's.
  const foreign = await startForeign();
  const ends = newId();
  const dies = newId();
  const before = await startLinkedApp(folder);
  const { id: owner } = before.session.view;
  const spec = { ...specOf(folder, owner, `echo up; ${gate.loop}; exit 4`), id: ends };
  foreign.say({ seq: 1, op: 'spawn', ...spec });
  foreign.say({ seq: 2, op: 'spawn', ...spec, id: dies, cmd: 'echo up; exec sleep 3304' });
  await until('both', () =>
    foreign.messages.filter((each) => 're' in (each as object)).length === 2 ? true : undefined,
  );
  for (const id of [ends, dies]) before.app.commands.adopt(recordFor(id, owner));
  await before.app.reconcile();
  const states = () => [ends, dies].map((id) => before.app.commands.record(id)?.state);
  expect(states()).toEqual(['unknown', 'unknown']);
  expect(await before.app.commands.stop(ends, 'user')).toMatchObject({
    error: { message: expect.stringContaining('under another version of Switchyard') },
  });
  await before.app.stopOwnAndWait('quit'); // what cannot be reached is not waited for
  expect(states()).toEqual(['unknown', 'unknown']);

  gate.open();
  expect(await before.linked.exited(ends)).toMatchObject({ reason: 'exited', exitCode: 4 });
  expect(before.app.commands.record(ends)).toMatchObject({ state: 'failed', exitCode: 4 });
  process.kill(hostPid(folder, OLD) as number, 'SIGKILL');
  expect(await before.linked.exited(dies)).toMatchObject({ reason: 'lost' });
  expect(before.app.commands.record(dies)?.state).toBe('lost');
  for (const id of [ends, dies]) expect(before.linked.exits(id)).toHaveLength(1);
  await before.close();
});

it('a program of another version than the one on the disk is refused, with the reason, and not tried again', async () => {
  const reason = `The program on the disk is version 9.9.9 now, and this is ${OLD}. Restart Switchyard.`;
  const refused = connect(folder, { version: OLD, script: programOfVersion(programs, '9.9.9') });
  await expect(refused).rejects.toThrow(HostUnavailableError);
  await expect(refused).rejects.toMatchObject({ message: reason });
  expect(fs.existsSync(hostFiles.pid(folder, OLD))).toBe(false);

  // The same to a program that still ran when it was replaced: once its host is gone, each call says why.
  const script = programOfVersion(programs, OLD);
  const linked = await TestLink.connect(folder, { version: OLD, script });
  links.push(linked);
  programOfVersion(programs, '9.9.9');
  process.kill(hostPid(folder, OLD) as number, 'SIGKILL');
  await linked.hears('lost');
  const spec = { ...specOf(folder, 'owner', 'true'), id: newId() };
  await until('the reason', async () => {
    const tried = await linked.link.spawn(spec);
    return !tried.ok && tried.error.message === reason ? true : undefined;
  });
  expect(linked.logged.filter((line) => line.includes('could not be started again'))).toHaveLength(1);
});
