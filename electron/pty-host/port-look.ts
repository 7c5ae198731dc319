import { listeningSockets, socketsOf } from './listening-ports.ts';

/** A socket is looked for this often before it is held to be somebody else's. */
const TRIES = 3;

/** Listening sockets of the machine: port by inode. */
export type ListeningSockets = ReadonlyMap<string, number>;

/** The kernel walks all its hash buckets for a read of the table, which takes some 5 ms: it is read once for many. */
const FRESH_MS = 1_000;

/** The machine's table, read at most once a second. */
export class SocketTable {
  #at = Number.NEGATIVE_INFINITY;
  #sockets: Promise<ListeningSockets> = Promise.resolve(new Map());

  read(): Promise<ListeningSockets> {
    if (performance.now() - this.#at >= FRESH_MS) {
      this.#at = performance.now();
      this.#sockets = listeningSockets();
    }
    return this.#sockets;
  }
}

/**
 * The ports of one command, looked at again and again. Descriptors are read only when a listening socket has appeared
 * that may be its own, or one of its own has gone: what rests costs nothing.
 */
export class PortLook {
  /** Ports by process. */
  ports: ReadonlyMap<number, readonly number[]> = new Map();
  /** Sockets that are not its own, by the tries that are left. */
  readonly #strange = new Map<string, number>();
  #own = new Set<string>();

  /** Looks again. `members` gives the pids of the living tree, and is asked only when it is needed. */
  async look(sockets: ListeningSockets, members: () => Promise<readonly number[]>): Promise<void> {
    for (const inode of this.#strange.keys()) if (!sockets.has(inode)) this.#strange.delete(inode);
    const isUnsettled = (inode: string) => !this.#own.has(inode) && (this.#strange.get(inode) ?? TRIES) > 0;
    const hasLost = [...this.#own].some((inode) => !sockets.has(inode));
    if (!hasLost && ![...sockets.keys()].some(isUnsettled)) return;
    const own = new Set<string>();
    const ports = new Map<number, number[]>();
    for (const pid of await members()) {
      const listening = new Set<number>();
      for (const inode of await socketsOf(pid)) {
        const port = sockets.get(inode);
        if (port === undefined) continue;
        own.add(inode);
        listening.add(port);
      }
      if (listening.size > 0)
        ports.set(
          pid,
          [...listening].sort((a, b) => a - b),
        );
    }
    for (const inode of sockets.keys()) {
      if (own.has(inode)) this.#strange.delete(inode);
      else this.#strange.set(inode, Math.max(0, (this.#strange.get(inode) ?? TRIES) - 1));
    }
    this.#own = own;
    this.ports = ports;
  }
}
