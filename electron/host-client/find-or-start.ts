import type { ChildProcess } from 'node:child_process';
import { type FSWatcher, watch } from 'node:fs';
import fs from 'node:fs/promises';
import { OTHER_VERSION_STATUS } from '../../shared/protocol/host.ts';
import { hostFiles, versionOfPidFile } from '../pty-host/host-paths.ts';
import { type Greeted, greet, HostUnavailableError, OtherVersionError } from './greet.ts';
import { ensureToken, readToken } from './host-token.ts';
import { startDetached } from './start-detached.ts';

const START_MS = 10_000;
/** Should the folder's changes not be told (some file systems), this is how often they are looked for. */
const LOOK_EVERY_MS = 100;
/** A host that fails this often in a row is not started again. */
const FAILED_STARTS_MAX = 2;

export interface HostProgram {
  /** The host's folder; made (0700) when it is missing. */
  readonly folder: string;
  /** Of the app: it has a host of its own, which must be of this version too. */
  readonly version: string;
  /** The Node, or Electron to be run as Node, that runs the host. */
  readonly program: string;
  /** Arguments before the script. */
  readonly args?: readonly string[];
  /** The host's bundle. */
  readonly script: string;
  /** The runner's path; null where there is none. */
  readonly runner: string | null;
  readonly idleExitMs?: number;
  /** Environment of the host; commands never see it. This process's own by default. */
  readonly env?: NodeJS.ProcessEnv;
}

/** Whether a host of any version runs in the folder. Makes and starts nothing. */
export async function isAnyRunning(folder: string): Promise<boolean> {
  const token = await readToken(folder);
  if (token === null) return false;
  const names = await fs.readdir(folder).catch(() => []);
  const looks = names
    .flatMap((name) => versionOfPidFile(name) ?? [])
    .map((each) => answers(folder, token, each));
  return (await Promise.all(looks)).includes(true);
}

/** One that cannot be talked to runs all the same. */
async function answers(folder: string, token: string, version: string): Promise<boolean> {
  try {
    const greeted = await greet(folder, token, version, version);
    greeted?.socket.destroy();
    return greeted !== null;
  } catch {
    return true;
  }
}

/**
 * Connects to the host of this version in the folder, or starts one. Rejects with HostUnavailableError, with
 * OtherVersionError when trying again is in vain.
 */
export async function findOrStart(options: HostProgram): Promise<Greeted & { readonly wasRunning: boolean }> {
  const { folder, version } = options;
  await fs.mkdir(folder, { recursive: true, mode: 0o700 });
  const token = await ensureToken(folder);
  const found = await greet(folder, token, version, version);
  if (found !== null) return { ...found, wasRunning: true };

  const changes = new FolderChanges(folder);
  const ownPids = new Set<number>();
  let failed = 0;
  let isOtherVersion = false;
  let child: ChildProcess | null = null;
  try {
    for (const end = performance.now() + START_MS; performance.now() < end; await changes.next()) {
      if (child === null) {
        const started = startDetached(options.program, argumentsOf(options), environmentOf(options));
        child = started;
        if (started.pid !== undefined) ownPids.add(started.pid);
        // A host that finds another one alive ends well; then that one is greeted, or its end awaited and one started.
        const onEnd = (isFailure: boolean) => {
          child = null;
          if (isFailure) failed++;
          changes.notice();
        };
        started.once('error', () => onEnd(true));
        started.once('exit', (code) => {
          isOtherVersion ||= code === OTHER_VERSION_STATUS;
          onEnd(code !== 0);
        });
      }
      const greeted = await greet(folder, token, version, version);
      if (greeted !== null) return { ...greeted, wasRunning: !ownPids.has(greeted.pid) };
      if (failed >= FAILED_STARTS_MAX || isOtherVersion) break;
    }
  } finally {
    changes.close();
  }
  const words = await lastWords(folder, version);
  if (isOtherVersion) throw new OtherVersionError(words);
  throw new HostUnavailableError(
    words === '' ? 'The pty host did not start, and left no word.' : `The pty host did not start: ${words}`,
  );
}

function argumentsOf({ args = [], script, folder, version, runner, idleExitMs }: HostProgram): string[] {
  const idle = idleExitMs === undefined ? [] : [String(idleExitMs)];
  return [...args, script, folder, version, runner ?? '-', ...idle];
}

function environmentOf({ env = process.env }: HostProgram): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(
    ([name]) => name !== 'NODE_OPTIONS' && !name.startsWith('SWITCHYARD_'),
  );
  return { ...Object.fromEntries(kept), ELECTRON_RUN_AS_NODE: '1' };
}

/** The last entry of the host's log, without when and who. */
async function lastWords(folder: string, version: string): Promise<string> {
  const text = await fs.readFile(hostFiles.log(folder, version), 'utf8').catch(() => '');
  const line = text
    .trim()
    .split('\n')
    .findLast((entry) => /^\d{4}-/.test(entry));
  return line?.replace(/^\S+ \[\d+\] /, '') ?? '';
}

/** Resolves `next` at a change in the folder: the host writes its pid file there once it answers. */
class FolderChanges {
  readonly #watcher: FSWatcher | null;
  #wake: (() => void) | null = null;
  #hasChanged = false;

  constructor(folder: string) {
    this.#watcher = this.#watch(folder);
  }

  #watch(folder: string): FSWatcher | null {
    try {
      const watcher = watch(folder, () => this.notice());
      watcher.on('error', () => {}); // the timer is left
      return watcher;
    } catch {
      return null;
    }
  }

  notice(): void {
    this.#hasChanged = true;
    this.#wake?.();
  }

  async next(): Promise<void> {
    if (!this.#hasChanged) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, LOOK_EVERY_MS);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.#wake = null;
    this.#hasChanged = false;
  }

  close(): void {
    this.#watcher?.close();
  }
}
