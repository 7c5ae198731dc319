import type { StopBy } from '../../shared/model/command.ts';
import type { CommandId } from '../../shared/model/ids.ts';
import type { CommandResources } from '../../shared/model/resources.ts';
import type { HostEvent, HostLimits, InputBy, SpawnRequest } from '../../shared/protocol/host.ts';
import type { CommandHost } from '../supervisor/ports.ts';
import type { HostProgram } from './find-or-start.ts';
import { HostClient, type HostStream, type StreamPosition } from './host-client.ts';

const RETRY_FIRST_MS = 250;
const RETRY_MAX_MS = 5_000;

export interface HostLinkListener {
  /** The host went away; what it ran is ended by its runners. Calls fail until it is back. */
  onLost(): void;
  /** Another host is connected. It knows how the commands of the former one ended, or that they were lost. */
  onBack(): void;
  readonly log: (line: string) => void;
}

/** The pty host as the app needs it all its life: when the host dies another one is started, and listeners stay. */
export class HostLink implements CommandHost {
  readonly #program: HostProgram;
  readonly #listener: HostLinkListener;
  readonly #events = new Set<(event: HostEvent) => void>();
  readonly #resources = new Set<(commands: CommandResources[]) => void>();
  #limits: HostLimits | null = null;
  #watchesResources = false;
  #client: HostClient;
  #isDisposed = false;

  private constructor(program: HostProgram, listener: HostLinkListener, client: HostClient) {
    this.#program = program;
    this.#listener = listener;
    this.#client = client;
    this.#adopt(client);
  }

  /** Connects for the first time. Rejects with HostUnavailableError. */
  static async connect(program: HostProgram, listener: HostLinkListener): Promise<HostLink> {
    return new HostLink(program, listener, await HostClient.connect(program));
  }

  /** Connects to a host that runs already, and starts none. Null when none does. Rejects with HostUnavailableError. */
  static async find(program: HostProgram, listener: HostLinkListener): Promise<HostLink | null> {
    const client = await HostClient.find(program);
    return client && new HostLink(program, listener, client);
  }

  get client(): HostClient {
    return this.#client;
  }

  spawn(spec: SpawnRequest) {
    return this.#client.spawn(spec);
  }

  write(id: CommandId, chars: string, by: InputBy = 'agent') {
    return this.#client.write(id, chars, by);
  }

  sendEof(id: CommandId, by: InputBy = 'agent') {
    return this.#client.sendEof(id, by);
  }

  stop(id: CommandId, by: StopBy) {
    return this.#client.stop(id, by);
  }

  list() {
    return this.#client.list();
  }

  ports(id: CommandId) {
    return this.#client.ports(id);
  }

  readLog(id: CommandId, from: number, to: number) {
    return this.#client.readLog(id, from, to);
  }

  readLogRange(id: CommandId, from: number, to: number) {
    return this.#client.readLogRange(id, from, to);
  }

  /** Sets the limits of all commands together, of this host and of those that follow it. */
  configure(limits: HostLimits) {
    this.#limits = limits;
    return this.#client.configure(limits);
  }

  /** Whether `onResources` is told anything, by this host and those that follow it. */
  watchResources(on: boolean) {
    this.#watchesResources = on;
    return this.#client.watchResources(on);
  }

  onResources(listener: (commands: CommandResources[]) => void): () => void {
    this.#resources.add(listener);
    return () => this.#resources.delete(listener);
  }

  onEvent(listener: (event: HostEvent) => void): () => void {
    this.#events.add(listener);
    return () => this.#events.delete(listener);
  }

  openStream(id: CommandId, from: StreamPosition | null, onFrame: (frame: Uint8Array) => void): HostStream {
    return this.#client.openStream(id, from, onFrame);
  }

  /** Lets go of the host, which goes on by itself. */
  dispose(): void {
    this.#isDisposed = true;
    this.#client.dispose();
  }

  #adopt(client: HostClient): void {
    if (this.#limits !== null) void client.configure(this.#limits);
    if (this.#watchesResources) void client.watchResources(true);
    client.onResources((commands) => {
      for (const listener of this.#resources) listener(commands);
    });
    client.onEvent((event) => {
      for (const listener of this.#events) listener(event);
    });
    client.onClose(() => {
      if (this.#isDisposed) return;
      this.#listener.log(`the pty host ${client.hostPid} is gone`);
      this.#listener.onLost();
      if (this.#isDisposed) return; // whoever needs no other host has let go
      void this.#reconnect(RETRY_FIRST_MS);
    });
  }

  async #reconnect(delay: number): Promise<void> {
    try {
      const client = await HostClient.connect(this.#program);
      if (this.#isDisposed) return client.dispose();
      this.#client = client;
      this.#adopt(client);
      this.#listener.onBack();
    } catch (error) {
      this.#listener.log(`the pty host could not be started again: ${String(error)}`);
      setTimeout(() => void this.#reconnect(Math.min(delay * 2, RETRY_MAX_MS)), delay);
    }
  }
}
