import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { INPUT_QUEUE_BYTES, MAX_CHARS_BYTES } from '../../../shared/limits.ts';
import { hostPid, type TestCommand, type TestHost, TestViewer } from '../../support/host.ts';
import { ScriptedProvider } from '../../support/supervised.ts';
import { check, type Fault, has, Skipped, same } from '../fault.ts';
import { cpuTicks } from '../measure.ts';
import { callTool, runToEnd } from '../tools.ts';
import { isNoticedWithin } from '../wants.ts';

async function type(host: TestHost, command: TestCommand, text: string): Promise<void> {
  for (let at = 0; at < text.length; at += MAX_CHARS_BYTES) {
    const written = await host.client.write(command.id, text.slice(at, at + MAX_CHARS_BYTES));
    if (!written.ok) throw new Error(`after ${at} bytes: ${written.error.message}`);
  }
}

export const input: readonly Fault[] = [
  {
    number: 34,
    title: '1 MB paste of lines: exact',
    run: async (bench) => {
      const host = await bench.host();
      const file = path.join(host.folder, 'lines');
      const lines = Array.from(
        { length: 13_107 },
        (_, i) => `${String(i).padStart(8, '0')}${'x'.repeat(71)}\n`,
      );
      const command = await host.run(`echo ready; cat > ${file}`);
      await command.sees('ready');
      await type(host, command, lines.join(''));
      await host.client.sendEof(command.id);
      has('the end', await command.exited(), { exitCode: 0, inputDropped: 0 });
      check(fs.readFileSync(file, 'utf8') === lines.join(''), 'the file is exact');
    },
  },
  {
    number: 35,
    title: 'paste to a child that never reads: under 5 % CPU, bounded, refused beyond',
    run: async (bench) => {
      const host = await bench.host();
      const command = await host.run('stty raw -echo; echo ready; exec sleep 60', { stopGraceMs: 0 });
      await command.sees('ready');
      const part = 'y'.repeat(MAX_CHARS_BYTES);
      let taken = 0;
      let refused = '';
      while (refused === '' && taken < 4 * INPUT_QUEUE_BYTES) {
        const result = await host.client.write(command.id, part);
        if (result.ok) taken += part.length;
        else refused = result.error.code;
      }
      same('refused', refused, 'input_full');
      check(taken < INPUT_QUEUE_BYTES + 2 * part.length, `bounded (${taken} bytes taken)`);
      const pid = hostPid(host.folder) as number;
      const before = cpuTicks(pid);
      await sleep(2_000);
      const percent = (cpuTicks(pid) - before) / 2;
      check(percent < 5, `under 5 % CPU (${percent} %)`);
      await host.client.stop(command.id, 'user');
      const { inputDropped } = await command.exited();
      check(
        inputDropped > INPUT_QUEUE_BYTES - 2 * part.length,
        `what was not read is told (${inputDropped})`,
      );
      return `${percent} % CPU, ${(taken / 2 ** 20).toFixed(1)} MB taken`;
    },
  },
  {
    number: 36,
    title: 'cat: EOF at once without a tty, and writing to it is refused; needs-input within 5 s with one',
    run: async (bench) => {
      const app = await bench.app(new ScriptedProvider());
      const began = performance.now();
      const { end } = await runToEnd(app, { cmd: 'cat; echo end' });
      has('the end', end, { status: 'completed', exit_code: 0, output: 'end\n' });
      check(performance.now() - began < 2_000, 'at once');
      const slow = await callTool(app, 'exec_command', { cmd: 'cat; sleep 60', yield_time_ms: 250 });
      const { error } = await callTool(app, 'write_stdin', {
        session_id: slow.result?.session_id,
        chars: 'x',
      });
      same('the refusal', error?.code, 'stdin_not_open');
      return (await isNoticedWithin(bench, 'exec cat', 5_000)).note;
    },
  },
  {
    number: 40,
    title: 'git log, man ls: end by themselves',
    run: async (bench) => {
      const app = await bench.app(new ScriptedProvider());
      const repository = bench.folder();
      const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' };
      const who = ['-c', 'user.name=t', '-c', 'user.email=t@t'];
      const git = (...args: string[]) => spawnSync('git', [...who, ...args], { cwd: repository, env });
      if (git('init', '-q').status !== 0) throw new Skipped('there is no git');
      for (let i = 0; i < 60; i++) git('commit', '-q', '--allow-empty', '-m', `commit ${i}`);
      const log = await runToEnd(app, { cmd: 'git log', workdir: repository, tty: true });
      has('git log', log.end, { exit_code: 0 });
      check(/commit 59[\s\S]*commit 0\n$/.test(log.pieces.join('')), 'the whole log');
      if (spawnSync('man', ['-w', 'ls']).status !== 0) return 'git log; no manual of ls here';
      const man = await runToEnd(app, { cmd: 'man ls', tty: true });
      has('man ls', man.end, { exit_code: 0 });
      check(man.pieces.join('').includes('list directory contents'), 'the manual');
      return 'both';
    },
  },
  {
    number: 41,
    title: "printf '\\033[6n' with nobody watching: gets an answer; no stray reply later",
    run: async (bench) => {
      const host = await bench.host();
      const ask = `IFS= read -rs -d R -t 3 answer; printf 'got=%s.\\n' "\${answer#*[}"`;
      const command = await host.run(
        `stty -echo; printf '\\033[6n'; ${ask}; echo ready; IFS= read -rs -t 60 line; printf 'line=%s.\\n' "$line"`,
      );
      const log = await command.sees('ready');
      const viewer = new TestViewer(host.client, command.id, null);
      await viewer.until('the replay', () => (viewer.bytes.includes('ready') ? true : undefined));
      await sleep(300);
      await host.client.write(command.id, 'mine\n', 'user'); // it reads without echo: no agent may answer
      await command.exited();
      same('what was typed later', /line=(.*)\.\r\n$/.exec(command.log().toString('latin1'))?.[1], 'mine');
      const answer = /got=(.*?)\./.exec(log)?.[1] ?? '';
      check(/^\d+;\d+$/.test(answer), `a place on the screen is answered (it got "${answer}")`);
    },
  },
  {
    number: 42,
    title: 'resize to 0, negative, 65,536: refused',
    run: async (bench) => {
      const host = await bench.host();
      const command = await host.run('trap "stty size" WINCH; echo ready; while :; do sleep 0.05; done', {
        stopGraceMs: 0,
      });
      await command.sees('ready');
      const sizes = [
        [0, 5],
        [5, 0],
        [-1, 5],
        [5, -1],
        [1.5, 5],
        [65_536, 5],
        [5, 65_536],
        [Number.NaN, 5],
      ] as const;
      for (const [cols, rows] of sizes) {
        const result = await host.client.resize(command.id, cols, rows);
        same(`${cols}x${rows}`, result.ok ? 'done' : result.error.code, 'invalid_arguments');
      }
      await host.client.resize(command.id, 101, 37);
      await command.sees('37 101');
      same('the log', command.log().toString(), 'ready\r\n37 101\r\n');
    },
  },
];
