import { randomBytes, randomInt } from 'node:crypto';
import type { Descendant, StopBy } from '../../shared/model/command.ts';
import type { ResourceUse } from '../../shared/model/resources.ts';
import { err, ok, type Result } from '../../shared/model/result.ts';
import {
  type CommandMeta,
  type ExitRecord,
  type HostCommand,
  type HostError,
  type HostEvent,
  MARKER_VARIABLE,
  type SpawnSpec,
} from '../../shared/protocol/host.ts';
import { AttentionWatch } from './attention-watch.ts';
import { bootId } from './boot-id.ts';
import { CommandFolder } from './command-folder.ts';
import { CommandOutput } from './command-output.ts';
import type { CommandProcess, CommandProcessEvents, Launch } from './command-process.ts';
import { defer } from './deferred.ts';
import { DescendantWatch } from './descendant-watch.ts';
import { describeProcesses } from './descendants.ts';
import type { DiskGuard } from './disk-guard.ts';
import { hostError } from './host-error.ts';
import { listeningPorts } from './listening-ports.ts';
import type { SocketTable } from './port-look.ts';
import { type ProcessIdentity, processTable } from './process-table.ts';
import { Progress } from './progress.ts';
import { QueryResponder } from './query-responder.ts';
import type { SampledTree } from './resource-sampler.ts';
import { type LadderEnd, StopLadder } from './stop-ladder.ts';
import { errnoOf } from './system-names.ts';
import type { WaitStatus } from './wait-status.ts';

/** One string over this makes exec fail in the runner, where it could only be seen as exit code 1 (Linux: 32 pages). */
const MAX_STRING_BYTES = 131_071;
/** U+0003 alone is no input but an interrupt, whatever waits before it. */
const INTERRUPT = 0x03;
const GENERATION_MAX = 2 ** 32;

/** What a command needs of its host. */
export interface CommandContext {
  /** The host's folder. */
  readonly folder: string;
  /** The host's process, for the record: as long as it lives the command is its. */
  readonly self: ProcessIdentity;
  readonly disk: DiskGuard;
  launch(launch: Launch, events: CommandProcessEvents): CommandProcess;
  emit(event: HostEvent): void;
  /** Something failed that no client can be told. */
  report(what: string, error: unknown): void;
  /** It has ended, nothing that it started is held any more, and its terminal is gone. */
  onClosed(command: Command): void;
}

/** The end of the command itself, as it was observed. */
interface ObservedExit {
  readonly status: WaitStatus | null;
  readonly left: readonly number[];
  readonly at: number;
}

/** A stop that began before the exit was observed: it is what ended the command. */
interface Stop {
  readonly reason: 'stopped' | 'timeout';
  readonly by: StopBy;
  end: LadderEnd | null;
}

/** A command from its spawn until its terminal is closed. */
export class Command {
  readonly spec: SpawnSpec;
  readonly startedAt = Date.now();
  readonly output: CommandOutput;
  readonly #context: CommandContext;
  readonly #folder: CommandFolder;
  readonly #process: CommandProcess;
  readonly #progress: Progress;
  readonly #responder = new QueryResponder();
  readonly #watch: DescendantWatch;
  readonly #empty = defer<void>();
  /** The answer to `spawn` has gone out: events may follow it. */
  readonly #announced = defer<void>();
  readonly #attention: AttentionWatch;
  #agentInput: Promise<unknown> = Promise.resolve();
  #inputAt = 0;
  #meta: CommandMeta;
  #pid = 0;
  #deadline: NodeJS.Timeout | null = null;
  #ladder: StopLadder | null = null;
  #stop: Stop | null = null;
  #observed: ObservedExit | null = null;
  #isDrained = false;
  #isConcluding = false;
  #isEmpty = false;
  #isClosed = false;
  #exit: ExitRecord | null = null;
  #descendants: Descendant[] = [];

  /**
   * Starts a command. `spec` has been validated. Nothing is left behind by an error: workdir_missing, spawn_failed, or
   * invalid_arguments for an id that was used before.
   */
  static async start(context: CommandContext, spec: SpawnSpec): Promise<Result<Command, HostError>> {
    const refusal = refuseLongStrings(spec);
    if (refusal !== null) return err(refusal);
    let command: Command;
    try {
      command = new Command(context, spec);
    } catch (error) {
      return err(folderError(error));
    }
    const started = await command.#process.started;
    if (!started.ok) {
      command.#abandon();
      return started;
    }
    await command.#onStarted(started.value);
    context.disk.add(command.output);
    return ok(command);
  }

  private constructor(context: CommandContext, spec: SpawnSpec) {
    this.spec = spec;
    this.#context = context;
    const mark = `${spec.id}-${randomBytes(8).toString('hex')}`;
    const generation = randomInt(1, GENERATION_MAX);
    this.#meta = {
      id: spec.id,
      owner: spec.owner,
      ownerName: spec.ownerName,
      shell: spec.shell,
      cwd: spec.cwd,
      tty: spec.tty,
      deadlineMs: spec.deadlineMs,
      createdAt: this.startedAt,
      pid: null,
      runnerPid: null,
      startTime: null,
      bootId,
      host: context.self,
      generation,
      marker: mark,
    };
    this.#folder = new CommandFolder(context.folder, this.#meta, spec.cmd);
    try {
      this.output = new CommandOutput(this.#folder.path, spec.logQuotaBytes, generation, {
        onGrown: (bytes) => {
          this.#progress.changed();
          context.disk.wrote(bytes);
        },
        onBlocked: (isBlocked) => this.#onBlocked(isBlocked),
        onGap: (reason) => this.#onGap(reason),
      });
    } catch (error) {
      this.#folder.remove();
      throw error;
    }
    this.#progress = new Progress((withTail) => this.#tellProgress(withTail));
    this.#watch = new DescendantWatch(
      () => this.#process.tree(),
      (descendants) => this.#setDescendants(descendants),
    );
    this.#process = context.launch(
      {
        shell: spec.shell,
        script: this.#folder.script,
        cwd: spec.cwd,
        env: { TERM: 'xterm-256color', ...spec.env, PWD: spec.cwd, [MARKER_VARIABLE]: mark },
        mark: `${MARKER_VARIABLE}=${mark}`,
        tty: spec.tty,
        cols: spec.cols,
        rows: spec.rows,
      },
      {
        onBytes: (bytes) => this.#onBytes(bytes),
        onExited: (status, left) => this.#onExited(status, left),
        onDrained: () => this.#onDrained(),
        onEmpty: () => this.#onEmpty(),
        onClosed: () => this.#onClosed(),
      },
    );
    this.#attention = new AttentionWatch({
      process: this.#process,
      quietAfterMs: spec.quietAfterMs,
      outputAt: () => this.output.grownAt ?? this.startedAt,
      inputAt: () => this.#inputAt,
      onChanged: (attention) =>
        void this.#announced.promise.then(() => {
          if (!this.isOver) context.emit({ type: 'attention', id: spec.id, attention });
        }),
    });
  }

  get isOver(): boolean {
    return this.#observed !== null || this.#exit !== null;
  }

  /** Its end was told and nothing of it lives: only the terminal is still to be closed. */
  get isSpent(): boolean {
    return this.#exit !== null && this.#isEmpty;
  }

  get exit(): ExitRecord | null {
    return this.#exit;
  }

  view(): HostCommand {
    return {
      id: this.spec.id,
      owner: this.spec.owner,
      ownerName: this.spec.ownerName,
      cmd: this.spec.cmd,
      cwd: this.spec.cwd,
      shell: this.spec.shell,
      tty: this.spec.tty,
      pid: this.#pid,
      generation: this.output.generation,
      startedAt: this.startedAt,
      bytes: this.output.bytes,
      lastOutputAt: this.output.grownAt,
      tail: this.output.tail(),
      stopping: this.#exit === null ? (this.#stop?.by ?? null) : null,
      exit: this.#exit,
      descendants: this.#descendants,
      gap: this.output.gap,
      isBlocked: this.output.isBlocked,
      attention: this.#attention.attention,
    };
  }

  /** Call it when the answer to `spawn` has been sent: the command's events follow it. */
  announce(): void {
    this.#progress.begin();
    this.#announced.resolve();
  }

  #onBytes(bytes: Uint8Array): void {
    this.output.push(bytes);
    if (this.output.isWatched) {
      this.#responder.reset();
      return;
    }
    const answer = this.#responder.feed(bytes);
    if (answer) this.#process.write(answer);
  }

  /** What a person types. False when the queue has no room for all of it; then nothing was queued. */
  write(bytes: Uint8Array): boolean {
    this.#inputAt = Date.now();
    return isInterrupt(bytes) ? this.#process.interrupt() : this.#process.write(bytes);
  }

  /**
   * What an agent types, in the order in which it comes. `secret`: nothing was queued, for a password is asked for just
   * now. An interrupt is no input.
   */
  async writeForAgent(bytes: Uint8Array): Promise<'taken' | 'refused' | 'secret'> {
    const isSecret = this.#attention.asksForSecret();
    const turn = this.#agentInput.then(async () => {
      if ((await isSecret) && !isInterrupt(bytes)) return 'secret';
      return this.write(bytes) ? 'taken' : 'refused';
    });
    this.#agentInput = turn;
    return turn;
  }

  /** Where its processes hang; null when it has none. */
  get sampledTree(): SampledTree | null {
    const { runnerPid } = this.#process;
    if (this.#isEmpty || this.#pid === 0) return null;
    return { id: this.spec.id, root: runnerPid ?? this.#pid, isRootMember: runnerPid === null };
  }

  /** What it uses, as far as processes need not be looked at. */
  get ownUse(): Pick<ResourceUse, 'ports' | 'logBytes'> {
    const { bytes, gap } = this.output;
    return { ports: [...this.#attention.ports], logBytes: bytes - (gap?.droppedBytes ?? 0) };
  }

  /** Looks what it wants of a person. */
  async lookForAttention(sockets: SocketTable): Promise<void> {
    if (!this.isOver && this.#pid !== 0) await this.#attention.look(sockets);
  }

  /** False when the terminal is gone. */
  resize(cols: number, rows: number): boolean {
    return this.#process.resize(cols, rows);
  }

  /** Ports on which its processes listen, ascending. */
  async ports(): Promise<number[]> {
    const ports = [...(await listeningPorts(await this.#process.tree())).values()].flat();
    return [...new Set(ports)].sort((a, b) => a - b);
  }

  /** Looks whether its log is still there, and goes on in a new file when it is not. */
  checkLog(): Promise<void> {
    return this.output.checkFiles(() => this.#folder.restore());
  }

  /** Begins the stop ladder or, when it was begun, ends its grace. After the end it stops what was left behind. */
  stop(by: StopBy): void {
    this.#beginStop('stopped', by);
  }

  #beginStop(reason: Stop['reason'], by: StopBy): void {
    if (this.#isEmpty) return;
    if (this.#ladder !== null) {
      this.#ladder.escalate();
      return;
    }
    // A command that is being stopped must be able to write what its clean-up says, and to come to its end.
    this.output.loseWhenFull();
    const ladder = new StopLadder(this.#process, this.#empty.promise, this.spec.stopGraceMs);
    this.#ladder = ladder;
    void ladder.end.then((end) => this.#onLadderEnd(end));
    if (this.isOver) return;
    this.#stop = { reason, by, end: null };
    void this.#announced.promise.then(() => this.#context.emit({ type: 'stopping', id: this.spec.id, by }));
  }

  async #onLadderEnd(end: LadderEnd): Promise<void> {
    this.#ladder = null;
    if (this.#stop !== null && this.#stop.end === null) {
      this.#stop.end = end;
      this.#tryConclude();
    } else if (end.survivors.length > 0) {
      this.#setDescendants(await describeProcesses(end.survivors));
    }
  }

  async #onStarted(pid: number): Promise<void> {
    this.#pid = pid;
    const { deadlineMs } = this.spec;
    if (deadlineMs !== null && !this.isOver) {
      this.#deadline = setTimeout(() => this.#onDeadline(), deadlineMs);
    }
    const found = await processTable.find(pid);
    this.#meta = {
      ...this.#meta,
      pid,
      runnerPid: this.#process.runnerPid,
      startTime: found?.startTime ?? null,
    };
    this.#folder.completeMeta(this.#meta);
  }

  #onDeadline(): void {
    if (this.#stop === null) this.#beginStop('timeout', 'timeout');
  }

  #onBlocked(isBlocked: boolean): void {
    if (isBlocked) this.#process.pause('disk-full');
    else this.#process.resume('disk-full');
    void this.#announced.promise.then(() =>
      this.#context.emit({ type: 'blocked', id: this.spec.id, isBlocked }),
    );
  }

  #onGap(reason: 'quota' | 'deleted'): void {
    const { gap } = this.output;
    if (gap === null) return;
    void this.#announced.promise.then(() =>
      this.#context.emit({ type: 'log_lost', id: this.spec.id, gap, reason }),
    );
  }

  #onExited(status: WaitStatus | null, left: readonly number[]): void {
    this.#observed = { status, left, at: Date.now() };
    this.#attention.end();
    if (this.#deadline !== null) clearTimeout(this.#deadline);
  }

  #onDrained(): void {
    this.#isDrained = true;
    this.#tryConclude();
  }

  /**
   * The end is told when it was observed and all output is in the log. A stop ends when the tree is gone, or with the
   * names of those that could not be ended; if the command itself is one of them, its end is never observed.
   */
  #tryConclude(): void {
    if (this.#isConcluding) return;
    if (this.#stop !== null && this.#stop.end === null) return;
    const hasEnd = this.#observed !== null && this.#isDrained;
    const hasSurvivors = (this.#stop?.end?.survivors.length ?? 0) > 0;
    if (!hasEnd && !(hasSurvivors && this.#observed === null)) return;
    this.#isConcluding = true;
    void this.#conclude();
  }

  async #conclude(): Promise<void> {
    await this.output.settle();
    const exit = await this.#describeExit();
    try {
      await this.#folder.saveExit(exit);
    } catch (error) {
      this.#context.report(`the exit record of ${exit.id} could not be saved`, error);
    }
    await this.#announced.promise;
    this.#exit = exit;
    this.#descendants = exit.survivors.length > 0 ? exit.survivors : exit.descendants;
    this.#context.emit({ type: 'exited', id: exit.id, exit, tail: this.output.tail() });
    if (this.#isEmpty) this.#letGo();
    else this.#watch.start();
    this.#tryFinish();
  }

  async #describeExit(): Promise<ExitRecord> {
    const { status = null, left = [], at = Date.now() } = this.#observed ?? {};
    const stop = this.#stop;
    const isLost = stop === null && status === null;
    const isNatural = stop === null && status !== null;
    const survivors = stop?.end?.survivors ?? (isLost ? left : []);
    return {
      id: this.spec.id,
      reason: stop?.reason ?? (isLost ? 'lost' : 'exited'),
      exitCode: status?.exitCode ?? null,
      signal: status?.signal ?? null,
      by: stop?.by ?? null,
      wasForced: stop?.end?.wasForced ?? false,
      startedAt: this.startedAt,
      endedAt: at,
      bytes: this.output.bytes,
      bytesLost: this.output.lost,
      gap: this.output.gap,
      inputDropped: this.#process.inputDropped,
      descendants: isNatural ? await describeProcesses(left) : [],
      survivors: await describeProcesses(survivors),
    };
  }

  #onEmpty(): void {
    this.#isEmpty = true;
    this.#empty.resolve();
    if (this.#exit !== null) this.#letGo();
  }

  #letGo(): void {
    this.#watch.stop();
    this.#setDescendants([]);
    this.#process.release();
  }

  #setDescendants(descendants: Descendant[]): void {
    if (this.#exit === null || JSON.stringify(descendants) === JSON.stringify(this.#descendants)) return;
    this.#descendants = descendants;
    this.#context.emit({ type: 'descendants', id: this.spec.id, descendants });
  }

  #onClosed(): void {
    this.#isClosed = true;
    this.#tryFinish();
  }

  #tryFinish(): void {
    if (!this.#isClosed || this.#exit === null) return;
    this.#watch.stop();
    this.#progress.end();
    this.output.finish();
    this.#context.disk.remove(this.output);
    this.#folder.close();
    this.#context.onClosed(this);
  }

  #tellProgress(withTail: boolean): void {
    const { bytes, grownAt } = this.output;
    const event = { type: 'progress' as const, id: this.spec.id, bytes, at: grownAt ?? this.startedAt };
    this.#context.emit(withTail ? { ...event, tail: this.output.tail() } : event);
  }

  /** The program was never started. */
  #abandon(): void {
    this.#isConcluding = true;
    this.#progress.end();
    this.output.finish();
    this.#folder.remove();
  }
}

function isInterrupt(bytes: Uint8Array): boolean {
  return bytes.length === 1 && bytes[0] === INTERRUPT;
}

function refuseLongStrings(spec: SpawnSpec): HostError | null {
  const isLong = (text: string) => Buffer.byteLength(text) > MAX_STRING_BYTES;
  for (const [name, value] of Object.entries(spec.env)) {
    if (isLong(`${name}=${value}`)) {
      return hostError(
        'spawn_failed',
        `The variable ${name.slice(0, 80)} is longer than the system allows.`,
        'E2BIG',
      );
    }
  }
  if (isLong(spec.cwd))
    return hostError('workdir_missing', 'The path of the folder is too long.', 'ENAMETOOLONG');
  if (isLong(spec.shell))
    return hostError('spawn_failed', 'The path of the shell is too long.', 'ENAMETOOLONG');
  return null;
}

function folderError(error: unknown): HostError {
  const errno = errnoOf(error);
  if (errno === 'EEXIST')
    return hostError('invalid_arguments', 'The parameter id names a command that exists.');
  return hostError('spawn_failed', `The command's folder cannot be made: ${errno ?? String(error)}.`, errno);
}
