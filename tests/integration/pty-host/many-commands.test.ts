import type { ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Gate, makeGate } from '../../support/gate.ts';
import { endHost, living, removeFolder, startTime, temporaryFolder, until } from '../../support/host.ts';
import { runLinkedApp, startLinkedApp } from '../../support/linked.ts';

const MANY = 200;
const WARM = 200;
const ROW = 2_000;

let folder = '';
let gate: Gate;
let child: ChildProcess | null = null;
beforeEach(() => {
  folder = temporaryFolder('many');
  gate = makeGate();
});
afterEach(async () => {
  child?.kill('SIGKILL');
  child = null;
  gate.release();
  endHost(folder);
  await removeFolder(folder);
});

/** Starts the program; resolves with the first line that it says. */
function says(...args: (string | number)[]): Promise<string> {
  const started = runLinkedApp(folder, ...args);
  child = started.child;
  return started.said;
}

it(`after SIGKILL of the app with ${MANY} commands all are taken up again at once, their logs without a gap`, {
  timeout: 180_000,
}, async () => {
  expect(await says('many', gate.file, MANY)).toBe('ready');
  const killed = new Promise((resolve) => child?.once('close', resolve));
  child?.kill('SIGKILL');
  await killed;
  const again = await startLinkedApp(folder, { maxLiveCommands: 1_000, maxLiveCommandsPerSession: 1_000 });
  console.log(`re-adopting ${MANY} commands took ${again.restoredMs.toFixed(0)} ms from the connection on`);
  const live = again.app.commands.live();
  expect(live).toHaveLength(MANY);
  expect(live.every(({ state }) => state === 'running')).toBe(true);
  const processes = live.flatMap(({ pid }) => (pid === null ? [] : { pid, start: startTime(pid) }));
  expect(living(processes)).toHaveLength(MANY);
  expect(again.restoredMs).toBeLessThan(2_000);
  gate.open();
  await until('all the ends', () => (again.app.commands.live().length === 0 ? true : undefined));
  for (const { id } of live) {
    expect(again.app.commands.record(id)).toMatchObject({ state: 'failed', exitCode: 5 });
    const log = fs.readFileSync(path.join(folder, 'commands', id, 'output.log'), 'utf8');
    const lines = log.split('\r\n').slice(0, -1);
    expect(lines.length).toBeGreaterThan(1);
    expect(lines).toEqual(lines.map((_, index) => `line ${index}`));
  }
  await again.close();
});

/** What a process held at rest. */
interface Held {
  /** Descriptors, threads and children: of the app, the host is the only one. */
  readonly held: { readonly host: object; readonly app: object };
  /** Bytes of memory in use, and of the app's heap. */
  readonly host: number;
  readonly app: number;
  readonly heap: number;
}

it(`${ROW} commands in a row leave descriptors, threads, memory and zombies of host and app where they were`, {
  timeout: 300_000,
}, async () => {
  const [first, half, all] = JSON.parse(await says('row', WARM, ROW)) as [Held, Held, Held];
  const growth = (name: 'host' | 'app' | 'heap', from: Held) => (all[name] - from[name]) / 1e6;
  for (const [count, from] of [
    [ROW, first],
    [ROW / 2, half],
  ] as const) {
    const [host, app, heap] = (['host', 'app', 'heap'] as const).map((name) => growth(name, from).toFixed(1));
    console.log(`the last ${count} commands: host +${host} MB, app +${app} MB, its heap +${heap} MB`);
  }
  console.log(`held ${JSON.stringify(all.held)}`);
  expect(all.held).toEqual(first.held);
  expect(all.held).toMatchObject({ host: { children: 0 }, app: { children: 1 } });
  // A heap grows to its working size in the first thousand; what grows on after that would be history.
  expect(growth('host', first)).toBeLessThan(64);
  expect(growth('app', first)).toBeLessThan(64);
  expect(growth('host', half)).toBeLessThan(16);
  expect(growth('app', half)).toBeLessThan(32);
  // The app keeps the record of each command, and nothing else of it.
  expect((growth('heap', half) * 1e6) / (ROW / 2)).toBeLessThan(3_000);
});
