import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { RootsListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import type { Session } from '../../supervisor/sessions.ts';
import { type Supervisor, titleFrom } from '../../supervisor/supervisor.ts';
import { running } from '../../supervisor/wait-machine.ts';
import { rootFolders } from './roots.ts';

/** A client that never answers for its roots must not hold up its first call for ever. */
const ROOTS_MS = 5_000;

export interface ConnectionOptions {
  readonly server: Server;
  readonly supervisor: Supervisor;
  /** Where commands start when the client names no root. */
  readonly cwd: string;
  readonly log: (line: string) => void;
}

/** A client's connection, which is one Switchyard session, and the folders that the client allows. */
export class Connection {
  readonly #o: ConnectionOptions;
  #session: Promise<Session> | null = null;
  /** The newest answer for the roots; null until it was asked for. */
  #roots: Promise<readonly string[]> | null = null;

  constructor(options: ConnectionOptions) {
    this.#o = options;
    const { server } = options;
    server.oninitialized = () => this.#askRoots();
    server.setNotificationHandler(RootsListChangedNotificationSchema, () => this.#askRoots());
  }

  /** The session, under the client's name; made when it is first needed. */
  session(): Promise<Session> {
    this.#session ??= this.#open();
    return this.#session;
  }

  /** The allowed folders; empty: all are. */
  async roots(): Promise<readonly string[]> {
    if (!this.#roots) this.#askRoots();
    return this.#roots ?? [];
  }

  /** Where relative folders begin, and commands that name none. */
  async workspace(): Promise<string> {
    return (await this.roots())[0] ?? this.#o.cwd;
  }

  async #open(): Promise<Session> {
    const { server, supervisor } = this.#o;
    const client = server.getClientVersion();
    const { id } = await supervisor.createSession(await this.workspace());
    const session = supervisor.session(id);
    if (!session) throw new Error('the session of the connection is gone');
    const title = client ? titleFrom(client.title ?? client.name) : 'MCP client';
    // The connection is one long turn of the client's: ends of commands wait until it asks, and wake nothing.
    session.turn = new AbortController();
    await supervisor.sessions.save(session, { view: running({ ...session.view, title }) });
    return session;
  }

  #askRoots(): void {
    const before = this.#roots ?? Promise.resolve([]);
    this.#roots = this.#fetchRoots().catch((error) => {
      this.#o.log(`the roots of the client are not known: ${String(error)}`);
      return before;
    });
  }

  async #fetchRoots(): Promise<readonly string[]> {
    const { server } = this.#o;
    if (!server.getClientCapabilities()?.roots) return [];
    const { roots } = await server.listRoots(undefined, { timeout: ROOTS_MS });
    return rootFolders(roots);
  }
}
