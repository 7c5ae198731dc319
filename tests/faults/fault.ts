import type { Provider } from '../../electron/agent/provider.ts';
import type { Limits } from '../../shared/limits.ts';
import { endHost, removeFolder, TestHost, type TestHostOptions, temporaryFolder } from '../support/host.ts';
import { type ScriptedProvider, type Supervised, supervise } from '../support/supervised.ts';
import { AppWindow, canOpenWindows, type WindowOptions } from '../support/window-over-cdp.ts';

/** One fault of the list, played for real. */
export interface Fault {
  readonly number: number;
  /** What must be seen. */
  readonly title: string;
  /** A case that takes longer has hung. */
  readonly limitMs?: number;
  /** Throws when something else is seen. A text that it resolves with is told behind the title. */
  run(bench: Bench): Promise<unknown>;
}

/** A case cannot be played on this machine. */
export class Skipped extends Error {}

/** What a case needs, and the way back: everything that was taken from here is given back when the case ends. */
export class Bench {
  readonly #undo: (() => unknown)[] = [];

  onEnd(undo: () => unknown): void {
    this.#undo.unshift(undo);
  }

  async host(options: TestHostOptions = {}): Promise<TestHost> {
    const host = await TestHost.start(options);
    this.onEnd(() => host.close());
    return host;
  }

  async app<P extends Provider = ScriptedProvider>(
    provider: P,
    limits: Partial<Limits> = {},
    folder?: string,
  ): Promise<Supervised<P>> {
    const app = await supervise(provider, limits, folder);
    this.onEnd(() => app.close());
    return app;
  }

  /** The app with its window, on a folder of its own unless one is named. It and its host end with the case. */
  async window(options: Partial<WindowOptions> = {}): Promise<AppWindow> {
    const window = this.launch(options);
    await window.connect();
    return window;
  }

  /** The same, without waiting for the window. */
  launch(options: Partial<WindowOptions> = {}): AppWindow {
    if (!canOpenWindows()) throw new Skipped('there is no display to open a window on');
    const window = AppWindow.launch({ ...options, userData: options.userData ?? this.folder() });
    this.onEnd(async () => {
      await window.kill();
      endHost(window.hostFolder);
    });
    return window;
  }

  folder(): string {
    const folder = temporaryFolder('fault');
    this.onEnd(() => removeFolder(folder));
    return folder;
  }

  /** Gives everything back, also when some of it fails; then rejects with the first failure. */
  async close(): Promise<void> {
    const failures: unknown[] = [];
    for (const undo of this.#undo.splice(0)) {
      try {
        await undo();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}

/** Throws, saying what was to be seen, unless it is so. */
export function check(isSo: boolean, what: string): asserts isSo {
  if (!isSo) throw new Error(`not so: ${what}`);
}

/** Throws, saying both, unless the JSON of the two is the same. */
export function same(what: string, seen: unknown, expected: unknown): void {
  const [a, b] = [seen, expected].map((value) => JSON.stringify(value) ?? 'undefined');
  if (a !== b) throw new Error(`${what}: ${a?.slice(0, 300)} instead of ${b?.slice(0, 300)}`);
}

/** Throws, saying what was seen, unless `seen` holds each of these values. */
export function has(what: string, seen: object, expected: Readonly<Record<string, unknown>>): void {
  const picked = Object.fromEntries(
    Object.keys(expected).map((key) => [key, (seen as Record<string, unknown>)[key] ?? null]),
  );
  same(what, picked, expected);
}
