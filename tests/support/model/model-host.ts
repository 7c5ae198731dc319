import type { Clock, CommandHost } from '../../../electron/supervisor/ports.ts';
import type { StopBy } from '../../../shared/model/command.ts';
import { err, ok, type Result } from '../../../shared/model/result.ts';
import type {
  ExitRecord,
  HostCommand,
  HostError,
  HostEvent,
  Spawned,
  SpawnRequest,
} from '../../../shared/protocol/host.ts';
import { hostCommand } from '../host-command.ts';

interface ModelCommand {
  readonly spec: SpawnRequest;
  readonly facts: HostCommand;
  log: Uint8Array;
}

/** A pty host without processes: commands that write and end when the test says so. It outlives its clients. */
export class ModelHost {
  readonly commands = new Map<string, ModelCommand>();
  readonly #clock: Clock;
  #listeners = new Set<(event: HostEvent) => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A client as one run of the app has it; the one before it hears nothing any more. */
  connect(): CommandHost {
    const listeners = new Set<(event: HostEvent) => void>();
    this.#listeners = listeners;
    const { commands } = this;
    return {
      spawn: async (spec) => this.#spawn(spec),
      write: async (id, chars) => (commands.get(id)?.facts.exit ? ended(id) : ok({ bytes: chars.length })),
      sendEof: async () => ok(null),
      stop: async (id, by) => {
        this.end(id, { reason: 'stopped', exitCode: null, signal: 'SIGTERM', by });
        return ok(null);
      },
      list: async () => ok([...commands.values()].map((command) => structuredClone(command.facts))),
      find: async (ids) => ({
        ok: true,
        value: {
          commands: ids.flatMap((id) => structuredClone(commands.get(id)?.facts) ?? []),
          elsewhere: [],
        },
      }),
      readLog: async (id, from, to) => commands.get(id)?.log.slice(from, to) ?? new Uint8Array(),
      readLogRange: async (id, from, to) => ({
        from,
        bytes: commands.get(id)?.log.slice(from, to) ?? new Uint8Array(),
      }),
      ports: async () => ok([]),
      watchResources: async () => ok(null),
      onResources: () => () => {},
      onEvent: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    };
  }

  #tell(event: HostEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  disconnect(): void {
    this.#listeners = new Set();
  }

  #spawn(spec: SpawnRequest): Result<Spawned, HostError> {
    const startedAt = this.#clock.now();
    const facts = hostCommand({
      id: spec.id,
      owner: spec.owner,
      ownerName: spec.ownerName ?? '',
      cmd: spec.cmd,
      cwd: spec.cwd,
      shell: spec.shell,
      tty: spec.tty,
      pid: 1000 + this.commands.size,
      generation: this.commands.size + 1,
      startedAt,
    });
    this.commands.set(spec.id, { spec, facts, log: new Uint8Array() });
    return ok({ pid: facts.pid, generation: facts.generation, startedAt });
  }

  output(id: string, bytes: Uint8Array): void {
    const command = this.commands.get(id);
    if (!command || command.facts.exit) return;
    const log = new Uint8Array(command.log.length + bytes.length);
    log.set(command.log);
    log.set(bytes, command.log.length);
    command.log = log;
    command.facts.bytes = log.length;
    command.facts.lastOutputAt = this.#clock.now();
    this.#tell({ type: 'progress', id, bytes: log.length, at: this.#clock.now() });
  }

  end(
    id: string,
    how: { reason: ExitRecord['reason']; exitCode: number | null; signal: string | null; by: StopBy | null },
  ): void {
    const command = this.commands.get(id);
    if (!command || command.facts.exit) return;
    const { startedAt, bytes } = command.facts;
    const exit: ExitRecord = {
      id,
      ...how,
      wasForced: false,
      startedAt,
      endedAt: this.#clock.now(),
      bytes,
      bytesLost: 0,
      gap: null,
      inputDropped: 0,
      descendants: [],
      survivors: [],
    };
    command.facts.exit = exit;
    this.#tell({ type: 'exited', id, exit, tail: [] });
  }
}

const ended = (id: string) => err({ code: 'command_ended' as const, message: `${id} has ended.` });
