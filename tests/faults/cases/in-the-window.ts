import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from '@playwright/test';
import { isAlive, isLive } from '../../../renderer/features/commands/state-words.ts';
import type { CommandView } from '../../../shared/model/command.ts';
import { makeGate } from '../../support/gate.ts';
import { connect, hostPid, startTime, until } from '../../support/host.ts';
import { regions, SHORT_LIMITS, send, snapshot, terminalText } from '../../support/window.ts';
import type { AppWindow } from '../../support/window-over-cdp.ts';
import { XDisplay } from '../../support/x-display.ts';
import { type Bench, check, type Fault, Skipped, same } from '../fault.ts';
import { marked } from '../marked.ts';
import { busyPart, ownChildren, schedule } from '../measure.ts';

/** Sends a message and resolves with the command that it starts, once its output is seen in its pane. */
async function startCommand(page: Page, text: string, cmd: string, seen: string): Promise<CommandView> {
  await send(page, text);
  const command = await until(`the start of ${cmd}`, async () =>
    (await snapshot(page)).commands.find((one) => one.cmd === cmd && isLive(one)),
  );
  await until(`"${seen}" in the pane`, async () =>
    (await terminalText(page, command.id)).includes(seen) ? true : undefined,
  );
  return command;
}

const gateOf = (bench: Bench) => {
  const gate = makeGate();
  bench.onEnd(() => gate.release());
  return gate;
};

const stateOf = async (page: Page, id: string) =>
  (await snapshot(page)).commands.find((command) => command.id === id);

/** Resolves once the row of the command shows these words. */
const rowShows = (page: Page, cmd: string, words: string) =>
  regions(page).jobs.getByRole('row', { name: cmd }).getByText(words, { exact: true }).first().waitFor();

const noticeIsShown = (page: Page, text: string | RegExp) =>
  page.getByRole('alert').filter({ hasText: text }).first().waitFor();

/** Processes of commands of the app that the window does not show as alive. */
async function unlisted(it: AppWindow): Promise<unknown[]> {
  const { commands } = await snapshot(it.page);
  const alive = new Set<string>(commands.filter(isAlive).map(({ id }) => id));
  const ours = new Set(fs.readdirSync(path.join(it.hostFolder, 'commands')));
  return [...marked()].filter(([id]) => ours.has(id) && !alive.has(id));
}

export const inTheWindow: readonly Fault[] = [
  {
    number: 29,
    title:
      'yes in four panes for 60 s: p99 lag of the window, without its wait for a core, under 50 ms; gone after Stop in 200 ms (median)',
    limitMs: 150_000,
    run: async (bench) => {
      const it = await bench.window({ settings: { theme: 'dark' } });
      const { page } = it;
      const busy = await busyPart(3_000);
      const commands: CommandView[] = [];
      for (let i = 1; i <= 4; i++)
        commands.push(await startCommand(page, `yes ${i}`, `yes ${i}`, `${i}\n${i}\n${i}`));
      const before = (await snapshot(page)).commands.map(({ outputBytes }) => outputBytes);
      // Waiting for a core, which four floods fight for, is no work of the page.
      const renderer = it.rendererPid();
      const from = schedule(renderer);
      const lags = await lagsOf(page, 60_000);
      const { ranMs, waitedMs } = schedule(renderer);
      const waited = (waitedMs - from.waitedMs) / (waitedMs - from.waitedMs + ranMs - from.ranMs);
      const after = (await snapshot(page)).commands.map(({ outputBytes }) => outputBytes);
      for (const [i, bytes] of after.entries())
        check(bytes - (before[i] ?? 0) > 10e6, `flood ${i + 1} went on (${bytes - (before[i] ?? 0)} bytes)`);
      const p99 = nth(lags, 0.99);
      const ownMs = p99 * (1 - waited);
      const stops: { goneMs: number; toldMs: number }[] = [];
      for (const command of commands) stops.push(await stopFromPage(page, command));
      const [gone, told] = [stops.map(({ goneMs }) => goneMs), stops.map(({ toldMs }) => toldMs)];
      const list = (times: number[]) => times.map((ms) => ms.toFixed(0)).join(', ');
      const note =
        `lag p99 ${p99.toFixed(0)} ms, ${ownMs.toFixed(0)} of it the page's own, which waited for a core for ` +
        `${(100 * waited).toFixed(0)} % of its time; gone after ${list(gone)} ms, told after ${list(told)}`;
      // The median: one Stop among four floods on two cores says little. News comes when the end is on the disk.
      const isInTime = ownMs < 50 && nth(gone, 0.5) < 200 && nth(told, 0.5) < 400;
      if (!isInTime && busy > BUSY_MAX)
        throw new Skipped(
          `times cannot be judged, ${(100 * busy).toFixed(0)} % of the machine was in use before it began (${note})`,
        );
      check(
        isInTime,
        `the window's p99 lag is under 50 ms, and what is stopped is gone within 200 and told within 400 (${note})`,
      );
      return note;
    },
  },
  {
    number: 46,
    title: 'SIGKILL of window, main, host in turn: the truth on screen within 10 s, nothing alive unlisted',
    run: async (bench) => {
      const userData = bench.folder();
      const settings = { theme: 'dark', limits: SHORT_LIMITS };
      let it = await bench.window({ userData, settings });
      const ended = 'echo before; exit 3';
      await send(it.page, ended);
      await rowShows(it.page, ended, 'Exited 3');
      const cmd = 'setsid sleep 600 & echo yard-$((1+1)); while :; do sleep 0.1; done';
      const { id, pid } = await startCommand(it.page, cmd, cmd, 'yard-2');
      const took: string[] = [];
      /** What the window shows in the end, and how long that takes from the kill on. */
      const isTrue = async (what: string, began: number, words: string, state: string) => {
        await rowShows(it.page, cmd, words);
        await rowShows(it.page, ended, 'Exited 3');
        const ms = performance.now() - began;
        check(ms < 10_000, `${what}: the truth within 10 s (${ms.toFixed(0)} ms)`);
        same(`${what}: the state`, (await stateOf(it.page, id))?.state, state);
        same(`${what}: alive and not shown`, await unlisted(it), []);
        took.push(`${what} ${ms.toFixed(0)} ms`);
      };
      await rowShows(it.page, cmd, 'In background');

      const renderer = it.rendererPid();
      let began = performance.now();
      process.kill(renderer, 'SIGKILL');
      await until('another renderer', () => (it.findRenderer(renderer) !== null ? true : undefined));
      await it.connect();
      await isTrue('window', began, 'In background', 'running');
      await noticeIsShown(it.page, 'The window failed and was loaded again.');
      check(startTime(pid ?? 0) !== null, 'the command lives through the death of the window');
      await until('its output in the new page', async () =>
        (await terminalText(it.page, id)).includes('yard-2') ? true : undefined,
      );

      began = performance.now();
      await it.kill();
      it = await bench.window({ userData });
      await isTrue('main', began, 'In background', 'running');
      check(startTime(pid ?? 0) !== null, 'the command lives through the death of main');

      began = performance.now();
      process.kill(hostPid(it.hostFolder) ?? 0, 'SIGKILL');
      await isTrue('host', began, 'Lost', 'lost');
      await noticeIsShown(it.page, 'Terminals can be started again.');
      same('alive of the lost command', marked().get(id) ?? [], []);
      const again = 'echo again-$((2+2)); sleep 600';
      await startCommand(it.page, again, again, 'again-4');
      return took.join(', ');
    },
  },
  {
    number: 50,
    title: 'two app instances: one owner; of hosts that start at once on what a dead one left too',
    run: async (bench) => {
      await hostsRace(bench);
      const userData = bench.folder();
      // Started in the same moment: one of them is the app.
      const both = [bench.launch({ userData }), bench.launch({ userData })] as const;
      const first = await until('the end of one of them', () => both.find((one) => one.hasEnded));
      const owner = both.find((one) => one !== first) as AppWindow;
      same('how the other one ended', await first.ended, { code: 0, signal: null });
      await owner.connect();
      const cmd = 'echo mine-$((1+1)); sleep 600';
      const { id } = await startCommand(owner.page, cmd, cmd, 'mine-2');
      const host = hostPid(owner.hostFolder);
      const processes = marked().get(id);
      // Started later: it goes away, and disturbs nothing.
      for (let i = 0; i < 2; i++) {
        const late = bench.launch({ userData });
        same('how a late one ended', await late.end(), { code: 0, signal: null });
      }
      check(!owner.hasEnded, 'the first one lives');
      same('the host', hostPid(owner.hostFolder), host);
      same('the command', (await stateOf(owner.page, id))?.state, 'running');
      same('processes of the command', marked().get(id), processes);
      const next = 'echo still-$((1+1)); sleep 600';
      await startCommand(owner.page, next, next, 'still-2');
    },
  },
  {
    number: 51,
    title: 'quit with keep, with stop, by signal: as chosen',
    run: async (bench) => {
      const display = await displayOf(bench);
      const closeByHand = async () => display.askToClose((await ownWindow(display)).id);
      const userData = bench.folder();
      const open = (onQuit: string) => bench.window({ userData, settings: { theme: 'dark', onQuit } });
      const start = (it: AppWindow, n: number) => {
        const cmd = `echo quit-$((${n}+0)); setsid sleep 600 & while :; do sleep 0.1; done`;
        return startCommand(it.page, cmd, cmd, `quit-${n}`);
      };
      const runsOn = async (what: string, id: string, pid: number | null, next: AppWindow) => {
        check(startTime(pid ?? 0) !== null, `${what}: the command lives`);
        same(`${what}: its state`, (await stateOf(next.page, id))?.state, 'running');
        await noticeIsShown(next.page, /ran on while Switchyard was closed/);
      };
      const isStopped = async (what: string, id: string, next: AppWindow) => {
        const { state, by } = (await stateOf(next.page, id)) ?? {};
        same(`${what}: its end`, { state, by }, { state: 'stopped', by: 'quit' });
      };
      const quits = { code: 0, signal: null };

      // By hand: nobody is asked, the remembered answer counts.
      let it = await open('leave');
      const kept = await start(it, 1);
      await closeByHand();
      same('keep: the end', await it.end(), quits);
      it = await open('stop');
      await runsOn('keep', kept.id, kept.pid, it);
      const stopped = await start(it, 2);
      await closeByHand();
      same('stop: the end', await it.end(), quits);
      for (const { id } of [kept, stopped]) same('stop: alive', marked().get(id) ?? [], []);
      it = await open('ask');
      for (const { id } of [kept, stopped]) await isStopped('stop', id, it);

      // A signal asks nobody either: they run on, unless they are to be stopped.
      const signalled = await start(it, 3);
      it.child.kill('SIGTERM');
      same('signal: the end', await it.end(), quits);
      it = await open('stop');
      await runsOn('signal', signalled.id, signalled.pid, it);
      it.child.kill('SIGTERM');
      same('signal with stop: the end', await it.end(), quits);
      same('signal with stop: alive', marked().get(signalled.id) ?? [], []);
      it = await open('leave');
      await isStopped('signal with stop', signalled.id, it);
      return 'an update quits on the road of a quit by hand; tests/e2e/update.spec.ts plays a job over one';
    },
  },
  {
    number: 57,
    title: 'an end while a dialog is open, or the window is hidden: the chat goes on',
    run: async (bench) => {
      const display = await displayOf(bench);
      const it = await bench.window({ settings: { theme: 'dark', limits: SHORT_LIMITS } });
      const { page } = it;
      let resumed = 0;
      /** A job that ends in this situation, and a second line of the message that only the woken chat begins. */
      const goesOn = async (what: string, begin: () => Promise<unknown>, end: () => Promise<unknown>) => {
        const gate = gateOf(bench);
        const file = path.join(bench.folder(), 'woken');
        await send(page, `echo job; ${gate.loop}; exit 7\ntouch ${file}`);
        await regions(page)
          .chat.getByRole('status')
          .filter({ hasText: /^Suspended\./ })
          .waitFor();
        await begin();
        gate.open();
        await until(`the chat to go on: ${what}`, () => (fs.existsSync(file) ? true : undefined));
        await end();
        resumed++;
        await until(`the truth on the screen: ${what}`, async () => {
          const count = await regions(page)
            .chat.getByText(/^Resumed: /)
            .count();
          return count === resumed ? true : undefined;
        });
      };
      const shown = async () =>
        (await display.windows()).filter(({ isShown }) => isShown).map(({ id }) => id);
      /** A dialog that is really on the screen, until the chat has gone on. */
      const dialog = (open: () => Promise<unknown>) => {
        let ids: number[] = [];
        return [
          async () => {
            const before = await shown();
            await open();
            ids = await until('the dialog', async () => {
              const more = (await shown()).filter((id) => !before.includes(id));
              return more.length > 0 ? more : undefined;
            });
          },
          async () => {
            const still = await shown();
            check(
              ids.some((id) => still.includes(id)),
              'the dialog was open all the time',
            );
            for (const id of ids) await display.askToClose(id);
            await until('the end of the dialog', async () =>
              (await shown()).some((id) => ids.includes(id)) ? undefined : true,
            );
          },
        ] as const;
      };
      const own = await ownWindow(display);

      const devtools = await page.context().newCDPSession(page);
      const freeze = (state: 'frozen' | 'active') => devtools.send('Page.setWebLifecycleState', { state });
      await goesOn(
        'hidden',
        async () => {
          await display.show(own.id, false);
          await freeze('frozen');
        },
        async () => {
          await freeze('active');
          await display.show(own.id, true);
        },
      );
      const choose = async () => {
        page.evaluate(() => window.switchyard.invoke('workspace.choose', {})).catch(() => {});
      };
      await goesOn('a folder is chosen', ...dialog(choose));
      await goesOn('asked about quitting', ...dialog(() => display.askToClose(own.id)));
      check(!it.hasEnded, 'a question that was dismissed leaves the app open');
      return 'a locked screen is nothing to the app: it listens to no such event';
    },
  },
  {
    number: 60,
    title: 'started with a bare PATH: the login environment is found',
    run: async (bench) => {
      const home = homeWith(
        bench,
        'export PATH="$HOME/tools:$PATH" GREETING="from the login shell"\nexport SEEN_BY=bash_profile',
      );
      const tools = path.join(home, 'tools');
      fs.mkdirSync(tools);
      fs.writeFileSync(path.join(tools, 'yard-tool'), '#!/bin/sh\necho "$GREETING, $SEEN_BY, $TERM"\n', {
        mode: 0o755,
      });
      const it = await bench.window({ env: bareEnvironment(home) });
      const cmd = 'yard-tool; sleep 600';
      await startCommand(it.page, cmd, cmd, 'from the login shell, bash_profile, xterm-256color');
    },
  },
  {
    number: 61,
    title: 'a login script that never ends: commands start within 5 s with a notice',
    run: async (bench) => {
      const home = homeWith(bench, 'echo $$ > "$HOME/pid"; while :; do sleep 0.1; done');
      const it = await bench.window({ env: bareEnvironment(home) });
      const sentAt = Date.now();
      const cmd = 'echo up-$((1+1)); sleep 600';
      const ms = (await startCommand(it.page, cmd, cmd, 'up-2')).startedAt - sentAt;
      check(ms < 5_000, `it starts within 5 s (${ms} ms)`);
      await noticeIsShown(it.page, 'did not tell its environment within 5 s');
      const pid = Number(fs.readFileSync(path.join(home, 'pid'), 'utf8'));
      check(startTime(pid) === null, 'the login shell is gone');
      return `${ms} ms`;
    },
  },
];

/** Clients that start a host each, in the same moment, where one was killed: they end up at one, and only that one lives. */
async function hostsRace(bench: Bench): Promise<void> {
  const first = await bench.host();
  const { folder } = first;
  let last = first.client.hostPid;
  for (let round = 0; round < 3; round++) {
    process.kill(last, 'SIGKILL');
    await until('the end of the host', () => (startTime(last) === null ? true : undefined));
    const before = new Set(ownChildren());
    const clients = await Promise.all(Array.from({ length: 6 }, () => connect(folder)));
    bench.onEnd(() => {
      for (const client of clients) client.dispose();
    });
    same('hosts that were found', new Set(clients.map((client) => client.hostPid)).size, 1);
    last = clients[0]?.hostPid ?? 0;
    await until('one host alone', () => {
      const hosts = ownChildren().filter((pid) => !before.has(pid));
      return hosts.length === 1 && hosts[0] === last ? true : undefined;
    });
    const spec = first.spec('exec sleep 600', { stopGraceMs: 0 });
    same('a start', (await clients[0]?.spawn(spec))?.ok, true);
    for (const client of clients) {
      const listed = await client.list();
      const lives = listed.ok && listed.value.some(({ id, exit }) => id === spec.id && exit === null);
      check(lives, `each client has the command that one of them started (round ${round})`);
    }
  }
}

/** The X server that the windows are on, for what only a window manager does. */
async function displayOf(bench: Bench): Promise<XDisplay> {
  const display = await XDisplay.connect();
  if (display === null) throw new Skipped('no X server, on which windows could be seen, hidden and closed');
  bench.onEnd(() => display.close());
  return display;
}

const ownWindow = (display: XDisplay) =>
  until('the window', async () =>
    (await display.windows()).find((window) => window.isShown && window.name === 'Switchyard'),
  );

/** A home folder whose login shell reads this. */
function homeWith(bench: Bench, profile: string): string {
  if (!fs.existsSync('/bin/bash')) throw new Skipped('there is no bash');
  const home = bench.folder();
  fs.writeFileSync(path.join(home, '.bash_profile'), `${profile}\n`);
  return home;
}

/** What a program gets that a desktop starts. */
const bareEnvironment = (home: string) => ({ HOME: home, SHELL: '/bin/bash', PATH: '/usr/bin:/bin' });

/** With more than this of the cores in use by others, four floods and a window show what the machine can do, and not we. */
const BUSY_MAX = 0.25;

/** How late the page's timers are, each 20 ms over this time. */
function lagsOf(page: Page, ms: number): Promise<number[]> {
  return page.evaluate(
    (limit) =>
      new Promise<number[]>((resolve) => {
        const seen: number[] = [];
        const every = 20;
        const end = performance.now() + limit;
        let due = performance.now() + every;
        const tick = () => {
          const now = performance.now();
          seen.push(now - due);
          if (now > end) return resolve(seen);
          due = now + every;
          setTimeout(tick, every);
        };
        setTimeout(tick, every);
      }),
    ms,
  );
}

const nth = (values: readonly number[], part: number) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] ??
  Number.NaN;

/** Milliseconds from the call in the page to the death of the process, and to the news of the end in the page. */
async function stopFromPage(
  page: Page,
  { id, pid }: CommandView,
): Promise<{ goneMs: number; toldMs: number }> {
  const began = performance.now();
  const told = page.evaluate(async (commandId) => {
    const ended = new Promise<void>((resolve) => {
      const leave = window.switchyard.subscribe(({ event }) => {
        if (event.type !== 'command.terminal' || event.command.id !== commandId) return;
        leave();
        resolve();
      });
    });
    await window.switchyard.invoke('command.stop', { commandId });
    await ended;
  }, id);
  while (pid !== null && startTime(pid) !== null) await sleep(2);
  const goneMs = performance.now() - began;
  await told;
  return { goneMs, toldMs: performance.now() - began };
}
