import { app, type BrowserWindow, dialog } from 'electron';
import { reviveStep } from './revival-policy.ts';

export interface RevivalOptions {
  /** Loads the page again. */
  readonly load: () => void;
  /** Tells the person, in the page that is loaded next. */
  readonly report: (message: string) => void;
  readonly log: (line: string) => void;
}

/**
 * Loads the page again when its process dies. Nothing but pixels is lost by that: what is true is in main and in the
 * host. A page that dies again and again is not loaded again unasked.
 */
export function revivePage(window: BrowserWindow, { load, report, log }: RevivalOptions): void {
  const deaths: number[] = [];
  window.webContents.on('render-process-gone', (_event, { reason, exitCode }) => {
    log(`the window's process is gone: ${reason}, ${exitCode}`);
    if (reason === 'clean-exit' || window.isDestroyed()) return;
    deaths.push(performance.now());
    const again = () => {
      if (window.isDestroyed()) return;
      report('The window failed and was loaded again. Commands and chats were not touched.');
      load();
    };
    if (reviveStep(deaths) === 'load') again();
    else ask(window, again).catch((error: unknown) => log(`nobody could be asked: ${String(error)}`));
  });
}

async function ask(window: BrowserWindow, again: () => void): Promise<void> {
  const { response } = await dialog.showMessageBox(window, {
    type: 'error',
    message: 'The window fails again and again',
    detail: 'Commands run on, and the chats are kept. The log of the app says more.',
    buttons: ['Load it again', 'Quit'],
    defaultId: 0,
    cancelId: 0,
    noLink: true,
  });
  if (response === 0) again();
  else app.quit();
}
