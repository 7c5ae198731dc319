import type { Limits } from '../../shared/limits.ts';
import { DEFAULT_COLS, DEFAULT_ROWS, READOUT_SETTLE_MS } from '../../shared/limits.ts';
import type { ArtifactError, ArtifactRef } from '../../shared/model/artifact.ts';
import type { Attention } from '../../shared/model/attention.ts';
import { type CommandView, isTerminal, type StopBy } from '../../shared/model/command.ts';
import type { AppEvent } from '../../shared/model/event.ts';
import type { CommandId, SessionId } from '../../shared/model/ids.ts';
import type { CommandResources, ResourceUse } from '../../shared/model/resources.ts';
import { err, ok, type Result, unreachable } from '../../shared/model/result.ts';
import {
  type ExitRecord,
  type HostCommand,
  type HostEvent,
  MAX_OWNER_NAME,
  type Spawned,
} from '../../shared/protocol/host.ts';
import { type CommandEvent, transition } from './command-machine.ts';
import { type DetachBy, DetachRegistry, type DetachRequest, detachMarker } from './detach-registry.ts';
import { newId } from './new-id.ts';
import type { ArtifactStore, Clock, CommandHost, RenderScreen, Store } from './ports.ts';
import { makeReadout, type Readout, unreadRange } from './readout.ts';
import type { CommandRecord } from './records.ts';
import { previewOutput, snapshotOf } from './snapshot.ts';
import { fromHostError, type ToolError, toolError } from './tool-error.ts';
import { readNewest } from './unread.ts';

/** Why an attached call returned. */
export type AttachmentEnd = 'exit' | 'output' | 'yield' | 'detached' | 'aborted';

export interface ReadRequest {
  /** New output alone does not end the call. */
  readonly isUntilEnd?: boolean;
  readonly commandId: CommandId;
  readonly toolCallId: string;
  readonly yieldMs: number;
  readonly maxTokens: number;
  readonly signal: AbortSignal;
}

/** What a tool call learns by waiting on a command. */
export interface ReadAnswer extends Readout {
  /** Why the complete output of a cut end could not be kept as a file. */
  readonly artifactError: ArtifactError | null;
  readonly end: AttachmentEnd;
  readonly record: CommandRecord;
  /** The line that tells of a detach; already the end of `text`. */
  readonly emptyReadouts: number;
  /** What it wanted of a person when the call returned. */
  readonly attention: Attention | null;
}

export interface StartRequest {
  readonly sessionId: SessionId;
  readonly toolCallId: string;
  readonly cmd: string;
  readonly cwd: string;
  readonly tty: boolean;
  readonly deadlineMs: number | null;
}

/** How programs are started: which shell reads the text, and the environment that they get. */
export interface CommandEnvironment {
  readonly shell: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Readouts of one handle queue: the next begins when this one was saved, or dropped. */
export interface HeldAnswer extends ReadAnswer {
  /** To be called in any case, once the result was saved or could not be. */
  readonly release: () => void;
}

/** What a readout changes once its result is saved. */
export function readEvents(answer: ReadAnswer): CommandEvent[] {
  if (answer.end === 'aborted') return [];
  return [
    { type: 'read', cursor: answer.cursor },
    isTerminal(answer.record.state) ? { type: 'end_read' } : { type: 'yielded' },
  ];
}

/** A command of this run of the app: its record and what is only true now. */
interface Entry {
  record: CommandRecord;
  attachment: Attachment | null;
  /** Readouts of one handle queue: each byte reaches exactly one of them. */
  readouts: Promise<unknown>;
  /** Set when it was detached while no call was attached: the next call returns at once with the marker. */
  pendingDetach: DetachRequest | null;
  emptyReadouts: number;
  readonly listeners: Set<(record: CommandRecord) => void>;
  /** Being written just now: two readers get one file. */
  artifact: Promise<Result<ArtifactRef, ArtifactError>> | null;
  /** Observed by the wait of its session: one reservation a command. */
  isReserved: boolean;
  /** The disk is full: it waits at its next write. */
  isBlocked: boolean;
  attention: Attention | null;
  resources: ResourceUse | null;
  stopForegroundTimer: () => void;
}

interface Attachment {
  readonly toolCallId: string;
  /** Decides how the call ends. False when that was decided before. */
  settle(end: AttachmentEnd): boolean;
  onOutput(): void;
}

export interface CommandsOptions {
  readonly host: CommandHost;
  readonly store: Store;
  readonly clock: Clock;
  readonly limits: Limits;
  /** It may still be found out: commands wait for it. Never rejects. */
  readonly environment: CommandEnvironment | Promise<CommandEnvironment>;
  readonly artifacts: ArtifactStore;
  readonly renderScreen: RenderScreen;
  /** What people call a session. */
  readonly titleOf: (id: SessionId) => string;
  readonly publish: (event: AppEvent) => void;
  readonly log: (message: string) => void;
  /** Called once a command, after its record became terminal in memory. Saves it and tells its session. */
  readonly onEnded: (record: CommandRecord) => void;
  /** Another program has started a command on the same host. */
  readonly onForeign: (command: HostCommand) => void;
}

/**
 * The commands as the app sees them. The host owns the processes; this owns who waits on what, how far the agent has
 * read, and where a command stands (foreground or background). Nothing here looks at bytes until a readout is taken.
 */
export class Commands {
  readonly registry = new DetachRegistry();
  readonly #o: CommandsOptions;
  readonly #entries = new Map<CommandId, Entry>();
  /** Events of commands whose spawn has not been answered yet. */
  readonly #early = new Map<CommandId, HostEvent[]>();
  readonly #starting = new Map<CommandId, SessionId>();
  /** Commands of other programs that are not shown here: a handle of one is forbidden, and not unknown. */
  readonly #foreign = new Set<CommandId>();

  constructor(options: CommandsOptions) {
    this.#o = options;
    options.host.onEvent((event) => this.#onHostEvent(event));
    options.host.onResources((commands) => this.#onResources(commands));
  }

  // ---- looking ----

  record(id: CommandId): CommandRecord | undefined {
    return this.#entries.get(id)?.record;
  }

  view(id: CommandId): CommandView | undefined {
    const entry = this.#entries.get(id);
    return entry && viewOf(entry);
  }

  views(): CommandView[] {
    return [...this.#entries.values()].map(viewOf);
  }

  recordsOf(sessionId: SessionId): CommandRecord[] {
    return [...this.#entries.values()]
      .map((entry) => entry.record)
      .filter((record) => record.sessionId === sessionId);
  }

  liveOf(sessionId: SessionId): CommandRecord[] {
    return this.recordsOf(sessionId).filter((record) => !isTerminal(record.state));
  }

  live(): CommandRecord[] {
    return this.#records(({ state }) => !isTerminal(state));
  }

  /** Those that live themselves, or left something running. */
  alive(): CommandRecord[] {
    return this.#records(({ state, descendants }) => !isTerminal(state) || descendants.length > 0);
  }

  ended(): CommandRecord[] {
    return this.#records(({ state }) => isTerminal(state));
  }

  #records(isWanted: (record: CommandRecord) => boolean): CommandRecord[] {
    return [...this.#entries.values()].map(({ record }) => record).filter(isWanted);
  }

  hasEnded(id: CommandId): boolean {
    const entry = this.#entries.get(id);
    return entry === undefined || isTerminal(entry.record.state);
  }

  /** The command of a handle, if it is this session's. Looks at nothing else and changes nothing. */
  owned(id: string, sessionId: SessionId): Result<CommandRecord, ToolError> {
    const entry = this.#entries.get(id);
    if (entry?.record.sessionId === sessionId) return ok(entry.record);
    if (entry || this.#foreign.has(id))
      return err(
        toolError('handle_forbidden', `session_id: ${id} belongs to another session and was not touched.`),
      );
    return err(
      toolError(
        'unknown_handle',
        `session_id: there is no command ${id}. list_commands shows this session's.`,
      ),
    );
  }

  /** Whether it is shown here, or just being started from here. */
  isKnown(id: CommandId): boolean {
    return this.#entries.has(id) || this.#starting.has(id);
  }

  /** A command of another program, which is not shown here. */
  noteForeign(id: CommandId): void {
    this.#foreign.add(id);
  }

  // ---- starting ----

  /** Takes up a command that an earlier run of the app had started. */
  adopt(record: CommandRecord): void {
    this.#add(record);
  }

  /** Starts a command in the foreground. With an error nothing was started, or what was started is stopped again. */
  async start(request: StartRequest): Promise<Result<CommandRecord, ToolError>> {
    const full = this.#isFull(request.sessionId);
    if (full) return err(full);
    const id = newId('c');
    this.#starting.set(id, request.sessionId);
    this.#early.set(id, []);
    try {
      const { shell, env } = await this.#o.environment;
      const spawned = await this.#o.host.spawn({
        id,
        owner: request.sessionId,
        ownerName: this.#o.titleOf(request.sessionId).slice(0, MAX_OWNER_NAME),
        cmd: request.cmd,
        shell,
        cwd: request.cwd,
        env: { ...env },
        tty: request.tty,
        cols: DEFAULT_COLS,
        rows: DEFAULT_ROWS,
        deadlineMs: request.deadlineMs,
        stopGraceMs: this.#o.limits.stopGraceMs,
        logQuotaBytes: this.#o.limits.logQuotaBytes,
        quietAfterMs: this.#o.limits.quietAfterMs,
      });
      if (!spawned.ok) return err(fromHostError(spawned.error));
      return await this.#onSpawned(id, request, shell, spawned.value);
    } finally {
      this.#starting.delete(id);
      this.#early.delete(id);
    }
  }

  async #onSpawned(
    id: CommandId,
    request: StartRequest,
    shell: string,
    spawned: Spawned,
  ): Promise<Result<CommandRecord, ToolError>> {
    const record: CommandRecord = {
      id,
      sessionId: request.sessionId,
      toolCallId: request.toolCallId,
      cmd: request.cmd,
      cwd: request.cwd,
      shell,
      tty: request.tty,
      state: 'running',
      placement: 'foreground',
      exitCode: null,
      signal: null,
      by: null,
      startedAt: spawned.startedAt,
      endedAt: null,
      lastOutputAt: null,
      outputBytes: 0,
      tail: [],
      pid: spawned.pid,
      generation: spawned.generation,
      descendants: [],
      gap: null,
      isCleared: false,
      cursor: 0,
      hasYielded: false,
      isEndRead: false,
      isEndSaved: false,
      artifact: null,
      isUnawaited: false,
    };
    try {
      await this.#o.store.checkpoint({ commands: [record] });
    } catch (error) {
      await this.#o.host.stop(id, 'quit');
      throw error;
    }
    const entry = this.#add(record);
    this.#publish({ type: 'command.started', command: viewOf(entry) });
    entry.stopForegroundTimer = this.#o.clock.after(this.#o.limits.foregroundMs, () =>
      this.#onForegroundLimit(id),
    );
    const early = this.#early.get(id) ?? [];
    this.#early.delete(id);
    for (const event of early) this.#onHostEvent(event);
    return ok(entry.record);
  }

  #isFull(sessionId: SessionId): ToolError | null {
    const { maxLiveCommands, maxLiveCommandsPerSession } = this.#o.limits;
    const starting = [...this.#starting.values()];
    if (this.live().length + starting.length >= maxLiveCommands) {
      return toolError(
        'too_many_commands',
        `${maxLiveCommands} commands are alive already. Stop one, or wait for one to end.`,
      );
    }
    const own = this.liveOf(sessionId).length + starting.filter((owner) => owner === sessionId).length;
    if (own >= maxLiveCommandsPerSession) {
      return toolError(
        'too_many_commands',
        `This session has ${maxLiveCommandsPerSession} live commands already. Stop one, or wait for one to end.`,
      );
    }
    return null;
  }

  #add(record: CommandRecord): Entry {
    const entry: Entry = {
      record,
      attachment: null,
      readouts: Promise.resolve(),
      pendingDetach: null,
      emptyReadouts: 0,
      listeners: new Set(),
      artifact: null,
      isReserved: false,
      isBlocked: false,
      attention: null,
      resources: null,
      stopForegroundTimer: () => {},
    };
    this.#entries.set(record.id, entry);
    return entry;
  }

  // ---- reading ----

  /**
   * Waits on a command and takes a readout. The cursor moves only when the caller has saved the result and applies
   * `readEvents`: a result that was lost on the way can be read again. Ends at exit-and-drained, at new output followed by a settle, at the
   * yield, at a detach or at an abort; an aborted call takes nothing.
   */
  read(request: ReadRequest): Promise<HeldAnswer> {
    const entry = this.#entry(request.commandId);
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const answer = entry.readouts.then(async () => {
      const taken = await this.#attach(entry, request);
      const hasYielded = taken.end === 'yield' || taken.end === 'output';
      if (hasYielded) this.#publish({ type: 'command.yielded', command: viewOf(entry) });
      return { ...taken, release };
    });
    entry.readouts = answer.then(
      () => released,
      () => {},
    );
    return answer;
  }

  #attach(entry: Entry, request: ReadRequest): Promise<ReadAnswer> {
    const { clock } = this.#o;
    return new Promise((resolve, reject) => {
      let isSettled = false;
      const cancels: (() => void)[] = [];
      let stopSettling = () => {};
      const finish = (end: AttachmentEnd, detach?: DetachRequest): Promise<ReadAnswer> | undefined => {
        // The one synchronous step in which exit, detach, yield and abort race: the first of them wins.
        if (isSettled) return undefined;
        isSettled = true;
        stopSettling();
        for (const cancel of cancels) cancel();
        if (entry.attachment === attachment) entry.attachment = null;
        const answer = this.#take(entry, request, end, detach);
        answer.then(resolve, reject);
        return answer;
      };
      const attachment: Attachment = {
        toolCallId: request.toolCallId,
        settle: (end) => finish(end) !== undefined,
        onOutput: () => {
          if (request.isUntilEnd) return;
          stopSettling();
          stopSettling = clock.after(READOUT_SETTLE_MS, () => finish('output'));
        },
      };
      const detach = (wanted: DetachRequest) => {
        const answer = finish('detached', wanted);
        return answer?.then(({ text, isTruncated }) => ({
          outputSoFar: text.slice(0, -detachMarker(wanted).length),
          ...(isTruncated ? { fullOutputPath: this.#logName(entry.record) } : {}),
        }));
      };
      if (request.signal.aborted) return void finish('aborted');
      if (isTerminal(entry.record.state)) return void finish('exit');
      if (entry.pendingDetach) {
        const wanted = entry.pendingDetach;
        entry.pendingDetach = null;
        return void finish('detached', wanted);
      }
      entry.attachment = attachment;
      cancels.push(this.registry.register(request.toolCallId, { pid: entry.record.pid, detach }));
      cancels.push(clock.after(request.yieldMs, () => finish('yield')));
      const onAbort = () => finish('aborted');
      request.signal.addEventListener('abort', onAbort, { once: true });
      cancels.push(() => request.signal.removeEventListener('abort', onAbort));
      if (entry.record.outputBytes > entry.record.cursor) attachment.onOutput();
      this.#publish({ type: 'command.changed', command: viewOf(entry) });
    });
  }

  async #take(
    entry: Entry,
    request: ReadRequest,
    end: AttachmentEnd,
    detach?: DetachRequest,
  ): Promise<ReadAnswer> {
    const { record } = entry;
    const isEnd = isTerminal(record.state);
    const nothing = { text: '', isTruncated: false, droppedBytes: 0, newBytes: 0, cursor: record.cursor };
    const range = unreadRange(record.cursor, record.outputBytes);
    const part = end === 'aborted' ? null : await readNewest(this.#o.host, record.id, range.from, range.to);
    const readout =
      part === null
        ? nothing
        : await makeReadout(
            record.cursor,
            part.from,
            part.bytes,
            isEnd,
            request.maxTokens,
            this.#o.renderScreen,
          );
    // What a cut end leaves out is on the disk before the result is given out.
    const artifactError = isEnd && readout.isTruncated ? await this.#keepArtifact(entry) : null;
    if (end !== 'aborted') entry.emptyReadouts = readout.newBytes === 0 ? entry.emptyReadouts + 1 : 0;
    return {
      ...readout,
      text: detach ? readout.text + detachMarker(detach) : readout.text,
      end,
      // What ended only while this was read is told by the next readout: this one does not hold its last output.
      record: isEnd ? entry.record : record,
      artifactError,
      emptyReadouts: entry.emptyReadouts,
      attention: entry.attention,
    };
  }

  /**
   * The command as a whole: how it stands and the preview of all its output. Moves no cursor. When the preview of an
   * ended command is cut, its complete output is kept as a file first; a failure is told, and tried again next time.
   */
  async snapshot(id: CommandId): Promise<Readonly<Record<string, unknown>>> {
    const entry = this.#entry(id);
    const preview = await previewOutput(this.#o.host, entry.record, this.#o.renderScreen);
    const needsArtifact = isTerminal(entry.record.state) && preview.isTruncated;
    const error = needsArtifact ? await this.#keepArtifact(entry) : null;
    const snapshot = snapshotOf(entry.record, preview, this.#o.clock.now());
    return error ? { ...snapshot, artifact_error: error.message, artifact_error_code: error.code } : snapshot;
  }

  /**
   * Calls back once when the command has ended, asynchronously; at once if it has already, never if it is not known.
   * Returns the way out, which may be called twice. A listener that throws does not keep the others from being called.
   */
  onTerminal(id: CommandId, listener: (record: CommandRecord) => void): () => void {
    const entry = this.#entries.get(id);
    if (!entry) return () => {};
    entry.listeners.add(listener);
    if (isTerminal(entry.record.state)) this.#tellTerminal(entry);
    return () => entry.listeners.delete(listener);
  }

  #tellTerminal(entry: Entry): void {
    for (const listener of entry.listeners) {
      queueMicrotask(() => {
        // Taken out before it is called: once, and not at all after it was unsubscribed.
        if (!entry.listeners.delete(listener)) return;
        try {
          listener(entry.record);
        } catch (error) {
          this.#o.log(`a listener of ${entry.record.id} failed: ${String(error)}`);
        }
      });
    }
  }

  /** Keeps the complete output of an ended command as a file, once. Null when it is kept. */
  async #keepArtifact(entry: Entry): Promise<ArtifactError | null> {
    const { id, sessionId, artifact, outputBytes } = entry.record;
    if (artifact) return null;
    entry.artifact ??= this.#o.artifacts.persist({ sessionId, commandId: id, bytes: outputBytes });
    const kept = await entry.artifact;
    entry.artifact = null;
    if (!kept.ok) return kept.error;
    this.#apply(entry, { type: 'artifact_kept', artifact: kept.value });
    this.#saveInBackground(entry);
    return null;
  }

  /** Names the file of the complete output for people and models. */
  #logName(record: CommandRecord): string {
    return `${record.id}/output.log`;
  }

  // ---- acting ----

  async write(id: CommandId, chars: string): Promise<Result<{ bytes: number }, ToolError>> {
    const written = await this.#o.host.write(id, chars);
    return written.ok ? written : err(fromHostError(written.error));
  }

  async sendEof(id: CommandId): Promise<Result<null, ToolError>> {
    const sent = await this.#o.host.sendEof(id);
    return sent.ok ? sent : err(fromHostError(sent.error));
  }

  /** Begins the stop ladder, or escalates it. On an ended command it stops what that left behind. */
  async stop(id: CommandId, by: StopBy): Promise<Result<null, ToolError>> {
    const entry = this.#entry(id);
    const asked = await this.#o.host.stop(id, by);
    if (!asked.ok) return err(fromHostError(asked.error));
    if (!isTerminal(entry.record.state)) {
      this.#apply(entry, { type: 'stop_begun', by });
      this.#publish({ type: 'command.changed', command: viewOf(entry) });
    }
    return ok(null);
  }

  /**
   * Frees the chat of a command, which runs on. An attached call returns at once with the marker; without one the next
   * poll does. False when it had ended or was in the background already.
   */
  detach(id: CommandId, by: DetachBy, reason: string): boolean {
    const entry = this.#entries.get(id);
    if (!entry || isTerminal(entry.record.state) || entry.record.placement === 'background') return false;
    const request: DetachRequest = { jobId: id, by, reason };
    this.#apply(entry, { type: 'backgrounded' });
    entry.stopForegroundTimer();
    const toolCallId = entry.attachment?.toolCallId;
    const detached = toolCallId === undefined ? undefined : this.registry.detach(toolCallId, request);
    if (detached)
      detached.catch(() => {}); // the attached call itself tells of a failure
    else entry.pendingDetach = request;
    this.#saveInBackground(entry);
    this.#publish({ type: 'command.detached', command: viewOf(entry) });
    return true;
  }

  #onForegroundLimit(id: CommandId): void {
    const seconds = Math.round(this.#o.limits.foregroundMs / 1000);
    this.detach(id, 'foreground_limit', `it ran ${seconds} s in the foreground, which is the limit`);
  }

  /** Commands were handed off in a checkpoint that the caller made. */
  handOff(ids: readonly CommandId[]): void {
    for (const id of ids) {
      const entry = this.#entries.get(id);
      if (!entry || entry.record.placement === 'background') continue;
      this.#apply(entry, { type: 'backgrounded' });
      entry.stopForegroundTimer();
      this.#publish({ type: 'command.handed_off', command: viewOf(entry) });
    }
  }

  /** Tells the window of a command that was taken up and saved. */
  tellStarted(id: CommandId): void {
    const entry = this.#entries.get(id);
    if (entry) this.#publish({ type: 'command.started', command: viewOf(entry) });
  }

  /** Tells the window of commands whose records the caller changed and saved. */
  tellMoved(ids: readonly CommandId[]): void {
    for (const id of ids) {
      const entry = this.#entries.get(id);
      if (!entry) continue;
      if (entry.record.placement === 'background') entry.stopForegroundTimer();
      this.#publish({ type: 'command.changed', command: viewOf(entry) });
    }
  }

  /** Applies a change that the caller has saved, or that needs no saving of its own. */
  apply(id: CommandId, event: CommandEvent): CommandRecord | undefined {
    const entry = this.#entries.get(id);
    if (entry) this.#apply(entry, event);
    return entry?.record;
  }

  // ---- the monitor of a wait ----

  /** Reserves the monitors of all of them, or of none. It observes and never consumes. */
  reserve(ids: readonly CommandId[], sessionId: SessionId): boolean {
    const entries = ids.map((id) => this.#entries.get(id));
    if (entries.some((entry) => !entry || entry.isReserved || entry.record.sessionId !== sessionId))
      return false;
    for (const entry of entries) if (entry) entry.isReserved = true;
    return true;
  }

  release(ids: readonly CommandId[]): void {
    for (const id of ids) {
      const entry = this.#entries.get(id);
      if (entry) entry.isReserved = false;
    }
  }

  isReserved(id: CommandId): boolean {
    return this.#entries.get(id)?.isReserved ?? false;
  }

  // ---- the host's words ----

  #onHostEvent(event: HostEvent): void {
    const early = this.#early.get(event.id);
    if (early) {
      early.push(event);
      return;
    }
    const entry = this.#entries.get(event.id);
    if (!entry) {
      if (event.type === 'started') this.#o.onForeign(event.command);
      return;
    }
    switch (event.type) {
      case 'started': // told by the answer to spawn
        return;
      case 'progress':
        this.#apply(entry, {
          type: 'progressed',
          bytes: event.bytes,
          at: event.at,
          ...(event.tail ? { tail: event.tail } : {}),
        });
        entry.attachment?.onOutput();
        this.#publish({
          type: 'command.progress',
          id: event.id,
          outputBytes: event.bytes,
          lastOutputAt: event.at,
          ...(event.tail ? { tail: event.tail } : {}),
        });
        return;
      case 'stopping':
        this.#apply(entry, { type: 'stop_begun', by: event.by });
        this.#publish({ type: 'command.changed', command: viewOf(entry) });
        return;
      case 'exited':
        this.noteExit(event.id, event.exit, event.tail);
        return;
      case 'descendants':
        this.#apply(entry, { type: 'descendants_changed', descendants: event.descendants });
        this.#saveInBackground(entry);
        this.#publish({ type: 'command.changed', command: viewOf(entry) });
        return;
      case 'blocked':
        entry.isBlocked = event.isBlocked;
        this.#publish({ type: 'command.changed', command: viewOf(entry) });
        return;
      case 'attention':
        entry.attention = event.attention;
        this.#publish({ type: 'command.changed', command: viewOf(entry) });
        return;
      case 'log_lost':
        this.#apply(entry, { type: 'log_lost', gap: event.gap });
        this.#saveInBackground(entry);
        this.#publish({ type: 'command.changed', command: viewOf(entry) });
        return;
      default:
        unreachable(event);
    }
  }

  /** Whether what living commands use is told: it is sampled only while somebody looks. */
  async watchResources(on: boolean): Promise<void> {
    await this.#o.host.watchResources(on);
    if (on) return;
    for (const entry of this.#entries.values()) entry.resources = null;
  }

  #onResources(commands: readonly CommandResources[]): void {
    for (const { id, ...resources } of commands) {
      const entry = this.#entries.get(id);
      if (!entry || isTerminal(entry.record.state)) continue;
      entry.resources = resources;
      this.#publish({ type: 'command.changed', command: viewOf(entry) });
    }
  }

  /** It lives where it cannot be reached: neither running nor lost. Its end is told in any case. */
  noteOutOfReach(id: CommandId): void {
    const entry = this.#entries.get(id);
    if (!entry) return;
    this.#apply(entry, { type: 'out_of_reach' });
    this.#publish({ type: 'command.changed', command: viewOf(entry) });
  }

  /** How far a command is, found in the host's list. */
  noteProgress(found: HostCommand): void {
    const entry = this.#entries.get(found.id);
    if (!entry) return;
    this.#apply(entry, { type: 'found' });
    const at = found.lastOutputAt ?? found.startedAt;
    this.#apply(entry, { type: 'progressed', bytes: found.bytes, at, tail: found.tail });
    if (found.stopping) this.#apply(entry, { type: 'stop_begun', by: found.stopping });
    if (found.gap) this.#apply(entry, { type: 'log_lost', gap: found.gap });
    entry.isBlocked = found.isBlocked;
    entry.attention = found.attention;
    this.#publish({ type: 'command.changed', command: viewOf(entry) });
  }

  /** The end of a command, told by the host or found in its list. Told twice it is a no-op. */
  noteExit(id: CommandId, exit: ExitRecord, tail: readonly string[]): void {
    const entry = this.#entries.get(id);
    if (!entry || isTerminal(entry.record.state)) return;
    entry.stopForegroundTimer();
    entry.isBlocked = false;
    entry.attention = null;
    entry.resources = null;
    this.#apply(entry, { type: 'ended', exit, tail });
    this.#o.onEnded(entry.record);
    entry.attachment?.settle('exit');
    this.#tellTerminal(entry);
  }

  #entry(id: CommandId): Entry {
    const entry = this.#entries.get(id);
    if (!entry) throw new Error(`there is no command ${id}`);
    return entry;
  }

  #apply(entry: Entry, event: CommandEvent): void {
    entry.record = transition(entry.record, event);
  }

  /** Placement and descendants may be saved late: a restart finds them again from the host. */
  #saveInBackground(entry: Entry): void {
    this.#o.store.checkpoint({ commands: [entry.record] }).catch(() => {});
  }

  #publish(event: AppEvent): void {
    this.#o.publish(event);
  }
}

function viewOf(entry: Entry): CommandView {
  const {
    cursor: _cursor,
    hasYielded: _yielded,
    isEndRead: _read,
    isEndSaved: _saved,
    artifact: _artifact,
    isUnawaited: _unawaited,
    ...view
  } = entry.record;
  const { isBlocked, attention, resources } = entry;
  return { ...view, isAttached: entry.attachment !== null, isBlocked, attention, resources };
}
