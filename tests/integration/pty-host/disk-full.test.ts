import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FrameType } from '../../../shared/protocol/frame.ts';
import {
  built,
  emitted,
  hostLimits,
  removeFolder,
  type TestCommand,
  TestHost,
  TestViewer,
  temporaryFolder,
} from '../../support/host.ts';

const folder = temporaryFolder('disk');
const disk = path.join(folder, 'commands');
fs.mkdirSync(disk, { mode: 0o700 });
const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=256k,mode=700', 'none', disk], {
  encoding: 'utf8',
});
if (mounted.status !== 0)
  console.log(`disk-full is skipped: a small disk cannot be mounted: ${mounted.stderr.trim()}`);

/** Of one command, before its output: script, meta and exit record in whole blocks. */
const RECORD_BYTES = 24 * 1024;

const resize = (size: string) => spawnSync('mount', ['-o', `remount,size=${size}`, disk]);

afterAll(async () => {
  if (mounted.status === 0) spawnSync('umount', ['-l', disk]);
  await removeFolder(folder);
});

describe.skipIf(mounted.status !== 0)('on a disk of 256 KB', () => {
  let host: TestHost;
  beforeAll(async () => {
    host = await TestHost.start({ folder });
    await host.client.configure({ ...hostLimits, freeSpaceFloorBytes: 0 });
  });
  afterAll(() => host?.close());

  const blocked = (command: TestCommand, isBlocked: boolean) =>
    host.event(`blocked: ${isBlocked}`, (event) =>
      event.type === 'blocked' && event.id === command.id && event.isBlocked === isBlocked ? true : undefined,
    );

  it('a command blocks, this is told, and with space again it goes on with nothing lost', async () => {
    const command = await host.run(`exec ${built.testkit} emit 1000000 3`);
    const viewer = new TestViewer(host.client, command.id, null);
    await blocked(command, true);
    const listed = await host.client.list();
    expect(listed.ok && listed.value[0]).toMatchObject({ exit: null, bytes: command.log().length });
    resize('8m');
    await blocked(command, false);
    const exit = await command.exited();
    expect(exit).toMatchObject({ reason: 'exited', exitCode: 3, bytes: 1_000_000, bytesLost: 0 });
    const expected = emitted(1_000_000);
    expect(command.log().equals(expected)).toBe(true);
    await viewer.exit();
    expect(viewer.bytes.equals(expected)).toBe(true);
    expect(viewer.frames.filter(({ type }) => type === FrameType.reset)).toHaveLength(1);
    fs.rmSync(command.folder, { recursive: true });
    resize('256k');
  });

  it('one that has ended meanwhile waits for the space too', async () => {
    const size = free() - RECORD_BYTES + 6_000; // the end does not fit, but waits in the terminal
    const command = await host.run(`exec ${built.testkit} emit ${size} 4`);
    await blocked(command, true);
    resize('8m');
    expect(await command.exited()).toMatchObject({ exitCode: 4, bytes: size, bytesLost: 0 });
    expect(command.log().equals(emitted(size))).toBe(true);
    fs.rmSync(command.folder, { recursive: true });
    resize('256k');
  });

  it('one that is stopped while the disk is full ends; what is lost is counted, what is kept is exact', async () => {
    const command = await host.run(`exec ${built.testkit} emit 1000000`);
    await blocked(command, true);
    await host.client.stop(command.id, 'user');
    const exit = await command.exited();
    const kept = command.log();
    expect(exit).toMatchObject({ reason: 'stopped', by: 'user', signal: 'SIGTERM', bytes: kept.length });
    expect(exit.bytesLost).toBeGreaterThan(0);
    expect(kept.equals(emitted(1_000_000).subarray(0, kept.length))).toBe(true);
    expect(JSON.parse(fs.readFileSync(path.join(command.folder, 'exit.json'), 'utf8'))).toEqual(exit);
    const viewer = new TestViewer(host.client, command.id, null);
    expect(await viewer.exit()).toBe(kept.length);
  });

  it('on the full disk nothing is started, and nothing is left of the attempt', async () => {
    const before = fs.readdirSync(disk);
    const result = await host.client.spawn(host.spec('echo RAN'));
    expect(result).toMatchObject({ ok: false, error: { code: 'spawn_failed', errno: 'ENOSPC' } });
    expect(fs.readdirSync(disk)).toEqual(before);
  });

  function free(): number {
    const { bavail, bsize } = fs.statfsSync(disk);
    return bavail * bsize;
  }
});
