import { app, type BrowserWindow, dialog, type MessageBoxOptions, powerMonitor } from 'electron';
import type { OnQuit } from '../../shared/model/settings.ts';
import { type AliveCommand, type QuitQuestion, quitQuestion, quitStep } from './quit-policy.ts';
import type { Leaving } from './update-policy.ts';

/** The end of the app takes no longer than this, and of it this much is kept for what must be saved. */
const LIMIT_MS = 5_000;
const SAVING_MS = 1_000;
const LEAVE = 0;
const STOP = 1;
const CANCEL = 2;

export interface QuitOptions {
  readonly window: () => BrowserWindow | null;
  /** What would be left running. */
  readonly alive: () => readonly AliveCommand[];
  readonly remembered: () => OnQuit;
  readonly remember: (answer: OnQuit) => Promise<unknown>;
  /** Stops every live command; resolves when all of them have ended. */
  readonly stopAll: () => Promise<unknown>;
  /** Finishes what must be on the disk before the process ends. */
  readonly close: () => Promise<unknown>;
  /** Ends the process by `app.quit`, with whatever belongs to its very end. */
  readonly exit: (leaving: Leaving) => void;
  readonly log: (line: string) => void;
}

/**
 * The one road out of the app: quit, window close, signal, logout and shutdown. Live commands are asked about, or what
 * was remembered is done; then what is being saved is finished, and the process ends.
 */
export function guardQuit(options: QuitOptions): {
  readonly guardWindow: (window: BrowserWindow) => void;
  /** Takes the same road, to come back as another version. */
  readonly restart: () => void;
} {
  let phase: 'open' | 'asking' | 'leaving' | 'closed' = 'open';
  let isForced = false;
  let restarts = false;

  const leave = async (stops: boolean) => {
    phase = 'leaving';
    const end = performance.now() + LIMIT_MS;
    const { log } = options;
    if (stops) await within(options.stopAll(), LIMIT_MS - SAVING_MS, 'the commands were being stopped', log);
    await within(options.close(), end - performance.now(), 'the chats were being saved', log);
    phase = 'closed';
    options.exit({ isForced, restarts });
  };

  const decide = async () => {
    const alive = options.alive();
    const step = quitStep({ aliveCommands: alive.length, remembered: options.remembered(), isForced });
    if (step !== 'ask') return leave(step === 'stop_and_quit');
    phase = 'asking';
    const { response, checkboxChecked } = await ask(options.window(), quitQuestion(alive));
    if (response === CANCEL) {
      phase = 'open';
      restarts = false;
      return;
    }
    if (checkboxChecked) await options.remember(response === STOP ? 'stop' : 'leave').catch(() => {});
    return leave(response === STOP);
  };

  app.on('before-quit', (event) => {
    if (phase === 'closed') return;
    event.preventDefault();
    if (phase === 'open')
      decide().catch((error: unknown) => options.log(`the app could not quit: ${String(error)}`));
  });
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => {
      isForced = true;
      // A question that is open just now has nobody to answer it any more.
      if (phase === 'asking') phase = 'open';
      app.quit();
    });
  }
  powerMonitor.on('shutdown', () => {
    isForced = true;
    app.quit();
  });
  return {
    restart: () => {
      restarts = true;
      app.quit();
    },
    // Closing the window takes the same road, while there is still a window to ask in. On macOS the app stays.
    guardWindow: (window) => {
      if (process.platform === 'darwin') return;
      window.on('close', (event) => {
        if (phase === 'closed') return;
        event.preventDefault();
        app.quit();
      });
    },
  };
}

function ask(window: BrowserWindow | null, question: QuitQuestion) {
  const box: MessageBoxOptions = {
    type: 'question',
    ...question,
    buttons: ['Leave running', 'Stop all and quit', 'Cancel'],
    defaultId: LEAVE,
    cancelId: CANCEL,
    checkboxLabel: 'Remember my choice',
    noLink: true,
  };
  return window ? dialog.showMessageBox(window, box) : dialog.showMessageBox(box);
}

async function within(
  work: Promise<unknown>,
  limitMs: number,
  what: string,
  log: (line: string) => void,
): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(() => {
      log(`the app ended while ${what}`);
      resolve();
    }, limitMs);
  });
  await Promise.race([work.catch((error: unknown) => log(`while ${what}: ${String(error)}`)), late]);
  clearTimeout(timer);
}
