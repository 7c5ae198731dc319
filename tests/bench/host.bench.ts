/**
 * The pty host against its baselines, measured in the same run on the same machine: only the ratios mean anything.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import * as pty from 'node-pty';
import { segmentOffset } from '../../electron/pty-host/log-segments.ts';
import { decodeFrame, FrameType } from '../../shared/protocol/frame.ts';
import { makeGate } from '../support/gate.ts';
import { built, endHost, hostPid, removeFolder, TestHost, temporaryFolder } from '../support/host.ts';
import { runLinkedApp, startLinkedApp } from '../support/linked.ts';

const FLOOD_MS = 3_000;
const ROUNDS = 3;

const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
};
const quantile = (values: readonly number[], q: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * q))] ?? Number.NaN;
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const say = (name: string, figure: string, target: string) =>
  console.log(`${name.padEnd(46)} ${figure.padEnd(44)} ${target}`);
/** KB that a process alone is the reason for: what it shares is counted by parts. */
const pss = (pid: number) =>
  Number(/^Pss:\s+(\d+)/m.exec(fs.readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0);
const rss = (pid: number) =>
  Number(/VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);

/** MB/s that stock node-pty delivers when the data is thrown away. */
async function stockRate(): Promise<number> {
  const child = pty.spawn('/bin/sh', ['-c', 'exec base64 /dev/zero'], { encoding: null });
  let bytes = 0;
  child.onData((data) => {
    bytes += data.length;
  });
  await wait(300);
  const began = performance.now();
  const first = bytes;
  await wait(FLOOD_MS);
  const rate = (bytes - first) / (performance.now() - began) / 1e3;
  const ended = new Promise((resolve) => child.onExit(resolve));
  process.kill(child.pid, 'SIGKILL');
  await ended;
  return rate;
}

/** All that was written to a command's log so far: where its newest file ends. The first one is full after 64 MB. */
function loggedBytes(folder: string): number {
  const ends = fs.readdirSync(folder).flatMap((name) => {
    const offset = segmentOffset(name);
    return offset === null ? [] : [offset + fs.statSync(path.join(folder, name)).size];
  });
  return Math.max(...ends);
}

/** MB/s from the terminal into the log, and the host's growth in KB meanwhile, with a viewer that takes nothing. */
async function hostRate(host: TestHost): Promise<{ rate: number; growth: number }> {
  const command = await host.run('exec base64 /dev/zero');
  const stream = host.client.openStream(command.id, null, () => {});
  await wait(300);
  const pid = hostPid(host.folder) ?? 0;
  const [first, memory, began] = [loggedBytes(command.folder), rss(pid), performance.now()];
  await wait(FLOOD_MS);
  const rate = (loggedBytes(command.folder) - first) / (performance.now() - began) / 1e3;
  const growth = rss(pid) - memory;
  stream.close();
  await host.client.stop(command.id, 'user');
  await command.exited();
  for (const name of fs.readdirSync(command.folder))
    if (segmentOffset(name) !== null) fs.rmSync(path.join(command.folder, name), { force: true });
  return { rate, growth };
}

/** Milliseconds of `echo hi` by child_process, with its output and its end synced to the disk. */
async function plainEcho(folder: string): Promise<number> {
  const began = performance.now();
  const child = spawn('/bin/sh', ['-c', 'echo hi'], { stdio: ['ignore', 'pipe', 'pipe'] });
  const parts: Buffer[] = [];
  child.stdout.on('data', (part: Buffer) => parts.push(part));
  const code = await new Promise((resolve) => child.once('close', resolve));
  const file = fs.openSync(path.join(folder, 'plain.json'), 'w');
  fs.writeSync(file, JSON.stringify({ code, output: Buffer.concat(parts).toString() }));
  await new Promise((resolve) => fs.fsync(file, resolve));
  fs.closeSync(file);
  return performance.now() - began;
}

async function hostEcho(host: TestHost): Promise<number> {
  const began = performance.now();
  await (await host.run('echo hi')).exited();
  return performance.now() - began;
}

/** Milliseconds from a key to its echo in a frame, through client, socket, host and terminal. */
async function echoTrips(host: TestHost, count: number): Promise<number[]> {
  const command = await host.run('stty raw -echo; echo ready; exec cat');
  await command.sees('ready');
  let arrived = () => {};
  const stream = host.client.openStream(
    command.id,
    { generation: command.generation, offset: command.log().length },
    (frame) => {
      if (decodeFrame(frame).type === FrameType.data) arrived();
    },
  );
  const trips: number[] = [];
  for (let i = 0; i < count; i++) {
    const began = performance.now();
    const echo = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    await host.client.write(command.id, 'x');
    await echo;
    trips.push(performance.now() - began);
    await wait(8); // beyond the batch time: a person's keys do not come in one batch
  }
  stream.close();
  await host.client.stop(command.id, 'user');
  return trips;
}

/** Milliseconds in which another run of the app accounts for `count` commands of one that was killed. */
async function readoption(count: number): Promise<number> {
  const folder = temporaryFolder('bench');
  const gate = makeGate();
  const { child, said } = runLinkedApp(folder, 'many', gate.file, count);
  try {
    await said;
    const killed = new Promise((resolve) => child.once('close', resolve));
    child.kill('SIGKILL');
    await killed;
    const again = await startLinkedApp(folder);
    await again.close();
    return again.restoredMs;
  } finally {
    child.kill('SIGKILL');
    gate.release();
    endHost(folder);
    await removeFolder(folder);
  }
}

const host = await TestHost.start();
try {
  const stock: number[] = [];
  const ours: { rate: number; growth: number }[] = [];
  for (let i = 0; i < ROUNDS; i++) {
    stock.push(await stockRate());
    ours.push(await hostRate(host));
  }
  const rate = median(ours.map((one) => one.rate));
  say(
    'terminal to log / stock node-pty discarding',
    `${rate.toFixed(1)} / ${median(stock).toFixed(1)} MB/s = ${(rate / median(stock)).toFixed(2)}`,
    'target 0.9',
  );
  say(
    'growth of the host in a flood nobody reads',
    `${(Math.max(...ours.map((one) => one.growth)) / 1024).toFixed(1)} MB`,
    'target under 10 MB',
  );

  const plain: number[] = [];
  const durable: number[] = [];
  for (let i = 0; i < 100; i++) {
    plain.push(await plainEcho(host.folder));
    durable.push(await hostEcho(host));
  }
  say(
    'echo hi to durable record / child_process + fsync',
    `${median(durable).toFixed(1)} / ${median(plain).toFixed(1)} ms = ${(median(durable) / median(plain)).toFixed(2)}`,
    'target under 2',
  );

  const trips = await echoTrips(host, 300);
  say(
    'key to echo, p50 / p99',
    `${quantile(trips, 0.5).toFixed(2)} / ${quantile(trips, 0.99).toFixed(2)} ms`,
    'target 0.3 ms p50',
  );

  const pid = hostPid(host.folder) ?? 0;
  const before = rss(pid);
  const idle = [];
  for (let i = 0; i < 100; i++) idle.push(await host.run('exec sleep 1000'));
  const runners = idle.map((command) => pss(command.meta().runnerPid ?? 0));
  say(
    'memory of an idle command: host share + runner',
    `${((rss(pid) - before) / 100).toFixed(0)} + ${median(runners)} KB`,
    'target under 150 KB',
  );
  const began = performance.now();
  await Promise.all(idle.map((command) => host.client.stop(command.id, 'user')));
  await Promise.all(idle.map((command) => command.exited()));
  say('stop of 100 commands', `${(performance.now() - began).toFixed(0)} ms`, '');

  const wide = await host.run(`exec ${built.testkit} wide 1000`, { stopGraceMs: 0 });
  await wide.sees('up');
  const stopped = performance.now();
  await host.client.stop(wide.id, 'user');
  await wide.exited();
  say(
    'stop of a tree of 1,000 processes',
    `${(performance.now() - stopped).toFixed(0)} ms`,
    'target under 300 ms',
  );

  say(
    '200 commands taken up after SIGKILL of the app',
    `${(await readoption(200)).toFixed(0)} ms`,
    'target under 200 ms',
  );
} finally {
  await host.close();
}
