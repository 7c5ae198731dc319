import { type ChildProcess, execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import {
  _electron,
  type ConsoleMessage,
  type ElectronApplication,
  type Page,
  errors as playwrightErrors,
} from '@playwright/test';
import { electronPath } from '../../build/electron-runtime.mjs';
import { versionOfPidFile } from '../../electron/pty-host/host-paths.ts';
import { hostPid } from './host.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const LAUNCH_LIMIT_MS = 20_000;
const QUIT_LIMIT_MS = 5_000;
const HOST_END_LIMIT_MS = 5_000;

export interface LaunchOptions {
  /** Written to settings.json before the start. */
  settings?: object;
  /** The folder of an earlier launch, to start the app on what that one left. */
  userData?: string;
  /** Folder of the app; this clone's by default. */
  root?: string;
  /** Arguments for the app itself. */
  args?: string[];
  env?: Record<string, string>;
  /** A packaged app to start instead of the development build. */
  program?: string;
}

export interface LaunchedApp {
  app: ElectronApplication;
  /** The first window. */
  page: Page;
  userData: string;
  /** Console errors and uncaught errors of every window, each text once. A test of the window expects it empty. */
  errors: string[];
  /** What the main process wrote to its standard output and error. */
  mainOutput(): string;
  /** Ends the app only: its host, commands and folder stay, for another launch with `userData`. */
  quit(): Promise<void>;
  /** Ends the app and its host, and removes the folder. */
  close(): Promise<void>;
}

/** Starts the built app on a user-data folder of its own and waits for its first window. */
export async function launchApp(options: LaunchOptions = {}): Promise<LaunchedApp> {
  const userData = options.userData ?? fs.mkdtempSync(path.join(os.tmpdir(), 'switchyard-'));
  if (options.settings !== undefined)
    fs.writeFileSync(path.join(userData, 'settings.json'), JSON.stringify(options.settings, null, 2));
  const launch = () => launchOnce(userData, options);
  try {
    return await launch().catch(async (error: unknown) => {
      // Playwright's connection to Electron hung in 2 of 80 starts, for a reason not found; all else is a real failure.
      if (!(error instanceof playwrightErrors.TimeoutError)) throw error;
      await endHost(userData);
      return launch();
    });
  } catch (error) {
    await endHost(userData);
    if (options.userData === undefined) fs.rmSync(userData, { recursive: true, force: true });
    throw error;
  }
}

async function launchOnce(
  userData: string,
  { root = ROOT, args = [], env = {}, program }: LaunchOptions,
): Promise<LaunchedApp> {
  const deadline = Date.now() + LAUNCH_LIMIT_MS;
  const app = await _electron.launch({
    executablePath: program ?? electronPath(),
    args: [`--user-data-dir=${userData}`, ...(program === undefined ? [root] : []), ...args],
    cwd: ROOT,
    env: environment(env),
    timeout: LAUNCH_LIMIT_MS,
  });
  const errors: string[] = [];
  const collecting = new Set<Page>();
  const collect = (window: Page) => {
    if (collecting.has(window)) return;
    collecting.add(window);
    void collectErrors(window, errors);
  };
  app.on('window', collect);
  for (const window of app.windows()) collect(window);
  const output: string[] = [];
  app.process().stdout?.on('data', (chunk) => output.push(String(chunk)));
  app.process().stderr?.on('data', (chunk) => output.push(String(chunk)));

  // Taken now: Playwright forgets the process once the app has ended by itself.
  const child = app.process();
  const quit = () => endApp(app, child);
  let page: Page;
  try {
    page = await app.firstWindow({ timeout: Math.max(1, deadline - Date.now()) });
  } catch (error) {
    child.kill('SIGKILL');
    if (error instanceof Error) error.message += `\nThe main process wrote:\n${output.join('')}`;
    throw error;
  }
  return {
    app,
    page,
    userData,
    errors,
    mainOutput: () => output.join(''),
    quit,
    async close() {
      await quit();
      await endHost(userData);
      await fs.promises.rm(userData, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}

/** Adds the window's errors to the list as they come, with those from before anybody could listen. */
async function collectErrors(window: Page, errors: string[]): Promise<void> {
  const add = (text: string) => {
    if (!errors.includes(text)) errors.push(text); // an early one may come as an event and again from the record
  };
  const addMessage = (message: ConsoleMessage) => {
    if (message.type() === 'error') add(`${message.text()} (${message.location().url})`);
  };
  const addError = (error: Error) => add(error.stack ?? error.message);
  window.on('console', addMessage);
  window.on('pageerror', addError);
  try {
    for (const message of await window.consoleMessages({ filter: 'all' })) addMessage(message);
    for (const error of await window.pageErrors({ filter: 'all' })) addError(error);
  } catch {
    // the window was closed meanwhile
  }
}

function environment(extra: Record<string, string>): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) if (value !== undefined) env[name] = value;
  delete env.ELECTRON_RUN_AS_NODE;
  return { ...env, HISTFILE: '/dev/null', ...extra };
}

/** A question in front of quitting may keep the app open: then it is ended without being asked again. */
async function endApp(app: ElectronApplication, child: ChildProcess): Promise<void> {
  const isGone = () => child.exitCode !== null || child.signalCode !== null;
  if (isGone()) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  // Its promise is not waited for: it needs the end of the app's pipes, and a host that inherited them keeps them open.
  app.close().catch(() => {});
  await Promise.race([exited, delay(QUIT_LIMIT_MS)]);
  if (isGone()) return;
  child.kill('SIGKILL');
  await exited;
}

/** Hosts outlive the app on purpose. Only the processes that their own pid files name are ended. */
async function endHost(userData: string): Promise<void> {
  const folder = path.join(userData, 'host');
  const names = await fs.promises.readdir(folder).catch(() => []);
  for (const version of names.flatMap((name) => versionOfPidFile(name) ?? []))
    await endProcess(hostPid(folder, version));
}

async function endProcess(pid: number | null): Promise<void> {
  if (pid === null || !(await isHost(pid))) return;
  process.kill(pid, 'SIGKILL');
  const deadline = Date.now() + HOST_END_LIMIT_MS;
  while (await isHost(pid)) {
    if (Date.now() > deadline) throw new Error(`The pty host ${pid} is still there after SIGKILL.`);
    await delay(20);
  }
}

async function isHost(pid: number): Promise<boolean> {
  const commandLine = fs.existsSync('/proc/self')
    ? await readText(`/proc/${pid}/cmdline`) // empty for a zombie
    : await promisify(execFile)('ps', ['-o', 'command=', '-p', String(pid)]).then(
        ({ stdout }) => stdout,
        () => '',
      );
  return /pty-host|switchyard-pty/.test(commandLine); // its script, or the title that it gives itself
}

async function readText(file: string): Promise<string> {
  return fs.promises.readFile(file, 'utf8').catch(() => '');
}
