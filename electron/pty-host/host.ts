import fs from 'node:fs';
import {
  ATTENTION_ROUND_MS,
  DEFAULT_LIMITS,
  ELSEWHERE_LOOK_MS,
  EXPIRY_LOOK_MS,
  LOG_LOOK_MS,
  RESOURCES_EVERY_MS,
} from '../../shared/limits.ts';
import type { CommandId } from '../../shared/model/ids.ts';
import type { CommandResources } from '../../shared/model/resources.ts';
import { err, ok, type Result } from '../../shared/model/result.ts';
import type {
  ExitRecord,
  HostCallInput,
  HostCallName,
  HostCallOutput,
  HostCommand,
  HostError,
  HostEvent,
  HostLimits,
  InputBy,
  ProcessSight,
  SupervisionLevel,
} from '../../shared/protocol/host.ts';
import { Command } from './command.ts';
import { readMeta } from './command-folder.ts';
import type { CommandProcess, CommandProcessEvents, Launch } from './command-process.ts';
import { DiskGuard } from './disk-guard.ts';
import { EndedCommand } from './ended-command.ts';
import { EndedLogs } from './ended-logs.ts';
import { hostError } from './host-error.ts';
import { isHeldElsewhere, ownIdentity } from './host-identity.ts';
import { hostFiles, socketPath } from './host-paths.ts';
import { canReadCalls } from './kernel-wait.ts';
import { SocketTable } from './port-look.ts';
import type { ProcessIdentity } from './process-table.ts';
import { type Fate, recoverCommand, recoverCommands } from './recovery.ts';
import { Repeated } from './repeated.ts';
import { ResourceSampler, type TreeUse } from './resource-sampler.ts';
import { RunnerProcess } from './runner-process.ts';
import { RunnerServer } from './runner-server.ts';
import { ScanProcess } from './scan-process.ts';
import type { FrameSink, OutputPosition, Viewer } from './viewer.ts';

/** Ended commands that are kept in memory and listed; the folder of each stays. */
const ENDED_MAX = 512;
const END_OF_FILE = Uint8Array.of(4);
const UNSEEN: TreeUse = { cpuPercent: null, memoryBytes: null, processes: null };
const SECRET_REFUSAL =
  'The command asks for a secret. Only the person may type it, into the pane of the command; nothing was written.';

export interface HostOptions {
  readonly folder: string;
  /** Of the app. */
  readonly version: string;
  /** Path of the runner; null, or a file that cannot be executed: commands are held by scanning. */
  readonly runner: string | null;
  emit(event: HostEvent): void;
  /** Tells those clients that asked for it what living commands use. */
  emitResources(resources: CommandResources[]): void;
  report(what: string, error: unknown): void;
  /** The number of living commands has changed. */
  onLivingChanged(): void;
}

/** A way to look at one command's output, and to type into it while it lives. */
export interface Opened {
  readonly viewer: Viewer;
  input(bytes: Uint8Array): void;
  resize(cols: number, rows: number): void;
  close(): void;
}

type Answer<N extends HostCallName> = Result<HostCallOutput<N>, HostError>;
/** Calls that a connection does not answer by itself. */
export type CommandCall = Exclude<HostCallName, 'open' | 'shut' | 'watchResources' | 'quitIfIdle'>;
type Handlers = {
  [N in CommandCall]: (input: HostCallInput<N>) => Answer<N> | Promise<Answer<N>>;
};

/** All commands of one folder. Inputs of its calls have been validated. */
export class Host {
  readonly level: SupervisionLevel;
  readonly sight: ProcessSight = process.platform === 'linux' && canReadCalls ? 'kernel' : 'none';
  readonly #options: HostOptions;
  readonly #runners: RunnerServer | null;
  readonly #live = new Map<string, Command>();
  readonly #ended = new Map<string, EndedCommand>();
  /** Of other living hosts, and asked for here. */
  readonly #elsewhere = new Set<CommandId>();
  readonly #elsewhereLooks: Repeated;
  readonly #looks = new Map<string, Promise<Fate>>();
  readonly #self: ProcessIdentity;
  readonly #starting = new Set<string>();
  readonly #endedLogs: EndedLogs;
  readonly #disk: DiskGuard;
  readonly #logLooks: Repeated;
  readonly #attentionLooks: Repeated;
  readonly #expiryLooks: Repeated;
  readonly #resourceLooks: Repeated;
  readonly #sockets = new SocketTable();
  readonly #sampler = new ResourceSampler();
  #limits: HostLimits = {
    totalLogBytes: DEFAULT_LIMITS.totalLogBytes,
    logExpiryMs: DEFAULT_LIMITS.logExpiryMs,
    freeSpaceFloorBytes: DEFAULT_LIMITS.freeSpaceFloorBytes,
  };

  private constructor(options: HostOptions, runners: RunnerServer | null, self: ProcessIdentity) {
    this.#options = options;
    this.#self = self;
    this.#runners = runners;
    this.level = runners === null ? 'scan' : 'runner';
    const report = (error: unknown) => options.report('a regular look failed', error);
    this.#endedLogs = new EndedLogs({
      folder: options.folder,
      limits: () => this.#limits,
      isInUse: (id) => this.#live.has(id) || this.#starting.has(id),
      isHeldElsewhere: async (id) => {
        const meta = await readMeta(options.folder, id);
        return meta !== null && isHeldElsewhere(meta, self);
      },
      onExpired: (id) => this.#onExpired(id),
      report: options.report,
    });
    this.#disk = new DiskGuard({
      folder: hostFiles.commands(options.folder),
      floorBytes: () => this.#limits.freeSpaceFloorBytes,
      makeRoom: (bytes) => this.#endedLogs.makeRoom(bytes),
    });
    this.#logLooks = new Repeated(LOG_LOOK_MS, () => this.#checkLogs(), report);
    this.#attentionLooks = new Repeated(ATTENTION_ROUND_MS, () => this.#lookForAttention(), report);
    this.#resourceLooks = new Repeated(RESOURCES_EVERY_MS, () => this.#tellResources(), report);
    this.#elsewhereLooks = new Repeated(ELSEWHERE_LOOK_MS, () => this.#lookElsewhere(), report);
    this.#expiryLooks = new Repeated(EXPIRY_LOOK_MS, () => this.#endedLogs.enforce(), report);
  }

  /** Opens the runners' socket if there is a runner, and finds the commands of former hosts. Others that live keep theirs. */
  static async open(options: HostOptions): Promise<Host> {
    const hasRunner = options.runner !== null && isExecutable(options.runner);
    const runners = hasRunner
      ? await RunnerServer.open(socketPath(options.folder, 'runner', options.version))
      : null;
    const self = await ownIdentity();
    const host = new Host(options, runners, self);
    for (const command of (await recoverCommands(options.folder, self)).reverse()) {
      host.#ended.set(command.exit.id, command);
    }
    void host.#endedLogs.load();
    host.#expiryLooks.turn(true);
    return host;
  }

  /** No command lives, none is being started, and nothing that one left behind is held. */
  get isIdle(): boolean {
    return this.#starting.size === 0 && [...this.#live.values()].every((command) => command.isSpent);
  }

  /** The calls that concern commands. Those that reach a living command take effect before they return, but an agent's input. */
  readonly calls: Handlers = {
    spawn: (spec) => this.#spawn(spec),
    write: ({ id, chars, by }) => this.#write(id, new TextEncoder().encode(chars), by),
    eof: async ({ id, by }) => {
      const written = await this.#write(id, END_OF_FILE, by);
      return written.ok ? ok(null) : written;
    },
    resize: ({ id, cols, rows }) => {
      const live = this.#live.get(id);
      if (live?.resize(cols, rows) === true) return ok(null);
      return this.#refuse(id);
    },
    stop: ({ id, by }) => {
      const live = this.#live.get(id);
      live?.stop(by);
      return live === undefined ? this.#onlyKnown(id) : ok(null);
    },
    list: () =>
      ok([
        ...[...this.#ended.values()].map((ended) => ended.view()),
        ...[...this.#live.values()].map((l) => l.view()),
      ]),
    find: async ({ ids }) => {
      const commands: HostCommand[] = [];
      const elsewhere: CommandId[] = [];
      await Promise.all(
        ids.map(async (id) => {
          const found = this.#live.get(id) ?? (await this.#lookUp(id));
          if (found === 'elsewhere') elsewhere.push(id);
          else if (found !== 'unknown') commands.push(found.view());
        }),
      );
      for (const id of elsewhere) this.#elsewhere.add(id);
      this.#elsewhereLooks.turn(this.#elsewhere.size > 0);
      return ok({ commands, elsewhere });
    },
    ping: () => ok(null),
    ports: async ({ id }) => {
      const live = this.#live.get(id);
      return live === undefined ? ok([]) : ok(await live.ports());
    },
    configure: (limits) => {
      this.#limits = limits;
      this.#disk.lookSoon();
      void this.#endedLogs.enforce();
      return ok(null);
    },
    forget: async ({ id }) => {
      const live = this.#live.get(id);
      if (live !== undefined) {
        return err(
          hostError(
            'invalid_arguments',
            'The parameter id names a command that lives, or left something alive.',
          ),
        );
      }
      if (this.#ended.delete(id)) return ok(null);
      return this.#onlyKnown(id);
    },
  };

  /**
   * Opens the output of a command, also of one that ended under a former host. That of a living one is open when this
   * returns: what its viewer sends next must not find it closed.
   */
  open(
    id: string,
    sink: FrameSink,
    from: OutputPosition | null,
  ): Result<Opened, HostError> | Promise<Result<Opened, HostError>> {
    const live = this.#live.get(id);
    if (live === undefined) return this.#openEnded(id, sink, from);
    const viewer = live.output.view(sink, from);
    return ok({
      viewer,
      input: (bytes) => void live.write(bytes),
      resize: (cols, rows) => void live.resize(cols, rows),
      close: () => live.output.unview(viewer),
    });
  }

  /** Begins the stop of everything that lives. */
  stopAll(): void {
    for (const command of this.#live.values()) command.stop('quit');
  }

  close(): void {
    this.#runners?.close();
  }

  /** Whether anybody wants to be told what living commands use. */
  watchResources(on: boolean): void {
    if (on && !this.#resourceLooks.isOn) void this.#tellResources();
    if (!on) this.#sampler.reset();
    this.#resourceLooks.turn(on);
  }

  async #tellResources(): Promise<void> {
    const commands = [...this.#live.values()].filter((command) => command.sampledTree !== null);
    if (commands.length === 0) return;
    const trees = commands.flatMap((command) => command.sampledTree ?? []);
    const uses = this.sight === 'kernel' ? await this.#sampler.sample(trees) : new Map<string, TreeUse>();
    this.#options.emitResources(
      commands.map((command) => ({
        id: command.spec.id,
        ...(uses.get(command.spec.id) ?? UNSEEN),
        ...command.ownUse,
      })),
    );
  }

  async #checkLogs(): Promise<void> {
    for (const command of [...this.#live.values()]) await command.checkLog();
  }

  /** One command after the other: what is seen is told late rather than bytes. */
  async #lookForAttention(): Promise<void> {
    for (const command of [...this.#live.values()]) await command.lookForAttention(this.#sockets);
  }

  #onExpired(id: CommandId): void {
    const bytes = this.#ended.get(id)?.bytes ?? 0;
    const gap = { from: 0, to: bytes, droppedBytes: bytes };
    this.#options.emit({ type: 'log_lost', id, gap, reason: 'expired' });
  }

  /** What other hosts had when somebody asked: has it ended, or its host died? */
  async #lookElsewhere(): Promise<void> {
    for (const id of [...this.#elsewhere]) await this.#lookUp(id);
    this.#elsewhereLooks.turn(this.#elsewhere.size > 0);
  }

  async #openEnded(
    id: string,
    sink: FrameSink,
    from: OutputPosition | null,
  ): Promise<Result<Opened, HostError>> {
    const ended = await this.#lookUp(id);
    if (ended === 'unknown') return err(unknownHandle());
    if (ended === 'elsewhere') return err(outOfReach());
    const viewer = ended.open(sink, from);
    return ok({ viewer, input: () => {}, resize: () => {}, close: () => viewer.close() });
  }

  async #spawn(spec: HostCallInput<'spawn'>): Promise<Answer<'spawn'>> {
    if (this.#live.has(spec.id) || this.#starting.has(spec.id)) return err(takenId());
    this.#starting.add(spec.id);
    try {
      const started = await Command.start(
        {
          folder: this.#options.folder,
          self: this.#self,
          disk: this.#disk,
          launch: (launch, events) => this.#launch(launch, events),
          emit: this.#options.emit,
          report: this.#options.report,
          onClosed: (command) => this.#onClosed(command),
        },
        spec,
      );
      if (!started.ok) return started;
      const command = started.value;
      this.#live.set(spec.id, command);
      this.#logLooks.turn(true);
      this.#attentionLooks.turn(true);
      // The answer goes out before the first event.
      setImmediate(() => {
        this.#options.emit({ type: 'started', id: spec.id, command: command.view() });
        command.announce();
      });
      const { startedAt, output } = command;
      return ok({ pid: command.view().pid, generation: output.generation, startedAt });
    } finally {
      this.#starting.delete(spec.id);
      this.#options.onLivingChanged();
    }
  }

  #launch(launch: Launch, events: CommandProcessEvents): CommandProcess {
    const { runner } = this.#options;
    return this.#runners !== null && runner !== null
      ? new RunnerProcess(this.#runners, runner, launch, events)
      : new ScanProcess(launch, events);
  }

  #onClosed(command: Command): void {
    const { id } = command.spec;
    this.#live.delete(id);
    if (this.#live.size === 0) {
      this.#logLooks.turn(false);
      this.#attentionLooks.turn(false);
    }
    void this.#endedLogs.add(id);
    if (command.exit !== null)
      this.#remember(new EndedCommand(this.#options.folder, command.view(), command.exit));
    this.#options.onLivingChanged();
  }

  #remember(ended: EndedCommand): void {
    this.#ended.set(ended.exit.id, ended);
    const [oldest] = this.#ended.keys();
    if (this.#ended.size > ENDED_MAX && oldest !== undefined) this.#ended.delete(oldest);
  }

  async #write(id: string, bytes: Uint8Array, by: InputBy): Promise<Answer<'write'>> {
    const live = this.#live.get(id);
    if (live === undefined || live.isOver) return this.#refuse(id);
    const answer = by === 'user' ? live.write(bytes) : await live.writeForAgent(bytes);
    if (answer === 'secret') return err(hostError('secret_input', SECRET_REFUSAL));
    if (answer === true || answer === 'taken') return ok({ bytes: bytes.length });
    if (live.isOver) return this.#refuse(id);
    return err(hostError('input_full', 'The command does not read its input, and no more of it is kept.'));
  }

  /** Why a call for a living command cannot be done. */
  async #refuse(id: string): Promise<{ ok: false; error: HostError }> {
    const found = this.#live.get(id) ?? (await this.#lookUp(id));
    if (found === 'unknown') return err(unknownHandle());
    if (found === 'elsewhere') return err(outOfReach());
    return err(hostError('command_ended', `The command has ended: ${howEnded(found.exit)}.`));
  }

  async #onlyKnown(id: string): Promise<Result<null, HostError>> {
    const found = await this.#lookUp(id);
    if (found === 'unknown') return err(unknownHandle());
    return found === 'elsewhere' ? err(outOfReach()) : ok(null);
  }

  /** A command that does not live here. */
  async #lookUp(id: string): Promise<Fate> {
    const ended = this.#ended.get(id);
    if (ended !== undefined) return ended;
    // The folder of a command that is just being started has no end either, and is not lost.
    if (this.#starting.has(id)) return 'unknown';
    // One look at a time: a loss is recorded once.
    const look = this.#looks.get(id) ?? this.#lookInFolder(id);
    this.#looks.set(id, look);
    return look.finally(() => this.#looks.delete(id));
  }

  async #lookInFolder(id: string): Promise<Fate> {
    const fate = await recoverCommand(this.#options.folder, id, this.#self);
    if (fate === 'elsewhere' || !this.#elsewhere.delete(id) || fate === 'unknown') return fate;
    // Somebody waits for this end.
    this.#remember(fate);
    void this.#endedLogs.add(fate.exit.id);
    this.#options.emit({ type: 'exited', id: fate.exit.id, exit: fate.exit, tail: fate.view().tail });
    return fate;
  }
}

function unknownHandle(): HostError {
  return hostError('unknown_handle', 'The parameter id names no command of this host.');
}

function outOfReach(): HostError {
  return hostError(
    'host_unavailable',
    'The command runs on under another version of Switchyard, which this one cannot talk to. Its end will be told.',
  );
}

function takenId(): HostError {
  return hostError('invalid_arguments', 'The parameter id names a command that exists.');
}

function howEnded(exit: ExitRecord | null): string {
  if (exit === null) return 'its output is being read to the end';
  if (exit.exitCode !== null) return `exit code ${exit.exitCode}`;
  return exit.signal === null ? exit.reason : exit.signal;
}

function isExecutable(path: string): boolean {
  try {
    fs.accessSync(path, fs.constants.X_OK);
    return fs.statSync(path).isFile();
  } catch {
    return false;
  }
}
