/** Starts a packaged app, as somebody, and drives its window over Chromium's debugging port: a hardened build has no other. */
import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { type Browser, chromium, expect, type Page } from '@playwright/test';
import { makeGate } from '../tests/support/gate.ts';
import { card, findCommand, regions, SHORT_LIMITS, send, terminalText } from '../tests/support/window.ts';

const START_WITHIN_MS = 30_000;
const HANDOFF_WITHIN_MS = 30_000;
const QUIT_WITHIN_MS = 15_000;

/** For whom the app runs. */
export interface Person {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  readonly home: string;
}

export interface RunningApp {
  readonly page: Page;
  readonly process: ChildProcess;
  /** The folder with its data. */
  readonly data: string;
  /** Closes the window, as a person does, and gives the exit code. */
  quit(): Promise<number | null>;
  /** Ends it in any case. */
  end(): Promise<void>;
}

/** Chromium's sandbox does not work for root; for anybody else it stays on. */
const isRoot = ({ uid }: Person): boolean => uid === 0;

/** Where the app keeps a person's data if nobody tells it. On other systems than Linux it is told. */
export const dataOf = ({ home }: Person): string => path.join(home, '.config/Switchyard');

/** Starts the program with shortened limits and waits for its window. */
export async function startApp(program: string, person: Person): Promise<RunningApp> {
  const data = dataOf(person);
  fs.mkdirSync(data, { recursive: true });
  fs.writeFileSync(
    path.join(data, 'settings.json'),
    JSON.stringify({ theme: 'dark', limits: SHORT_LIMITS }, null, 2),
  );
  for (const folder of [path.dirname(data), data, path.join(data, 'settings.json')])
    if (process.getuid?.() === 0) fs.chownSync(folder, person.uid, person.gid);
  const child = spawn(program, ['--remote-debugging-port=0', ...(isRoot(person) ? ['--no-sandbox'] : [])], {
    cwd: person.home,
    env: environmentOf(person),
    stdio: ['ignore', 'ignore', 'pipe'],
    ...(process.getuid?.() === 0 && !isRoot(person) && { uid: person.uid, gid: person.gid }),
  });
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const end = async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await exited;
  };
  try {
    const browser = await chromium.connectOverCDP(await debuggingAddress(child));
    const page = await firstPage(browser);
    await page.waitForLoadState();
    await expect(regions(page).chat).toBeVisible({ timeout: START_WITHIN_MS });
    await page.setViewportSize({ width: 1440, height: 900 });
    return {
      page,
      process: child,
      data,
      end,
      async quit() {
        // Not waited for: the answer cannot come back from a page that is gone.
        page.evaluate(() => window.close()).catch(() => {});
        return within(exited, QUIT_WITHIN_MS, 'the app ends when its window is closed');
      },
    };
  } catch (error) {
    await end();
    throw error;
  }
}

/** The main job: live output, the handoff, a free chat meanwhile, one wake with the truth. */
export async function playMainJob(
  { page }: RunningApp,
  whileAsleep: (pid: number) => Promise<void>,
): Promise<void> {
  const gate = makeGate();
  fs.chmodSync(path.dirname(gate.file), 0o755); // the command may run as another user
  try {
    const { chat, jobs } = regions(page);
    const cmd = `echo live-$((40+2)); ${gate.loop}; printf background-finished; exit 7`;
    const find = () => findCommand(page, (command) => command.cmd === cmd);
    await send(page, cmd);
    await expect(card(page, /^Command: echo live-/)).toBeVisible();
    await expect.poll(async () => terminalText(page, (await find()).command.id)).toContain('live-42');
    const banner = chat.getByRole('status').filter({ hasText: /^Suspended\./ });
    await expect(banner).toBeVisible({ timeout: HANDOFF_WITHIN_MS });
    const { command } = await find();
    if (command.pid === null) throw new Error('The command has no process id.');
    await whileAsleep(command.pid);

    // Nothing of the app's own reaches a command.
    await send(page, 'env | grep -cE "^(ELECTRON_|CHROME_|NODE_OPTIONS|NODE_ENV|npm_|APPDIR|APPIMAGE)"');
    await expect(
      chat
        .getByRole('log')
        .getByText(/exited 1/)
        .last(),
    ).toBeVisible();
    await expect(banner).toBeVisible();

    gate.open();
    await expect(chat.getByText(/^Resumed: /)).toHaveCount(1);
    await expect(chat.getByRole('log').getByText('background-finished').last()).toBeVisible();
    await expect(jobs.getByText('Exited 7').first()).toBeVisible();
    await expect.poll(async () => (await find()).session.status).toBe('idle');
  } finally {
    gate.open();
    gate.release();
  }
}

/** One command, and its exit. */
export async function playOneCommand({ page }: RunningApp): Promise<void> {
  if (process.platform === 'win32') {
    await send(page, 'echo packed-169');
    await expect(regions(page).chat.locator('pre', { hasText: 'packed-169' }).first()).toBeVisible();
    return;
  }
  await send(page, 'echo packed-$((13*13)); exit 3');
  await expect(regions(page).chat.getByText('packed-169').first()).toBeVisible();
  await expect(regions(page).jobs.getByText('Exited 3').first()).toBeVisible();
}

/** Waits until a condition holds. */
export async function until(what: string, holds: () => boolean, limitMs: number): Promise<void> {
  await expect.poll(holds, { message: what, timeout: limitMs, intervals: [50] }).toBe(true);
}

function environmentOf({ name, home }: Person): NodeJS.ProcessEnv {
  if (process.platform !== 'linux') return process.env;
  const { DISPLAY = '', PATH = '', XAUTHORITY } = process.env;
  const env = { HOME: home, USER: name, LOGNAME: name, SHELL: '/bin/bash', LANG: 'C.UTF-8', DISPLAY, PATH };
  if (!XAUTHORITY) return env;
  // Ours lies in a folder of ours, and the other person must read it.
  const copy = path.join(home, '.Xauthority');
  fs.copyFileSync(XAUTHORITY, copy);
  if (process.getuid?.() === 0) {
    const { uid, gid } = fs.statSync(home);
    fs.chownSync(copy, uid, gid);
  }
  return { ...env, XAUTHORITY: copy };
}

function debuggingAddress(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    const fail = (why: string) => reject(new Error(`The app ${why}. It wrote:\n${said.trim()}`));
    const timer = setTimeout(() => fail('opened no debugging port'), START_WITHIN_MS);
    child.stderr?.on('data', (chunk) => {
      said += chunk;
      const [, address] = /^DevTools listening on (ws:\S+)/m.exec(said) ?? [];
      if (address === undefined) return;
      clearTimeout(timer);
      resolve(address);
    });
    child.once('error', (error) => fail(`could not be started: ${error.message}`));
    child.once('exit', (code, signal) => fail(`ended with ${code ?? signal}`));
  });
}

async function firstPage(browser: Browser): Promise<Page> {
  const [context] = browser.contexts();
  if (context === undefined) throw new Error('The app has no browser context.');
  return context.pages()[0] ?? context.waitForEvent('page', { timeout: START_WITHIN_MS });
}

async function within<T>(work: Promise<T>, limitMs: number, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Not within ${limitMs / 1000} s: ${what}.`)), limitMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
