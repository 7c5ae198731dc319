import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import tty from 'node:tty';
import { InputQueue } from './input-queue.ts';
import { errnoOf, signalName } from './system-names.ts';
import type { WaitStatus } from './wait-status.ts';

/** The native half of node-pty 1.1.0 on POSIX systems. */
interface NativePty {
  fork(
    file: string,
    args: string[],
    env: string[],
    cwd: string,
    cols: number,
    rows: number,
    uid: number,
    gid: number,
    isUtf8: boolean,
    helper: string,
    onExit: (code: number, signal: number) => void,
  ): { fd: number; pid: number; pty: string };
  resize(fd: number, cols: number, rows: number): void;
}

// node-pty's JavaScript half is passed by: it destroys the master 200 ms after the exit, also while it is paused, and
// retries input on the closed descriptor's number, which by then may be another file's.
// Not named `require`: the bundler declares that itself.
const requireHere = createRequire(import.meta.url);

let loaded: { native: NativePty; helper: string } | null = null;

function load(): { native: NativePty; helper: string } {
  if (loaded === null) {
    const utils = requireHere.resolve('node-pty/lib/utils.js');
    const { module, dir } = requireHere(utils).loadNativeModule('pty') as { module: NativePty; dir: string };
    const helper = path
      .resolve(path.dirname(utils), dir, 'spawn-helper')
      .replace('app.asar', 'app.asar.unpacked');
    loaded = { native: module, helper: helper.replace('.unpacked.unpacked', '.unpacked') };
  }
  return loaded;
}

/** Why the terminal is not read just now. A set: what one reason stopped, the end of another must not start. */
export type PauseReason = 'disk-full';

export interface TerminalOptions {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The program's folder; node-pty itself enters it and cannot tell why it failed. */
  readonly cwd: string;
  readonly cols: number;
  readonly rows: number;
}

export interface TerminalEvents {
  onBytes(bytes: Uint8Array): void;
  /** The program that the terminal was made for was reaped. */
  onExit(status: WaitStatus): void;
  /** Nothing more will be read. */
  onHangUp(): void;
}

/** A pseudo-terminal with a program in it, read as bytes. Throws ForkError when there is none to be had. */
export class Terminal {
  readonly pid: number;
  readonly slavePath: string;
  readonly input: InputQueue;
  readonly #fd: number;
  readonly #stream: tty.ReadStream;
  readonly #pausedBy = new Set<PauseReason>();
  #isHungUp = false;

  constructor(options: TerminalOptions, events: TerminalEvents) {
    const { native, helper } = load();
    const env = Object.entries(options.env).map(([name, value]) => `${name}=${value}`);
    const onExit = (code: number, signal: number) =>
      events.onExit(
        signal === 0 ? { exitCode: code, signal: null } : { exitCode: null, signal: signalName(signal) },
      );
    const { file, args, cwd, cols, rows } = options;
    let forked: ReturnType<NativePty['fork']>;
    try {
      forked = native.fork(file, [...args], env, cwd, cols, rows, -1, -1, true, helper, onExit);
    } catch (error) {
      throw new ForkError(error);
    }
    this.pid = forked.pid;
    this.slavePath = forked.pty;
    this.#fd = forked.fd;
    this.#stream = new tty.ReadStream(forked.fd);
    this.input = new InputQueue(forked.fd, () => !this.#stream.destroyed);
    this.#stream.on('data', (bytes: Buffer) => events.onBytes(bytes));
    this.#stream.on('error', () => {}); // EIO is how Linux tells a hang-up; close follows
    this.#stream.on('close', () => {
      this.#isHungUp = true;
      this.input.close();
      events.onHangUp();
    });
  }

  get isPaused(): boolean {
    return this.#pausedBy.size > 0;
  }

  get isHungUp(): boolean {
    return this.#isHungUp;
  }

  pause(reason: PauseReason): void {
    this.#pausedBy.add(reason);
    this.#stream.pause();
  }

  resume(reason: PauseReason): void {
    if (this.#pausedBy.delete(reason) && this.#pausedBy.size === 0) this.#stream.resume();
  }

  /** False when the terminal is gone. The caller has checked the size. */
  resize(cols: number, rows: number): boolean {
    if (this.#stream.destroyed) return false;
    load().native.resize(this.#fd, cols, rows);
    return true;
  }

  /** Closes the master; whoever still has the terminal is hung up. */
  destroy(): void {
    this.input.close();
    this.#stream.destroy();
  }
}

/** No terminal or no process was to be had. */
export class ForkError extends Error {
  readonly errno: string;

  constructor(cause: unknown) {
    super('no terminal with a process in it could be made', { cause });
    this.name = 'ForkError';
    this.errno = findErrno();
  }
}

// node-pty says only "forkpty(3) failed.". If a terminal cannot be opened the reason is told here too; otherwise it
// was the fork, which fails for one reason.
function findErrno(): string {
  try {
    fs.closeSync(fs.openSync('/dev/ptmx', fs.constants.O_RDWR | fs.constants.O_NOCTTY));
    return 'EAGAIN';
  } catch (error) {
    return errnoOf(error) ?? 'EAGAIN';
  }
}
