import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Browser, chromium, type Page } from '@playwright/test';
import { rootFlags } from '../../build/electron-runtime.mjs';
import { hasDisplay } from '../../build/with-display.mjs';
import { built } from './built.ts';
import { until } from './host.ts';

const START_MS = 20_000;
const END_MS = 10_000;

export interface WindowOptions {
  /** An own one for each case; a second start on it takes up what the first left. */
  readonly userData: string;
  /** Written to settings.json before the start. */
  readonly settings?: object;
  /** Added to the environment, or with undefined taken out of it. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Whether a window can be opened here at all. */
export const canOpenWindows = hasDisplay;

/**
 * The app's window, driven over Chromium's own debugging port: so it is the very same for a development build and for a
 * hardened one, whose inspect fuse is off. The app is an ordinary process that nobody debugs.
 */
export class AppWindow {
  readonly userData: string;
  readonly child: ChildProcess;
  /** Resolves when the app's main process has ended. */
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  readonly #output: string[] = [];
  #endpoint = '';
  #browser: Browser | null = null;
  #page: Page | null = null;

  private constructor({ userData, settings, env = {} }: WindowOptions) {
    this.userData = userData;
    if (settings !== undefined)
      fs.writeFileSync(path.join(userData, 'settings.json'), JSON.stringify(settings, null, 2));
    const [program, ...args] = built.window();
    this.child = spawn(
      program,
      [...rootFlags, '--remote-debugging-port=0', `--user-data-dir=${userData}`, ...args],
      {
        cwd: '/',
        env: { ...withoutElectron(process.env), HISTFILE: '/dev/null', ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.on('data', (chunk) => this.#output.push(String(chunk)));
    this.ended = new Promise((resolve) =>
      this.child.once('exit', (code, signal) => resolve({ code, signal })),
    );
  }

  /** Starts the app only; `connect` waits for its window. */
  static launch(options: WindowOptions): AppWindow {
    return new AppWindow(options);
  }

  /** Waits for the page, and takes it; again after its renderer was replaced. */
  async connect(): Promise<Page> {
    const limit = AbortSignal.timeout(START_MS);
    await this.#disconnect();
    this.#endpoint ||= await this.#findEndpoint(limit);
    this.#browser = await chromium.connectOverCDP(this.#endpoint, { timeout: START_MS });
    const [context] = this.#browser.contexts();
    if (context === undefined) throw new Error('the app shows no browser context');
    const isOurs = (page: Page) => page.url().startsWith('app://');
    const page = context.pages().find(isOurs) ?? (await context.waitForEvent('page', { predicate: isOurs }));
    await page.waitForFunction(() => 'switchyardTest' in window, null, { timeout: START_MS });
    this.#page = page;
    return page;
  }

  get page(): Page {
    if (this.#page === null) throw new Error('the window is not connected');
    return this.#page;
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** The folder of its host. */
  get hostFolder(): string {
    return path.join(this.userData, 'host');
  }

  /** What the app wrote to its standard output and error. */
  get output(): string {
    return this.#output.join('');
  }

  /** The process that draws the page; `other` is none of it any more. Null when there is none. */
  findRenderer(other = 0): number | null {
    const pids = fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== other);
    const found = pids.find((pid) => {
      try {
        const line = fs.readFileSync(`/proc/${pid}/cmdline`, 'latin1');
        return line.includes('--type=renderer') && line.includes(this.userData);
      } catch {
        return false; // it has just ended
      }
    });
    return found === undefined ? null : Number(found);
  }

  rendererPid(): number {
    const pid = this.findRenderer();
    if (pid === null) throw new Error('nothing draws the page');
    return pid;
  }

  /** Rejects when the app is still there after a while. */
  async end(): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
    const late = new AbortController();
    try {
      return await Promise.race([
        this.ended,
        sleep(END_MS, null, { signal: late.signal }).then(() => {
          throw new Error('the app did not end');
        }),
      ]);
    } finally {
      late.abort();
      await this.#disconnect();
    }
  }

  /** Ends the app as a crash does. Its host and commands are left. */
  async kill(): Promise<void> {
    if (!this.hasEnded) this.child.kill('SIGKILL');
    await this.ended;
    await this.#disconnect();
  }

  async #disconnect(): Promise<void> {
    const browser = this.#browser;
    this.#browser = null;
    this.#page = null;
    // With a dead renderer or app an answer may never come.
    await Promise.race([browser?.close().catch(() => {}), sleep(1_000, null, { ref: false })]);
  }

  async #findEndpoint(limit: AbortSignal): Promise<string> {
    return until('the debugging port of the app', () => {
      if (this.hasEnded) throw new Error(`the app ended at its start: ${this.output.slice(-400)}`);
      if (limit.aborted) throw new Error(`the app has no window: ${this.output.slice(-400)}`);
      // Not from DevToolsActivePort: another instance that starts on the folder writes that file too.
      return /^DevTools listening on (ws:\S+)/m.exec(this.output)?.[1];
    });
  }
}

function withoutElectron(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !/^(ELECTRON_RUN_AS_NODE|NODE_OPTIONS)$/.test(name)),
  );
}
