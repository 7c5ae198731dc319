import type net from 'node:net';
import { z } from 'zod';
import type { StopBy } from '../../shared/model/command.ts';
import { CommandId } from '../../shared/model/ids.ts';
import type { LogPart } from '../../shared/model/log-part.ts';
import type { CommandResources } from '../../shared/model/resources.ts';
import { err, ok, type Result } from '../../shared/model/result.ts';
import { MAX_FRAME_BYTES } from '../../shared/protocol/frame.ts';
import {
  type HostCallName,
  type HostCallOutput,
  type HostCallRequest,
  type HostCommand,
  HostError,
  HostEvent,
  type HostLimits,
  hostCalls,
  type InputBy,
  type ProcessSight,
  ResourceReport,
  type Spawned,
  type SpawnRequest,
  type SupervisionLevel,
} from '../../shared/protocol/host.ts';
import { commandFiles } from '../pty-host/host-paths.ts';
import { readLogFiles } from '../pty-host/log-segments.ts';
import type { CommandHost } from '../supervisor/ports.ts';
import { findOrStart, type HostProgram } from './find-or-start.ts';
import { type Greeted, greet, sendFrame } from './greet.ts';
import { Heartbeat } from './heartbeat.ts';

/** Where a viewer goes on: bytes before `offset` of this generation are known to it. */
export interface StreamPosition {
  readonly generation: number;
  readonly offset: number;
}

/** An open output. Frames are those of shared/protocol/frame.ts. */
export interface HostStream {
  /** Settles when the host has opened it, or says why not. No frame follows an error. */
  readonly opened: Promise<Result<null, HostError>>;
  /** Sends an ack, input or resize frame. */
  post(frame: Uint8Array): void;
  close(): void;
}

/** A newer host may know errors that this client does not. */
const AnyHostError = HostError.extend({ code: HostError.shape.code.catch('internal') });
const Answer = z.union([
  z.object({ re: z.number(), error: AnyHostError }),
  z.object({ re: z.number(), ok: z.unknown() }),
]);
const Told = z.object({ event: HostEvent });
const Reported = z.object({ resources: ResourceReport });

interface StreamListener {
  readonly onFrame: (frame: Uint8Array) => void;
  readonly onClose: () => void;
}

interface PendingCall {
  readonly op: HostCallName;
  /** Should it be done after it was given up, this takes it back. */
  readonly undo: (() => void) | null;
  isGivenUp: boolean;
  settle(result: Result<unknown, HostError>): void;
}

/** The pty host, seen from the app: calls, events and bytes over one socket. */
export class HostClient implements CommandHost {
  readonly hostPid: number;
  /** Of the host. */
  readonly version: string;
  /** How the host holds process trees. */
  readonly level: SupervisionLevel;
  /** What the host can see of processes. */
  readonly sight: ProcessSight;
  /** The host was there before this client. */
  readonly wasRunning: boolean;
  /** Milliseconds since the epoch. */
  readonly hostStartedAt: number;
  readonly #folder: string;
  readonly #socket: net.Socket;
  readonly #calls = new Map<number, PendingCall>();
  readonly #heartbeat: Heartbeat;
  readonly #silenceListeners = new Set<(isSilent: boolean) => void>();
  readonly #streams = new Map<number, StreamListener>();
  readonly #listeners = new Set<(event: HostEvent) => void>();
  readonly #resourceListeners = new Set<(commands: CommandResources[]) => void>();
  readonly #closeListeners = new Set<() => void>();
  /** Events that came before anybody listened. */
  #early: HostEvent[] | null = [];
  #lastSeq = 0;
  #lastStream = 0;
  #isClosed = false;

  private constructor(folder: string, greeted: Greeted, wasRunning: boolean) {
    this.#folder = folder;
    this.#socket = greeted.socket;
    this.hostPid = greeted.pid;
    this.version = greeted.version;
    this.level = greeted.level;
    this.sight = greeted.sight;
    this.hostStartedAt = greeted.startedAt;
    this.wasRunning = wasRunning;
    this.#heartbeat = new Heartbeat({
      ask: () => void this.#send('ping', {}),
      onSilent: () => this.#onSilence(true),
      onAnswers: () => this.#onSilence(false),
    });
    this.#socket.on('close', () => this.#onClosed());
    greeted.listen((stream, frame) => this.#onFrame(stream, frame));
  }

  /**
   * Connects to the host of this version, and starts it when there is none. Two clients that come at the same time end up
   * at one host. Rejects with HostUnavailableError: it did not start, or does not answer.
   */
  static async connect(options: HostProgram): Promise<HostClient> {
    const { wasRunning, ...greeted } = await findOrStart(options);
    return new HostClient(options.folder, greeted, wasRunning);
  }

  /**
   * Connects to the host of another version, which goes on as if nobody were there. Null when there is none. Rejects with
   * HostUnavailableError when it does not answer, with ForeignProtocolError when it cannot be talked to.
   */
  static async visit(
    { folder, version: own }: HostProgram,
    version: string,
    token: string,
  ): Promise<HostClient | null> {
    const greeted = await greet(folder, token, version, own);
    return greeted === null ? null : new HostClient(folder, greeted, true);
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** The host is there and does not answer: calls fail at once until it does. */
  get isSilent(): boolean {
    return this.#heartbeat.isSilent;
  }

  spawn(spec: SpawnRequest): Promise<Result<Spawned, HostError>> {
    // Whoever was told that it could not be started must not find it running later.
    return this.#call('spawn', spec, () => void this.stop(spec.id, 'quit'));
  }

  write(id: CommandId, chars: string, by: InputBy = 'agent'): Promise<Result<{ bytes: number }, HostError>> {
    return this.#call('write', { id, chars, by });
  }

  sendEof(id: CommandId, by: InputBy = 'agent'): Promise<Result<null, HostError>> {
    return this.#call('eof', { id, by });
  }

  resize(id: CommandId, cols: number, rows: number): Promise<Result<null, HostError>> {
    return this.#call('resize', { id, cols, rows });
  }

  stop(id: CommandId, by: StopBy): Promise<Result<null, HostError>> {
    return this.#call('stop', { id, by });
  }

  list(): Promise<Result<HostCommand[], HostError>> {
    return this.#call('list', {});
  }

  find(ids: readonly CommandId[]): Promise<Result<HostCallOutput<'find'>, HostError>> {
    return this.#call('find', { ids: [...ids] });
  }

  ports(id: CommandId): Promise<Result<number[], HostError>> {
    return this.#call('ports', { id });
  }

  /** Drops an ended command from the host's memory; its folder stays. */
  forget(id: CommandId): Promise<Result<null, HostError>> {
    return this.#call('forget', { id });
  }

  /** Sets the limits of all commands together, until the next call. */
  configure(limits: HostLimits): Promise<Result<null, HostError>> {
    return this.#call('configure', limits);
  }

  /** Whether this client is told what living commands use. */
  watchResources(on: boolean): Promise<Result<null, HostError>> {
    return this.#call('watchResources', { on });
  }

  /** Ends the host when no command lives; says whether. */
  quitIfIdle(): Promise<Result<boolean, HostError>> {
    return this.#call('quitIfIdle', {});
  }

  /**
   * Bytes [from, to) of the command's log, fewer if the log is shorter; of a log with a gap see `readLogRange`. Reads the
   * files: works without a host. Rejects with the system's error when there is no such log.
   */
  async readLog(id: CommandId, from: number, to: number): Promise<Uint8Array> {
    return (await this.readLogRange(id, from, to)).bytes;
  }

  /**
   * Bytes of [from, to) from the first one that is there, up to the next gap; with none the offset at which the log goes
   * on, `to` at most. Reads the files: works without a host. Rejects with the system's error when there is no such log.
   */
  async readLogRange(id: CommandId, from: number, to: number): Promise<LogPart> {
    const folder = commandFiles.folder(this.#folder, CommandId.parse(id));
    const part = await readLogFiles(folder, from, Math.max(0, to - from));
    if (part.from >= to && part.from > from) return { from: Math.max(from, to), bytes: new Uint8Array(0) };
    return { from: part.from, bytes: part.bytes.subarray(0, Math.max(0, to - part.from)) };
  }

  /** Events in the order in which the host sent them, from the first after the connection. Returns the way out. */
  onEvent(listener: (event: HostEvent) => void): () => void {
    this.#listeners.add(listener);
    const early = this.#early ?? [];
    this.#early = null;
    for (const event of early) listener(event);
    return () => this.#listeners.delete(listener);
  }

  /** What living commands use, while this client watches. Returns the way out. */
  onResources(listener: (commands: CommandResources[]) => void): () => void {
    this.#resourceListeners.add(listener);
    return () => this.#resourceListeners.delete(listener);
  }

  /** Calls back once when the host is gone, at once (asynchronously) if it is already. Returns the way out. */
  onClose(listener: () => void): () => void {
    if (this.#isClosed) queueMicrotask(listener);
    else this.#closeListeners.add(listener);
    return () => this.#closeListeners.delete(listener);
  }

  /** Calls back when the host does not answer any more, and when it does again. Returns the way out. */
  onSilence(listener: (isSilent: boolean) => void): () => void {
    this.#silenceListeners.add(listener);
    return () => this.#silenceListeners.delete(listener);
  }

  /**
   * Opens the output of a command, living or ended, at a place or (null) from its beginning with a `reset` frame. `onClose`
   * tells that the host is gone while it was open.
   */
  openStream(
    id: CommandId,
    from: StreamPosition | null,
    onFrame: (frame: Uint8Array) => void,
    onClose: () => void = () => {},
  ): HostStream {
    const stream = ++this.#lastStream;
    this.#streams.set(stream, { onFrame, onClose });
    const shut = () => void this.#send('shut', { stream });
    const opened = this.#call('open', { id, stream, from }, shut);
    void opened.then((result) => {
      if (!result.ok) this.#streams.delete(stream);
    });
    return {
      opened,
      post: (frame) => {
        if (!this.#isClosed && this.#streams.has(stream)) sendFrame(this.#socket, stream, frame);
      },
      close: () => {
        if (this.#streams.delete(stream)) shut();
      },
    };
  }

  /** Leaves the host; what runs there runs on. */
  dispose(): void {
    this.#socket.destroy();
    this.#onClosed();
  }

  #call<N extends HostCallName>(
    op: N,
    input: HostCallRequest<N>,
    undo: (() => void) | null = null,
  ): Promise<Result<HostCallOutput<N>, HostError>> {
    return this.isSilent ? Promise.resolve(err(silent())) : this.#send(op, input, undo);
  }

  #send<N extends HostCallName>(
    op: N,
    input: HostCallRequest<N>,
    undo: (() => void) | null = null,
  ): Promise<Result<HostCallOutput<N>, HostError>> {
    if (this.#isClosed) return Promise.resolve(err(unavailable()));
    const seq = ++this.#lastSeq;
    const frame = new TextEncoder().encode(JSON.stringify({ ...input, seq, op }));
    if (frame.length > MAX_FRAME_BYTES) {
      return Promise.resolve(
        err({ code: 'invalid_arguments', message: `The parameters of ${op} are too long together.` }),
      );
    }
    return new Promise((resolve) => {
      this.#calls.set(seq, {
        op,
        undo,
        isGivenUp: false,
        // The output was parsed by the schema of this very call.
        settle: (result) => resolve(result as Result<HostCallOutput<N>, HostError>),
      });
      sendFrame(this.#socket, 0, frame);
    });
  }

  /** Nobody waits for a host that does not answer; what it makes of a call later is seen to then. */
  #onSilence(isSilent: boolean): void {
    for (const call of isSilent ? this.#calls.values() : []) {
      if (call.op === 'ping') continue;
      call.isGivenUp = true;
      call.settle(err(silent()));
    }
    for (const listener of [...this.#silenceListeners]) listener(isSilent);
  }

  #onFrame(stream: number, frame: Uint8Array): void {
    this.#heartbeat.heard();
    if (stream !== 0) {
      this.#streams.get(stream)?.onFrame(frame);
      return;
    }
    const message: unknown = JSON.parse(new TextDecoder().decode(frame));
    const told = Told.safeParse(message);
    if (told.success) {
      this.#onEventFrame(told.data.event);
      return;
    }
    const reported = Reported.safeParse(message);
    if (reported.success) for (const listener of this.#resourceListeners) listener(reported.data.resources);
    const answer = Answer.safeParse(message);
    // What else a newer host says is not for us.
    if (answer.success) this.#onAnswer(answer.data);
  }

  #onEventFrame(event: HostEvent): void {
    this.#early?.push(event);
    for (const listener of [...this.#listeners]) listener(event);
  }

  #onAnswer(answer: z.infer<typeof Answer>): void {
    const call = this.#calls.get(answer.re);
    this.#calls.delete(answer.re);
    if (call === undefined) return;
    if (call.isGivenUp) {
      if ('ok' in answer) call.undo?.();
      return;
    }
    if ('error' in answer) {
      call.settle(err(answer.error));
      return;
    }
    const output = hostCalls[call.op].output.safeParse(answer.ok);
    if (output.success) call.settle(ok(output.data));
    else call.settle(err({ code: 'internal', message: `The host answered ${call.op} with nonsense.` }));
  }

  #onClosed(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#heartbeat.stop();
    const streams = [...this.#streams.values()];
    this.#streams.clear();
    for (const { onClose } of streams) onClose();
    for (const call of this.#calls.values()) call.settle(err(unavailable()));
    this.#calls.clear();
    for (const listener of [...this.#closeListeners]) listener();
    this.#closeListeners.clear();
  }
}

function unavailable(): HostError {
  return { code: 'host_unavailable', message: 'The pty host is not connected.' };
}

function silent(): HostError {
  return {
    code: 'host_unavailable',
    message: 'The process that runs the terminals does not answer just now; its commands run on.',
  };
}
