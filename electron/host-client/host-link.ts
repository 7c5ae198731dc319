import type { StopBy } from '../../shared/model/command.ts';
import type { CommandId } from '../../shared/model/ids.ts';
import type { CommandResources } from '../../shared/model/resources.ts';
import { err, ok, type Result } from '../../shared/model/result.ts';
import type {
  HostCommand,
  HostError,
  HostEvent,
  HostLimits,
  InputBy,
  SpawnRequest,
} from '../../shared/protocol/host.ts';
import type { CommandHost } from '../supervisor/ports.ts';
import { type HostProgram, isAnyRunning } from './find-or-start.ts';
import { OtherVersionError } from './greet.ts';
import { HostClient, type HostStream, type StreamPosition } from './host-client.ts';
import { OtherHosts } from './other-hosts.ts';

const RETRY_FIRST_MS = 250;
const RETRY_MAX_MS = 5_000;
/** A host of another version that hangs must not hold up the start of the app. */
const VISITS_MS = 1_000;

/** What becomes of the hosts. Whoever needs not know leaves it out. */
export interface HostLinkListener {
  /** The own host went away; what it ran is ended by its runners. Calls fail until it is back. */
  onLost?(): void;
  /** Another own host is connected. */
  onBack?(): void;
  /** A host of another version went away with commands that were alive. They are ended by its runners. */
  onOtherLost?(): void;
  /** A host is there and does not answer; its commands run on. Not told again until all answer. */
  onSilent?(): void;
  onAnswers?(): void;
  /** More has changed than events have told: what is known is to be compared with `list` and `find`. */
  onListChanged?(): void;
  readonly log: (line: string) => void;
}

/** Where a command of another host is. */
interface Place {
  readonly client: HostClient;
  hasEnded: boolean;
}

/**
 * The pty hosts as the app needs them all its life. Its own host, of its own version, runs what is started; when it dies
 * another one is started, and listeners stay. Hosts of other versions are visited: each call about a command goes to the
 * host that has it, and what they tell is told as if there were one host.
 */
export class HostLink implements CommandHost {
  readonly #program: HostProgram;
  readonly #listener: HostLinkListener;
  readonly #others: OtherHosts;
  /** Commands of visited hosts that were alive when they were last heard of here. All others are the own host's. */
  readonly #places = new Map<CommandId, Place>();
  /** Commands whose end the own host watches for from beside, since it was asked for them. */
  readonly #watched = new Set<CommandId>();
  readonly #silent = new Set<HostClient>();
  readonly #events = new Set<(event: HostEvent) => void>();
  readonly #resources = new Set<(commands: CommandResources[]) => void>();
  #limits: HostLimits | null = null;
  #watchesResources = false;
  #client: HostClient;
  /** Why there is no own host just now. */
  #trouble: string | null = null;
  #isDisposed = false;

  private constructor(program: HostProgram, listener: HostLinkListener, client: HostClient) {
    this.#program = program;
    this.#listener = listener;
    this.#client = client;
    this.#others = new OtherHosts(program, {
      onFound: (other) => this.#welcome(other),
      log: listener.log,
    });
    this.#adopt(client);
  }

  /** Connects for the first time. Rejects with HostUnavailableError. */
  static async connect(program: HostProgram, listener: HostLinkListener): Promise<HostLink> {
    const link = new HostLink(program, listener, await HostClient.connect(program));
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, VISITS_MS);
    });
    await Promise.race([link.#others.start(), late]);
    clearTimeout(timer);
    return link;
  }

  /**
   * Connects when a host of any version runs; null when none does, and then no command lives. Rejects with
   * HostUnavailableError.
   */
  static async find(program: HostProgram, listener: HostLinkListener): Promise<HostLink | null> {
    return (await isAnyRunning(program.folder)) ? HostLink.connect(program, listener) : null;
  }

  /** Starts a command in the own host. */
  async spawn(spec: SpawnRequest) {
    if (this.#client.isClosed && this.#trouble !== null)
      return err<HostError>({ code: 'host_unavailable', message: this.#trouble });
    return this.#client.spawn(spec);
  }

  write(id: CommandId, chars: string, by: InputBy = 'agent') {
    return this.#hostOf(id).write(id, chars, by);
  }

  sendEof(id: CommandId, by: InputBy = 'agent') {
    return this.#hostOf(id).sendEof(id, by);
  }

  resize(id: CommandId, cols: number, rows: number) {
    return this.#hostOf(id).resize(id, cols, rows);
  }

  stop(id: CommandId, by: StopBy) {
    return this.#hostOf(id).stop(id, by);
  }

  ports(id: CommandId) {
    return this.#hostOf(id).ports(id);
  }

  /** What the own host knows, and what lives in others. */
  async list(): Promise<Result<HostCommand[], HostError>> {
    const [own, ...others] = await Promise.all([
      this.#client.list(),
      ...this.#others.clients.map(async (client) => ({ client, listed: await client.list() })),
    ]);
    if (!own.ok) return own;
    const merged = new Map(own.value.map((command) => [command.id, command]));
    for (const { client, listed } of others) {
      for (const command of listed.ok ? listed.value : [])
        if (this.#places.get(command.id)?.client === client) merged.set(command.id, command);
    }
    return ok([...merged.values()]);
  }

  /** What became of commands that `list` does not name. */
  async find(ids: readonly CommandId[]) {
    const found = await this.#client.find(ids);
    for (const id of found.ok ? found.value.elsewhere : []) this.#watched.add(id);
    return found;
  }

  readLog(id: CommandId, from: number, to: number) {
    return this.#client.readLog(id, from, to);
  }

  readLogRange(id: CommandId, from: number, to: number) {
    return this.#client.readLogRange(id, from, to);
  }

  /** Sets the limits of all commands together, of all hosts and of those that come. */
  async configure(limits: HostLimits) {
    this.#limits = limits;
    for (const client of this.#others.clients) void client.configure(limits);
    return this.#client.configure(limits);
  }

  /** Whether `onResources` is told anything, by all hosts and those that come. */
  async watchResources(on: boolean) {
    this.#watchesResources = on;
    for (const client of this.#others.clients) void client.watchResources(on);
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

  /** As `HostClient.openStream`, of the host that has the command. */
  openStream(
    id: CommandId,
    from: StreamPosition | null,
    onFrame: (frame: Uint8Array) => void,
    onClose?: () => void,
  ): HostStream {
    return this.#hostOf(id).openStream(id, from, onFrame, onClose);
  }

  /** Lets go of the hosts, which go on by themselves. */
  dispose(): void {
    this.#isDisposed = true;
    this.#client.dispose();
    this.#others.dispose();
  }

  #hostOf(id: CommandId): HostClient {
    return this.#places.get(id)?.client ?? this.#client;
  }

  #tell(event: HostEvent): void {
    for (const listener of this.#events) listener(event);
  }

  /** What goes for any host, the own one or another. */
  #follow(client: HostClient): void {
    this.#brief(client);
    client.onResources((commands) => {
      for (const listener of this.#resources) listener(commands);
    });
    client.onSilence((isSilent) => {
      this.#listener.log(`the pty host ${client.hostPid} ${isSilent ? 'does not answer' : 'answers again'}`);
      if (isSilent) this.#silent.add(client);
      if (isSilent && this.#silent.size === 1) this.#listener.onSilent?.();
      if (isSilent) return;
      this.#onHeard(client);
      // Calls were refused meanwhile: whoever asked then asks again.
      this.#brief(client);
      void this.#takeStock(client).then(() => this.#onListChanged());
    });
  }

  #brief(client: HostClient): void {
    if (this.#limits !== null) void client.configure(this.#limits);
    void client.watchResources(this.#watchesResources);
  }

  #onHeard(client: HostClient): void {
    if (this.#silent.delete(client) && this.#silent.size === 0) this.#listener.onAnswers?.();
  }

  #adopt(client: HostClient): void {
    this.#trouble = null;
    this.#follow(client);
    // The own host may come to know the end of another one's command too, by its folder.
    client.onEvent((event) => {
      if (event.type === 'exited') this.#watched.delete(event.id);
      if (!this.#places.has(event.id)) this.#tell(event);
    });
    client.onClose(() => {
      if (this.#isDisposed) return;
      this.#silent.delete(client);
      this.#watched.clear();
      this.#listener.log(`the pty host ${client.hostPid} is gone`);
      this.#listener.onLost?.();
      if (this.#isDisposed) return; // whoever needs no other host has let go
      void this.#reconnect(RETRY_FIRST_MS);
    });
  }

  async #reconnect(delay: number): Promise<void> {
    if (this.#isDisposed) return;
    try {
      const client = await HostClient.connect(this.#program);
      if (this.#isDisposed) return client.dispose();
      this.#client = client;
      this.#adopt(client);
      this.#listener.onBack?.();
      this.#onListChanged();
    } catch (error) {
      this.#trouble = error instanceof Error ? error.message : String(error);
      this.#listener.log(`the pty host could not be started again: ${this.#trouble}`);
      if (this.#isDisposed || error instanceof OtherVersionError) return;
      setTimeout(() => void this.#reconnect(Math.min(delay * 2, RETRY_MAX_MS)), delay);
    }
  }

  /** Another host, just connected: what lives there is its, and what it tells of that is listened to. */
  async #welcome(client: HostClient): Promise<void> {
    this.#listener.log(`visiting the pty host ${client.hostPid} of version ${client.version}`);
    client.onClose(() => void this.#bidFarewell(client));
    await this.#takeStock(client);
    client.onEvent((event) => this.#onOtherEvent(client, event));
    this.#follow(client);
    this.#onListChanged();
  }

  async #takeStock(client: HostClient): Promise<void> {
    if (client === this.#client) return;
    const listed = await client.list();
    for (const command of listed.ok ? listed.value : []) {
      const isAlive = command.exit === null || command.descendants.length > 0;
      if (isAlive) this.#places.set(command.id, { client, hasEnded: command.exit !== null });
    }
  }

  /** Who has not listened yet asks for the list by itself. */
  #onListChanged(): void {
    if (this.#events.size > 0 && !this.#isDisposed) this.#listener.onListChanged?.();
  }

  #onOtherEvent(client: HostClient, event: HostEvent): void {
    if (event.type === 'started') this.#places.set(event.id, { client, hasEnded: false });
    const place = this.#places.get(event.id);
    if (place?.client !== client) return;
    if (event.type === 'exited') place.hasEnded = true;
    this.#tell(event);
  }

  /** Another host is gone. It ended by itself with nothing alive, or died: then the own one finds out what became of it. */
  async #bidFarewell(client: HostClient): Promise<void> {
    if (this.#isDisposed) return;
    this.#listener.log(`the pty host ${client.hostPid} of version ${client.version} is gone`);
    this.#onHeard(client);
    const left = [...this.#places].filter(([, place]) => place.client === client).map(([id]) => id);
    const open = new Set(left.filter((id) => this.#places.get(id)?.hasEnded === false));
    // What the own host watches is asked for too: it then tells of the end while that is still not listened to.
    const asked = left.filter((id) => open.has(id) || this.#watched.has(id));
    const found = asked.length > 0 ? await this.#client.find(asked) : null;
    for (const id of left) this.#places.delete(id);
    if (open.size === 0) return;
    for (const { id, exit, tail } of found?.ok ? found.value.commands : [])
      if (exit !== null && open.has(id)) this.#tell({ type: 'exited', id, exit, tail });
    this.#listener.onOtherLost?.();
    this.#onListChanged();
  }
}
