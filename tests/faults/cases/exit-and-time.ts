import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SpawnSpec } from '../../../shared/protocol/host.ts';
import { inParallel, startTime, type TestHost } from '../../support/host.ts';
import { ScriptedProvider } from '../../support/supervised.ts';
import { check, type Fault, has, same } from '../fault.ts';
import { startProgram } from '../program.ts';
import { callTool } from '../tools.ts';

const IGNORES_TERM = "trap '' TERM; echo up; while :; do sleep 0.05; done";

const foldersOf = (host: TestHost) => {
  const commands = path.join(host.folder, 'commands');
  return fs.existsSync(commands) ? fs.readdirSync(commands).sort() : [];
};

/** Tries to start what must be refused; gives the error, after looking that nothing is left of the attempt. */
async function refusal(host: TestHost, changes: Partial<SpawnSpec>) {
  const before = foldersOf(host);
  const result = await host.client.spawn(host.spec('echo RAN', changes));
  if (result.ok) throw new Error(`${JSON.stringify(changes)} was started`);
  same('folders', foldersOf(host), before);
  const { code, errno = null } = result.error;
  return [code, errno];
}

export const exitAndTime: readonly Fault[] = [
  {
    number: 11,
    title: 'TERM-ignoring at the deadline: killed after the grace, timeout, forced',
    run: async (bench) => {
      const host = await bench.host();
      const command = await host.run(IGNORES_TERM, { deadlineMs: 400, stopGraceMs: 300 });
      const exit = await command.exited();
      has('the end', exit, {
        reason: 'timeout',
        by: 'timeout',
        signal: 'SIGKILL',
        exitCode: null,
        wasForced: true,
      });
      const lived = exit.endedAt - exit.startedAt;
      check(lived >= 690 && lived < 3_000, `it got its 400 and 300 ms (${lived} ms)`);
    },
  },
  {
    number: 12,
    title: 'app suspended or crashed over the deadline: still enforced',
    run: async (bench) => {
      const host = await bench.host();
      for (const signal of ['SIGSTOP', 'SIGKILL'] as const) {
        const { child, says } = startProgram(bench, 'deadline-client', [host.folder, '1200']);
        const id = await says('started');
        child.kill(signal);
        const exit = await host.event(`the end after ${signal}`, (event) =>
          event.type === 'exited' && event.id === id ? event.exit : undefined,
        );
        has(`the end after ${signal}`, exit, { reason: 'timeout', by: 'timeout', signal: 'SIGTERM' });
        const lived = exit.endedAt - exit.startedAt;
        check(lived >= 1_190 && lived < 2_500, `at its deadline of 1.2 s (${lived} ms)`);
      }
    },
  },
  {
    number: 13,
    title: 'exit codes 0 to 255 exact',
    run: async (bench) => {
      const host = await bench.host();
      const wrong: unknown[] = [];
      await inParallel(256, 4, async (code) => {
        const exit = await (await host.run(`exit ${code}`, { tty: code % 2 === 0 })).exited();
        if (exit.exitCode !== code || exit.signal !== null || exit.reason !== 'exited')
          wrong.push([code, exit]);
      });
      same('wrong ones', wrong, []);
      return '256 of 256';
    },
  },
  {
    number: 14,
    title: 'missing file, directory, not executable, missing workdir: spawn_failed with the errno',
    run: async (bench) => {
      const host = await bench.host();
      const plain = path.join(host.folder, 'plain');
      fs.writeFileSync(plain, '');
      same('missing', await refusal(host, { shell: '/no/such/shell' }), ['spawn_failed', 'ENOENT']);
      same('a directory', await refusal(host, { shell: '/etc' }), ['spawn_failed', 'EACCES']);
      same('not executable', await refusal(host, { shell: plain }), ['spawn_failed', 'EACCES']);
      same('no workdir', await refusal(host, { cwd: '/no/such/folder' }), ['workdir_missing', 'ENOENT']);
      same('a file as workdir', await refusal(host, { cwd: plain }), ['workdir_missing', 'ENOTDIR']);
      // Of a file that the shell itself cannot find there is an exit code: the shell's own.
      has('the shell', await (await host.run('/no/such/file')).exited(), { reason: 'exited', exitCode: 127 });
    },
  },
  {
    number: 15,
    title: 'empty command, NUL: refused, nothing spawned',
    run: async (bench) => {
      const app = await bench.app(new ScriptedProvider());
      for (const cmd of ['', ' \n\t', 'echo a\0b']) {
        const { error } = await callTool(app, 'exec_command', { cmd });
        same(`the code for ${JSON.stringify(cmd)}`, error?.code, 'invalid_arguments');
        check(error?.message.startsWith('cmd: ') === true, `it names cmd (${error?.message})`);
        same('at the host', await refusal(app.host, { cmd }), ['invalid_arguments', null]);
      }
      same('commands', app.app.views().commands, []);
      same('folders', foldersOf(app.host), []);
    },
  },
  {
    number: 16,
    title: 'limit 0, none, beyond 2^31 ms: no instant firing',
    run: async (bench) => {
      const app = await bench.app(new ScriptedProvider());
      for (const timeout_ms of [
        0,
        -1,
        1.5,
        2 ** 31,
        2 ** 31 + 1_000,
        2 ** 53,
        '5',
        Number.POSITIVE_INFINITY,
      ]) {
        const { error } = await callTool(app, 'exec_command', { cmd: 'echo RAN', timeout_ms });
        same(`the code for ${timeout_ms}`, error?.code, 'invalid_arguments');
        check(error?.message.startsWith('timeout_ms: ') === true, `it names timeout_ms (${error?.message})`);
      }
      for (const deadlineMs of [0, 2 ** 31])
        same(`${deadlineMs} at the host`, await refusal(app.host, { deadlineMs }), [
          'invalid_arguments',
          null,
        ]);
      for (const deadlineMs of [null, 86_400_000]) {
        const command = await app.host.run('echo up; read x; exit 3', { deadlineMs });
        await command.sees('up');
        await sleep(300);
        check(startTime(command.pid) !== null, `with ${deadlineMs} it lives`);
        await app.host.client.write(command.id, '\n');
        has('the end', await command.exited(), { reason: 'exited', exitCode: 3 });
      }
    },
  },
  {
    number: 17,
    title: 'sleep 100 with a limit is never told as success',
    run: async (bench) => {
      const app = await bench.app(new ScriptedProvider());
      const { result } = await callTool(app, 'exec_command', { cmd: 'sleep 100', timeout_ms: 1_000 });
      has('the result', result ?? {}, {
        status: 'timeout',
        exit_code: null,
        by: 'timeout',
        signal: 'SIGTERM',
      });
      // Also when it makes a success of its end by itself.
      const cmd = "trap 'exit 0' TERM; while :; do sleep 0.02; done";
      const clean = await callTool(app, 'exec_command', { cmd, timeout_ms: 500 });
      has('of one that exits 0 at the stop', clean.result ?? {}, { status: 'timeout', by: 'timeout' });
    },
  },
  {
    number: 18,
    title: 'the same limit behaves the same for cd && , a pipe, a loop, FOO=1, a heredoc',
    run: async (bench) => {
      const host = await bench.host();
      const shapes = {
        list: 'cd / && sleep 30',
        pipe: 'sleep 30 | cat',
        loop: 'for i in 1 2 3; do sleep 10; done',
        variable: 'FOO=1 sleep 30',
        heredoc: 'cat <<END\ntext\nEND\nsleep 30',
        subshell: '(sleep 30; echo never)',
      };
      const ends = await Promise.all(
        Object.entries(shapes).map(async ([name, cmd]) => {
          const exit = await (await host.run(cmd, { deadlineMs: 700, tty: false })).exited();
          const lived = exit.endedAt - exit.startedAt;
          check(lived >= 690 && lived < 2_000, `${name} ends at its limit (${lived} ms)`);
          return [name, exit.reason, exit.by, exit.survivors.length];
        }),
      );
      same(
        'the ends',
        ends,
        Object.keys(shapes).map((name) => [name, 'timeout', 'timeout', 0]),
      );
    },
  },
];
