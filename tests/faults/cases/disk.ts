import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeGate } from '../../support/gate.ts';
import {
  built,
  emitted,
  endHost,
  hostLimits,
  startTime,
  type TestCommand,
  TestHost,
  until,
} from '../../support/host.ts';
import { ScriptedProvider } from '../../support/supervised.ts';
import { type Bench, check, type Fault, has, Skipped, same } from '../fault.ts';
import { callTool } from '../tools.ts';

/** A host whose commands' folders are on a disk of their own of this size, and the way to another size. */
async function onSmallDisk(bench: Bench, size: string) {
  const folder = bench.folder();
  const disk = path.join(folder, 'commands');
  fs.mkdirSync(disk, { mode: 0o700 });
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=700`, 'none', disk], {
    encoding: 'utf8',
  });
  if (mounted.status !== 0) throw new Skipped(`a small disk cannot be mounted: ${mounted.stderr.trim()}`);
  bench.onEnd(() => spawnSync('umount', ['-l', disk]));
  const host = await bench.host({ folder });
  // The whole disk is smaller than the space that is otherwise left free.
  await host.client.configure({ ...hostLimits, freeSpaceFloorBytes: 0 });
  return {
    host,
    resize: (to: string) => spawnSync('mount', ['-o', `remount,size=${to}`, disk]),
    isBlocked: (command: TestCommand, isBlocked: boolean) =>
      host.event(`blocked: ${isBlocked}`, (event) =>
        event.type === 'blocked' && event.id === command.id && event.isBlocked === isBlocked
          ? true
          : undefined,
      ),
  };
}

const textOf = (file: string) => fs.readFileSync(file, 'utf8').trim();

/** What is wrong with the records of a folder: of meta.json it must be whole, of exit.json whole or not begun. */
function brokenRecords(commands: string): string[] {
  return fs.readdirSync(commands).flatMap((id) =>
    ['meta.json', 'exit.json'].flatMap((name) => {
      const text = textOf(path.join(commands, id, name));
      if (text === '' && name === 'exit.json') return [];
      try {
        JSON.parse(text);
        return [];
      } catch {
        return [`${id}/${name}: ${text.slice(0, 40)}`];
      }
    }),
  );
}

export const disk: readonly Fault[] = [
  {
    number: 30,
    title: 'log file system full: the job blocks, this is shown, it resumes with 0 lost',
    run: async (bench) => {
      const { host, resize, isBlocked } = await onSmallDisk(bench, '256k');
      const command = await host.run(`exec ${built.testkit} emit 1000000 3`);
      await isBlocked(command, true);
      await sleep(500);
      check(startTime(command.pid) !== null, 'it lives while it is blocked');
      resize('8m');
      await isBlocked(command, false);
      has('the end', await command.exited(), {
        reason: 'exited',
        exitCode: 3,
        bytes: 1_000_000,
        bytesLost: 0,
      });
      check(command.log().equals(emitted(1_000_000)), 'the log is exact');
    },
  },
  {
    number: 31,
    title: 'full for ever, then Stop: exit record present, loss counted, host alive',
    run: async (bench) => {
      const { host, isBlocked } = await onSmallDisk(bench, '256k');
      const command = await host.run(`exec ${built.testkit} emit 1000000`);
      await isBlocked(command, true);
      await host.client.stop(command.id, 'user');
      const exit = await command.exited();
      const kept = command.log();
      has('the end', exit, { reason: 'stopped', by: 'user', bytes: kept.length });
      check(exit.bytesLost > 0, `the loss is counted (${exit.bytesLost})`);
      check(kept.equals(emitted(1_000_000).subarray(0, kept.length)), 'what is kept is exact');
      same('the record', JSON.parse(textOf(path.join(command.folder, 'exit.json'))), exit);
      const next = await host.client.spawn(host.spec('echo RAN'));
      same('on the full disk', next.ok ? 'started' : [next.error.code, next.error.errno], [
        'spawn_failed',
        'ENOSPC',
      ]);
      check((await host.client.list()).ok, 'the host lives');
      return `${exit.bytesLost} bytes lost and counted`;
    },
  },
  {
    number: 32,
    title:
      'records are never empty or half written: the host killed at any moment, the disk full at any write',
    run: async (bench) => {
      const folder = bench.folder();
      const commands = path.join(folder, 'commands');
      bench.onEnd(() => endHost(folder));
      fs.mkdirSync(commands, { mode: 0o700 });
      const rounds = 10;
      for (let round = 0; round < rounds; round++) {
        const host = await TestHost.start({ folder });
        for (let i = 0; i < 4; i++) void host.client.spawn(host.spec(`echo ${i}; exit ${i}`));
        await sleep(round * 7);
        process.kill(host.client.hostPid, 'SIGKILL');
        host.client.dispose();
        await until('the end of the host', () =>
          startTime(host.client.hostPid) === null ? true : undefined,
        );
        // A folder whose records were not made yet is no command.
        for (const id of fs.readdirSync(commands))
          if (!fs.existsSync(path.join(commands, id, 'exit.json')))
            fs.rmSync(path.join(commands, id), { recursive: true });
        same(`broken records of round ${round}`, brokenRecords(commands), []);
      }
      const host = await TestHost.start({ folder });
      const listed = await host.client.list();
      const ends = (listed.ok ? listed.value : []).map((command) => command.exit?.reason ?? 'none');
      same('all are accounted for', ends.length, fs.readdirSync(commands).length);
      same(
        'ends that nobody could have seen',
        ends.filter((end) => end !== 'exited' && end !== 'lost'),
        [],
      );
      const untold: string[] = [];
      host.client.onEvent((event) => {
        if (event.type !== 'exited') return;
        const record = textOf(path.join(commands, event.id, 'exit.json'));
        if (record !== JSON.stringify(event.exit)) untold.push(event.id);
      });
      const more = await Promise.all(Array.from({ length: 20 }, (_, i) => host.run(`exit ${i}`)));
      for (const command of more) await command.exited();
      same('told before the record was written', untold, []);
      host.client.dispose();

      const small = await onSmallDisk(bench, '64k');
      for (let i = 0; i < 12; i++)
        await small.host.client.spawn(small.host.spec(`head -c ${3_000 * i} /dev/zero`));
      await sleep(300);
      same('broken records on the full disk', brokenRecords(path.join(small.host.folder, 'commands')), []);
      return `${ends.length} commands over ${rounds} kills`;
    },
  },
  {
    number: 33,
    title: 'log deleted, or its folder removed, while it runs: the job goes on, and this is said',
    run: async (bench) => {
      for (const isWhole of [false, true]) {
        const what = isWhole ? 'the folder' : 'the log';
        const app = await bench.app(new ScriptedProvider());
        const gate = makeGate();
        bench.onEnd(() => gate.release());
        const cmd = `echo before; ${gate.loop}; echo after; exit 6`;
        const first = await callTool(app, 'exec_command', { cmd, yield_time_ms: 500 });
        const id = String(first.result?.session_id);
        const folder = path.join(app.host.folder, 'commands', id);
        fs.rmSync(isWhole ? folder : path.join(folder, 'output.log'), { recursive: true });
        const pid = app.app.commands.record(id)?.pid ?? 0;
        await sleep(100);
        check(startTime(pid) !== null, `the job lives without ${what}`);
        gate.open();
        await app.until(`the end of the job without ${what}`, () =>
          app.app.commands.hasEnded(id) ? true : undefined,
        );
        has(`the end without ${what}`, app.app.commands.record(id) ?? {}, { state: 'failed', exitCode: 6 });
        let told = '';
        try {
          told = JSON.stringify(await callTool(app, 'write_stdin', { session_id: id }));
        } catch (error) {
          throw new Error(`without ${what} reading its output breaks off: ${String(error)}`);
        }
        check(
          /"exit_code":6/.test(told),
          `the result without ${what} has its exit code (${told.slice(0, 200)})`,
        );
        const dropped = Number(/"output_dropped_bytes":(\d+)/.exec(told)?.[1] ?? 0);
        same(`bytes told as gone with ${what}`, dropped, 'after\r\n'.length);
      }
    },
  },
];
