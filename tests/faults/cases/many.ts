import fs from 'node:fs';
import path from 'node:path';
import { built, hostPid, inParallel } from '../../support/host.ts';
import { ScriptedProvider } from '../../support/supervised.ts';
import { check, type Fault, has, Skipped, same } from '../fault.ts';
import { holdings, rssBytes } from '../measure.ts';
import { runIsolated } from '../program.ts';
import { runToEnd } from '../tools.ts';

export const many: readonly Fault[] = [
  {
    number: 43,
    title: '200 at once: outputs exact, own exit codes, only descriptors 0, 1, 2 inside',
    run: async (bench) => {
      const count = 200;
      const limits = { maxLiveCommands: count, maxLiveCommandsPerSession: count };
      const app = await bench.app(new ScriptedProvider(), limits);
      const gate = path.join(app.host.folder, 'gate');
      const opened = app
        .until('200 at once', () => (app.app.commands.live().length === count ? true : undefined))
        .finally(() => fs.writeFileSync(gate, ''));
      const ends = await Promise.all([
        ...Array.from({ length: count }, async (_, i) => {
          const cmd = `until [ -f ${gate} ]; do sleep 0.3; done; ${built.testkit} state; echo this is ${i}; exit ${i % 256}`;
          const { pieces, end } = await runToEnd(app, { cmd });
          return [pieces.join('').replace(/\nSig\w+:\s+0+/g, ''), end.exit_code];
        }),
        opened,
      ]);
      const expected = Array.from({ length: count }, (_, i) => [`fds 0\nthis is ${i}\n`, i % 256]);
      same('outputs and exit codes', ends.slice(0, count), expected);
    },
  },
  {
    number: 44,
    title: '300 and 2,000 times true: descriptors, threads, memory, zombies flat',
    limitMs: 120_000,
    run: async (bench) => {
      const host = await bench.host();
      const pid = hostPid(host.folder) as number;
      /** What it holds once nothing of the last commands is still being closed. */
      const atRest = (expected?: string) =>
        host.until(`rest${expected === undefined ? '' : ` with ${expected}`}`, () => {
          const held = holdings(pid);
          const isRest = expected === undefined ? held.children === 0 : JSON.stringify(held) === expected;
          return isRest ? JSON.stringify(held) : undefined;
        });
      const first = await atRest();
      const runs = async (count: number) => {
        await inParallel(count, 4, async () => {
          const command = await host.run('true', { tty: false });
          has('the end', await command.exited(), { exitCode: 0 });
          fs.rmSync(command.folder, { recursive: true });
        });
        await atRest(first);
        return rssBytes(pid);
      };
      await runs(300);
      const before = await runs(2_000);
      // The heap has grown to its working size by now.
      const growth = ((await runs(700)) - before) / 1e6;
      check(growth < 16, `memory is flat (+${growth.toFixed(1)} MB over 700)`);
      return `+${growth.toFixed(1)} MB over 700 more`;
    },
  },
  {
    number: 45,
    title: 'no PTY left, EMFILE, EAGAIN: spawn_failed, the rest goes on',
    run: async (bench) => {
      const told = await runIsolated(bench, 'exhaustion', [], ['-m']);
      const { notes = [] } = told as { notes?: string[] };
      if (notes.length === 3) throw new Skipped(notes.join('; '));
      for (const what of ['pty', 'files', 'processes']) {
        const seen = told[what] as Record<string, unknown> | null;
        if (seen === null) continue;
        has(`without ${what}`, seen, { code: 'spawn_failed', isOtherAlive: true, isBackToNormal: true });
      }
      const refused = ['pty', 'files', 'processes'].map((what) => {
        const seen = told[what] as { started: number; errno?: string } | null;
        return seen === null ? `${what}: not tried` : `${seen.errno ?? 'refused'} after ${seen.started}`;
      });
      return [...refused, ...notes].join('; ');
    },
  },
];
