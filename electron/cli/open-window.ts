import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { callersOwn } from '../supervisor/command-environment.ts';
import { say } from './say.ts';

const USAGE_STATUS = 2;
/** A start that fails does so within this, and then it is told. One that hands over to an open window ends well. */
const FAILS_WITHIN_MS = 600;

export interface OpenOptions {
  /** As it was written; null: none. */
  readonly folder: string | null;
  readonly isNew: boolean;
  /** Another data folder than the app's own; null: that one. */
  readonly data: string | null;
  /** The app: the folder or the archive of its package.json. */
  readonly app: string;
}

/** Opens the window, free of the caller's terminal, or has it shown. Resolves with the status to exit with. */
export async function openWindow({ folder, isNew, data, app }: OpenOptions): Promise<number> {
  const wanted = folder === null ? null : path.resolve(folder);
  if (folder !== null && wanted !== null && !isFolder(wanted)) {
    const isName = /^[\w-]+$/.test(folder);
    say(
      fs.existsSync(wanted)
        ? `${wanted} is not a folder.`
        : `There is no folder ${wanted}${isName ? `, and no "switchyard ${folder}"` : ''}. "switchyard --help" shows what there is.`,
    );
    return USAGE_STATUS;
  }
  if (process.versions.electron === undefined) {
    const args = [isNew ? '--new-session' : [], wanted ?? []].flat();
    const line = ['npm start', ...(args.length > 0 ? ['--', ...args] : [])].join(' ');
    say(`This is the command line of a source folder. There "${line}" opens the window.`);
    return 1;
  }
  if (!hasDisplay()) {
    say(
      'There is no display here, so no window can be opened. "switchyard run", "jobs", "stop" and "mcp" need none.',
    );
    return 1;
  }
  const args = [
    // Chromium refuses to run as root with its sandbox; for anybody else the sandbox stays on.
    ...(process.platform === 'linux' && process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    ...(data === null ? [] : [`--user-data-dir=${data}`]),
    ...(isPackaged() ? [] : [app]),
    ...(isNew ? ['--new-session'] : []),
    ...(wanted === null ? [] : [wanted]),
  ];
  const child = spawn(process.execPath, args, {
    detached: true,
    stdio: 'ignore',
    env: callersOwn(process.env),
  });
  const failure = await failureOf(child);
  child.unref();
  if (failure === null) return 0;
  say(`The window could not be opened: ${failure}. "${process.execPath}" itself says more.`);
  return 1;
}

/** A packaged app is found by its program, whose name tells it; Electron's own must be told which to run. */
function isPackaged(): boolean {
  return !/^electron(\.exe)?$/i.test(path.basename(process.execPath));
}

function failureOf(child: ReturnType<typeof spawn>): Promise<string | null> {
  return new Promise((resolve) => {
    const late = setTimeout(() => resolve(null), FAILS_WITHIN_MS);
    const settle = (failure: string | null) => {
      clearTimeout(late);
      resolve(failure);
    };
    child.once('error', (error) => settle(error.message));
    child.once('exit', (code, signal) => settle(code === 0 ? null : `it ended with ${signal ?? code}`));
  });
}

function isFolder(folder: string): boolean {
  return fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function hasDisplay(): boolean {
  if (process.platform !== 'linux') return true;
  return Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);
}
