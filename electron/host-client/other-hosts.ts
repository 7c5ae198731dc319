import { type FSWatcher, watch } from 'node:fs';
import fs from 'node:fs/promises';
import { fileVersion, versionOfPidFile } from '../pty-host/host-paths.ts';
import type { HostProgram } from './find-or-start.ts';
import { ForeignProtocolError } from './greet.ts';
import { HostClient } from './host-client.ts';
import { ensureToken } from './host-token.ts';

/** A host that is there and did not answer is greeted again after this long. */
const RETRY_MS = 5_000;

export interface OtherHostsEvents {
  /** Resolves when what it has is known. */
  onFound(client: HostClient): Promise<void>;
  readonly log: (line: string) => void;
}

/**
 * Visits the hosts of other versions of the app in the folder: those that are there, and those that come. An older one
 * finishes its commands there after an update.
 */
export class OtherHosts {
  readonly #program: HostProgram;
  readonly #events: OtherHostsEvents;
  readonly #visits = new Map<string, Promise<void>>();
  readonly #clients = new Set<HostClient>();
  #watcher: FSWatcher | null = null;
  #retry: NodeJS.Timeout | null = null;
  #isDisposed = false;

  constructor(program: HostProgram, events: OtherHostsEvents) {
    this.#program = program;
    this.#events = events;
  }

  /** Resolves when what is there was greeted. */
  async start(): Promise<void> {
    try {
      this.#watcher = watch(this.#program.folder, (_event, name) => {
        if (name === null || versionOfPidFile(name) !== null) void this.#look();
      });
      this.#watcher.on('error', () => {}); // those that come later are found at the next start
      this.#watcher.unref();
    } catch (error) {
      this.#events.log(`the folder of the hosts cannot be watched: ${String(error)}`);
    }
    await this.#look();
  }

  get clients(): readonly HostClient[] {
    return [...this.#clients];
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#watcher?.close();
    if (this.#retry !== null) clearTimeout(this.#retry);
    for (const client of this.#clients) client.dispose();
  }

  async #look(): Promise<void> {
    const { folder, version: own } = this.#program;
    const names = await fs.readdir(folder).catch(() => []);
    const others = names.flatMap((name) => versionOfPidFile(name) ?? []);
    await Promise.all(others.map((version) => (version === fileVersion(own) ? null : this.#visit(version))));
  }

  /** One visit a version at a time, from the greeting to the end of the connection. */
  #visit(version: string): Promise<void> {
    const running = this.#visits.get(version);
    if (this.#isDisposed || running !== undefined) return running ?? Promise.resolve();
    const visit = this.#greet(version).catch((error: unknown) => {
      this.#visits.delete(version);
      this.#events.log(`the pty host ${version} cannot be visited: ${String(error)}`);
      if (!(error instanceof ForeignProtocolError)) this.#lookLater();
    });
    this.#visits.set(version, visit);
    return visit;
  }

  async #greet(version: string): Promise<void> {
    const token = await ensureToken(this.#program.folder);
    const client = await HostClient.visit(this.#program, version, token);
    if (client === null || this.#isDisposed) {
      client?.dispose();
      this.#visits.delete(version); // its pid file was left by one that died
      return;
    }
    this.#clients.add(client);
    client.onClose(() => {
      this.#clients.delete(client);
      this.#visits.delete(version);
      // Another one may have come in its place before it was gone here.
      void this.#look();
    });
    await this.#events.onFound(client);
  }

  #lookLater(): void {
    if (this.#isDisposed || this.#retry !== null) return;
    this.#retry = setTimeout(() => {
      this.#retry = null;
      void this.#look();
    }, RETRY_MS);
    this.#retry.unref();
  }
}
