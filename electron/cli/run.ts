import { createHash } from 'node:crypto';
import fs from 'node:fs';
import type { CommandId, SessionId } from '../../shared/model/ids.ts';
import { limitsOf, type Settings } from '../../shared/model/settings.ts';
import { decodeFrame, encodeFrame, FrameType } from '../../shared/protocol/frame.ts';
import type { ExitRecord } from '../../shared/protocol/host.ts';
import type { HostStream } from '../host-client/host-client.ts';
import type { HostLink } from '../host-client/host-link.ts';
import { callersOwn, commandShell } from '../supervisor/command-environment.ts';
import { newId } from '../supervisor/new-id.ts';
import { CallerTerminal, type Size } from './caller-terminal.ts';
import { DetachKey } from './detach-key.ts';
import { exitStatus, FAILURE_STATUS } from './exit-status.ts';
import { connectHost, type HostPlace } from './host.ts';
import { describeLeft } from './job-list.ts';
import { NewLines } from './new-lines.ts';
import { say } from './say.ts';
import { shellLine } from './shell-line.ts';
import { shortIds } from './short-id.ts';

/** Under what name the window shows the command. */
const OWNER_NAME = 'terminal';
/** 128 + SIGPIPE: what a command ends with whose reader has gone. */
const BROKEN_PIPE_STATUS = 141;
/** Those that end this process and leave the command alone. */
const SIGNALS = { SIGHUP: 1, SIGTERM: 15 } as const;

export interface RunOptions {
  readonly place: HostPlace;
  readonly settings: Settings;
  readonly words: readonly string[];
  readonly timeoutMs: number | null;
}

/** How the watching of a command came to its end. */
type End =
  | { readonly kind: 'exited'; readonly exit: ExitRecord }
  /** The person, or a signal, left the command to itself. */
  | { readonly kind: 'left'; readonly status: number }
  | { readonly kind: 'host_lost' }
  | { readonly kind: 'unreadable'; readonly message: string };

/**
 * Runs a command on the host in front of the caller's terminal, and resolves with the status to exit with. The host owns
 * the command: when this process ends before it, it runs on as a job.
 */
export async function run({ place, settings, words, timeoutMs }: RunOptions): Promise<number> {
  let onLost = () => {};
  const host = await connectHost(place, () => {
    host.dispose();
    onLost();
  });
  const id = newId('c');
  const { stopGraceMs, logQuotaBytes, quietAfterMs } = limitsOf(settings);
  const terminal = new CallerTerminal();
  const watch = new Watch(host, id, terminal);
  onLost = () => watch.end({ kind: 'host_lost' });
  try {
    const folder = currentFolder();
    const spawned = await host.spawn({
      id,
      owner: ownerIn(folder),
      ownerName: OWNER_NAME,
      cmd: shellLine(words),
      shell: commandShell(fs.existsSync),
      cwd: folder,
      env: callersOwn(process.env),
      tty: terminal.isTyped,
      ...terminal.size,
      deadlineMs: timeoutMs,
      stopGraceMs,
      logQuotaBytes,
      quietAfterMs,
    });
    if (!spawned.ok) {
      say(spawned.error.message);
      return FAILURE_STATUS;
    }
    return await watch.toTheEnd();
  } finally {
    host.dispose();
  }
}

/** The session that the window shows it in: one for all that is run in a folder. */
function ownerIn(folder: string): SessionId {
  const digest = createHash('sha256').update(`${OWNER_NAME} ${folder}`).digest();
  return `s_${Array.from(digest.subarray(0, 16), (byte) => (byte % 36).toString(36)).join('')}`;
}

function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    throw new Error('The folder that you are in does not exist any more. Go to another one first.');
  }
}

/** One command in front of the caller's terminal. */
class Watch {
  readonly #host: HostLink;
  readonly #id: CommandId;
  readonly #terminal: CallerTerminal;
  readonly #detachKey = new DetachKey();
  /** Null where what the command's own terminal made of its output is to be shown as it is. */
  readonly #newLines: NewLines | null;
  readonly #ended: Promise<End>;
  #settle: (end: End) => void = () => {};
  #stream: HostStream | null = null;
  #exit: ExitRecord | null = null;
  /** Offset behind the last byte that came. */
  #received = 0;
  #dropped = 0;
  #isPipeBroken = false;
  #written: Promise<unknown> = Promise.resolve();

  constructor(host: HostLink, id: CommandId, terminal: CallerTerminal) {
    this.#host = host;
    this.#id = id;
    this.#terminal = terminal;
    this.#newLines = terminal.isRaw ? null : new NewLines();
    this.#ended = new Promise((resolve) => {
      this.#settle = resolve;
    });
    host.onEvent((event) => {
      if (event.type !== 'exited' || event.id !== id) return;
      this.#exit = event.exit;
      this.#endWhenWhole();
    });
  }

  end(end: End): void {
    this.#settle(end);
  }

  /** Shows the output and passes on what is typed until the end. Resolves with the status to exit with. */
  async toTheEnd(): Promise<number> {
    const stream = this.#host.openStream(this.#id, null, (frame) => this.#onFrame(frame));
    this.#stream = stream;
    void stream.opened.then((opened) => {
      if (!opened.ok && !this.#isPipeBroken)
        this.end({ kind: 'unreadable', message: `The output cannot be shown: ${opened.error.message}` });
    });
    process.stdout.on('error', (error: NodeJS.ErrnoException) => this.#onWriteError(error));
    this.#listenToSignals();
    this.#terminal.hold((bytes) => this.#onTyped(bytes));
    const end = await this.#ended;
    const rest = this.#newLines?.end();
    if (rest && rest.length > 0) this.#write(rest);
    await this.#written;
    this.#terminal.release();
    return this.#conclude(end);
  }

  #onFrame(bytes: Uint8Array): void {
    const frame = decodeFrame(bytes);
    if (frame.type === FrameType.data) {
      const end = frame.offset + frame.bytes.length;
      this.#received = end;
      const shown = this.#newLines?.take(frame.bytes) ?? frame.bytes;
      // Acknowledged when it is on its way: a slow reader of ours costs neither us nor the host any memory.
      this.#written = this.#write(shown).then(() => {
        this.#stream?.post(encodeFrame(FrameType.ack, 0, end));
        this.#endWhenWhole();
      });
    } else if (frame.type === FrameType.reset) {
      this.#dropped += Math.max(0, frame.offset - this.#received);
      this.#received = frame.offset;
      this.#endWhenWhole();
    }
  }

  #endWhenWhole(): void {
    const exit = this.#exit;
    if (exit && (this.#received >= exit.bytes || this.#isPipeBroken)) this.end({ kind: 'exited', exit });
  }

  #write(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve) => {
      if (this.#isPipeBroken) resolve();
      else process.stdout.write(bytes, () => resolve()); // of an error `error` is told too
    });
  }

  /** Who reads us has gone: the command learns it as it would in any pipe, by its end. */
  #onWriteError(error: NodeJS.ErrnoException): void {
    if (this.#isPipeBroken) return;
    this.#isPipeBroken = true;
    if (error.code === 'EIO')
      this.end({ kind: 'left', status: 128 + SIGNALS.SIGHUP }); // a terminal that is gone
    else void this.#host.stop(this.#id, 'user').then(() => this.#endWhenWhole());
  }

  #onTyped(bytes: Uint8Array): void {
    if (this.#detachKey.isTyped(bytes, performance.now())) {
      this.end({ kind: 'left', status: FAILURE_STATUS });
      return;
    }
    this.#stream?.post(encodeFrame(FrameType.input, 0, 0, bytes));
  }

  #listenToSignals(): void {
    for (const [signal, number] of Object.entries(SIGNALS))
      process.on(signal, () => this.end({ kind: 'left', status: 128 + number }));
    // Typed where we do not hold the terminal: it is meant for the command all the same.
    process.on('SIGINT', () => void this.#host.write(this.#id, '\x03', 'user'));
    process.on('SIGWINCH', () => this.#resize(this.#terminal.size));
  }

  #resize({ cols, rows }: Size): void {
    this.#stream?.post(encodeFrame(FrameType.resize, ((cols << 16) | rows) >>> 0, 0));
  }

  #conclude(end: End): number {
    switch (end.kind) {
      case 'left':
        say(
          `The command runs on. "switchyard jobs" shows it, and "switchyard stop ${this.#shortId}" ends it.`,
        );
        return end.status;
      case 'host_lost':
        say(
          'The process that runs the terminals went away, and the command with it. How it ended is not known.',
        );
        return FAILURE_STATUS;
      case 'unreadable':
        say(`${end.message} The command may run on; "switchyard jobs" shows it.`);
        return FAILURE_STATUS;
      case 'exited':
        return this.#onExited(end.exit);
    }
  }

  #onExited(exit: ExitRecord): number {
    const { status, message } = exitStatus(exit);
    if (this.#isPipeBroken) return BROKEN_PIPE_STATUS;
    const dropped = this.#dropped + exit.bytesLost;
    if (dropped > 0)
      say(`${dropped} bytes of the output are missing: more came than is kept, or the disk was full.`);
    if (message !== null) say(message);
    const left = exit.survivors.length > 0 ? exit.survivors : exit.descendants;
    if (left.length > 0)
      say(`It left running: ${describeLeft(left)}. "switchyard stop ${this.#shortId}" ends that.`);
    return status;
  }

  get #shortId(): string {
    return shortIds([this.#id]).get(this.#id) ?? this.#id;
  }
}
