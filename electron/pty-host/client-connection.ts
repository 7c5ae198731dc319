import { timingSafeEqual } from 'node:crypto';
import type net from 'node:net';
import { MAX_COLS, MAX_ROWS } from '../../shared/limits.ts';
import type { CommandResources } from '../../shared/model/resources.ts';
import type { Result } from '../../shared/model/result.ts';
import { decodeFrame, FrameType, HEADER_BYTES } from '../../shared/protocol/frame.ts';
import {
  ClientHello,
  commonProtocol,
  HOST_PROTOCOL,
  type HostCallInput,
  type HostCallName,
  type HostError,
  type HostEvent,
  type HostHello,
  hostCalls,
  OLDEST_HOST_PROTOCOL,
} from '../../shared/protocol/host.ts';
import { createFramer, framePrefix } from './framer.ts';
import type { CommandCall, Host, Opened } from './host.ts';
import { hostError } from './host-error.ts';
import { describeIssue } from './input-issue.ts';
import type { FrameSink } from './viewer.ts';

const HELLO_MS = 2_000;
/** Above this viewers of the client wait: what it does not take stays in the logs. */
const CONGESTED_BYTES = 1024 * 1024;
/** A client that does not even take its events is dropped; it may connect again and ask for the list. */
const DROPPED_BYTES = 8 * 1024 * 1024;

export interface ClientConnectionOptions {
  readonly host: Host;
  readonly token: string;
  /** Of the app. */
  readonly version: string;
  readonly startedAt: number;
  report(what: string, error: unknown): void;
  /** Ends the host if nothing lives; says whether. */
  quitIfIdle(): boolean;
  onTrusted(): void;
  /** It wants to be told what commands use, or no longer. */
  onWatchChanged(): void;
  onClose(): void;
}

/** One client: its calls, and the outputs it has opened. Nobody is listened to before a valid hello. */
export class ClientConnection {
  readonly #socket: net.Socket;
  readonly #options: ClientConnectionOptions;
  readonly #streams = new Map<number, Opened | 'opening'>();
  #isTrusted = false;
  #isOwn = false;
  #watchesResources = false;

  constructor(socket: net.Socket, options: ClientConnectionOptions) {
    this.#socket = socket;
    this.#options = options;
    const late = setTimeout(() => socket.destroy(), HELLO_MS);
    const framer = createFramer((stream, frame) => {
      if (socket.destroyed) return;
      if (!this.#isTrusted) {
        clearTimeout(late);
        if (stream !== 0 || !this.#greet(frame)) socket.destroy();
      } else if (stream === 0) {
        this.#onMessage(frame);
      } else {
        this.#onFrame(stream, frame);
      }
    });
    socket.on('data', (chunk: Buffer) => {
      try {
        framer(chunk);
      } catch {
        socket.destroy(); // an oversized or broken frame: what follows cannot be understood
      }
    });
    socket.on('drain', () => {
      for (const opened of this.#streams.values()) if (opened !== 'opening') opened.viewer.pump();
    });
    socket.on('error', () => {}); // close follows
    socket.on('close', () => {
      clearTimeout(late);
      for (const opened of this.#streams.values()) if (opened !== 'opening') opened.close();
      this.#streams.clear();
      options.onClose();
    });
  }

  get isTrusted(): boolean {
    return this.#isTrusted && !this.#socket.destroyed;
  }

  /** Of the host's own version. */
  get isOwn(): boolean {
    return this.#isOwn && this.isTrusted;
  }

  get watchesResources(): boolean {
    return this.#watchesResources && this.isTrusted;
  }

  tell(event: HostEvent): void {
    this.#say({ event });
  }

  tellResources(resources: readonly CommandResources[]): void {
    this.#say({ resources });
  }

  close(): void {
    this.#socket.destroy();
  }

  #greet(frame: Uint8Array): boolean {
    const said = ClientHello.safeParse(asRecord(parse(frame))?.hello);
    if (!said.success || !isSameToken(said.data.token, this.#options.token)) return false;
    const { level, sight } = this.#options.host;
    const { startedAt, version } = this.#options;
    const spoken = { protocol: HOST_PROTOCOL, oldest: OLDEST_HOST_PROTOCOL };
    const hello: HostHello = { pid: process.pid, ...spoken, version, level, sight, startedAt };
    this.#say({ hello });
    // A client with which no protocol is common has learnt that, and can do nothing more here.
    if (commonProtocol(said.data, spoken) === null) {
      this.#socket.end();
      return true;
    }
    this.#isTrusted = true;
    this.#isOwn = said.data.version === version;
    this.#options.onTrusted();
    return true;
  }

  #onMessage(frame: Uint8Array): void {
    const message = asRecord(parse(frame));
    if (message === null || typeof message.seq !== 'number') {
      this.#socket.destroy();
      return;
    }
    const { seq, op, ...input } = message;
    const answer = this.#call(op, input);
    if (answer instanceof Promise) {
      answer.then(
        (result) => this.#answer(seq as number, result),
        (error: unknown) => this.#answer(seq as number, this.#internal(op, error)),
      );
    } else {
      this.#answer(seq as number, answer);
    }
  }

  #answer(re: number, result: Result<unknown, HostError>): void {
    this.#say(result.ok ? { re, ok: result.value } : { re, error: result.error });
  }

  #internal(op: unknown, error: unknown): Result<never, HostError> {
    this.#options.report(`the call ${String(op)} failed`, error);
    return {
      ok: false,
      error: hostError('internal', `The host could not do ${String(op)}; its log says why.`),
    };
  }

  #call(op: unknown, input: unknown): Result<unknown, HostError> | Promise<Result<unknown, HostError>> {
    if (!isCallName(op)) {
      return { ok: false, error: hostError('invalid_arguments', `There is no call named ${String(op)}.`) };
    }
    const parsed = hostCalls[op].input.safeParse(input);
    if (!parsed.success) {
      return { ok: false, error: hostError('invalid_arguments', describeIssue(parsed.error)) };
    }
    try {
      return this.#dispatch(op, parsed.data);
    } catch (error) {
      return this.#internal(op, error);
    }
  }

  /** `input` was parsed by the schema of `op`. */
  #dispatch<N extends HostCallName>(
    op: N,
    input: unknown,
  ): Result<unknown, HostError> | Promise<Result<unknown, HostError>> {
    switch (op) {
      case 'open':
        return this.#open(hostCalls.open.input.parse(input));
      case 'shut':
        return this.#shut(hostCalls.shut.input.parse(input).stream);
      case 'watchResources':
        this.#watchesResources = hostCalls.watchResources.input.parse(input).on;
        this.#options.onWatchChanged();
        return { ok: true, value: null };
      case 'quitIfIdle':
        return { ok: true, value: this.#options.quitIfIdle() };
      default: {
        const handler = this.#options.host.calls[op as CommandCall & N] as (
          input: unknown,
        ) => Result<unknown, HostError> | Promise<Result<unknown, HostError>>;
        return handler(input);
      }
    }
  }

  #open(input: HostCallInput<'open'>): Result<null, HostError> | Promise<Result<null, HostError>> {
    const { id, stream, from } = input;
    if (this.#streams.has(stream)) {
      const message = 'The parameter stream names one that is open.';
      return { ok: false, error: hostError('invalid_arguments', message) };
    }
    this.#streams.set(stream, 'opening');
    const result = this.#options.host.open(id, this.#sink(stream), from);
    if (result instanceof Promise) return result.then((opened) => this.#onOpened(stream, opened));
    return this.#onOpened(stream, result);
  }

  #onOpened(stream: number, result: Result<Opened, HostError>): Result<null, HostError> {
    if (!result.ok) {
      this.#streams.delete(stream);
      return result;
    }
    // It may have been shut, or the client gone, in the meantime.
    if (this.#streams.get(stream) === 'opening' && !this.#socket.destroyed) {
      this.#streams.set(stream, result.value);
    } else {
      result.value.close();
    }
    return { ok: true, value: null };
  }

  #shut(stream: number): Result<null, HostError> {
    const opened = this.#streams.get(stream);
    if (opened !== undefined && opened !== 'opening') opened.close();
    this.#streams.delete(stream);
    return { ok: true, value: null };
  }

  #sink(stream: number): FrameSink {
    const socket = this.#socket;
    return {
      post: (frame) => this.#post(stream, frame),
      get isCongested() {
        return socket.writableLength > CONGESTED_BYTES;
      },
    };
  }

  #onFrame(stream: number, bytes: Uint8Array): void {
    const opened = this.#streams.get(stream);
    if (opened === undefined || opened === 'opening' || bytes.length < HEADER_BYTES) return;
    const frame = decodeFrame(bytes);
    if (frame.type === FrameType.ack) {
      opened.viewer.ack(frame.offset);
    } else if (frame.type === FrameType.input) {
      opened.input(frame.bytes);
    } else if (frame.type === FrameType.resize) {
      const cols = frame.generation >>> 16;
      const rows = frame.generation & 0xffff;
      const isValid = cols >= 1 && cols <= MAX_COLS && rows >= 1 && rows <= MAX_ROWS;
      if (isValid) opened.resize(cols, rows);
    }
  }

  #say(message: unknown): void {
    this.#post(0, new TextEncoder().encode(JSON.stringify(message)));
  }

  #post(stream: number, frame: Uint8Array): void {
    const socket = this.#socket;
    if (socket.destroyed) return;
    socket.cork();
    socket.write(framePrefix(stream, frame.length));
    socket.write(frame);
    socket.uncork();
    if (socket.writableLength > DROPPED_BYTES) socket.destroy();
  }
}

function isCallName(op: unknown): op is HostCallName {
  return typeof op === 'string' && Object.hasOwn(hostCalls, op);
}

function parse(frame: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(frame));
  } catch {
    return null;
  }
}

function asRecord(value: unknown): Record<string, unknown> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}

function isSameToken(given: string, token: string): boolean {
  const a = Buffer.from(given);
  const b = Buffer.from(token);
  return a.length === b.length && timingSafeEqual(a, b);
}
