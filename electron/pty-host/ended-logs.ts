import fs from 'node:fs';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CommandId } from '../../shared/model/ids.ts';
import type { HostLimits } from '../../shared/protocol/host.ts';
import { commandFiles, hostFiles } from './host-paths.ts';
import { segmentOffset } from './log-segments.ts';
import { hasExit } from './recovery.ts';

/** What an ended command's folder takes. */
interface EndedFolder {
  /** Milliseconds since the epoch. */
  readonly endedAt: number;
  bytes: number;
  /** Of that, its log. */
  logBytes: number;
}

export interface EndedLogsOptions {
  /** The host's folder. */
  readonly folder: string;
  readonly limits: () => HostLimits;
  /** It lives, or is being started: its folder is not looked at. */
  readonly isInUse: (id: CommandId) => boolean;
  /** Another living host has it. */
  readonly isHeldElsewhere: (id: CommandId) => Promise<boolean>;
  /** The log of an ended command is gone. */
  onExpired(id: CommandId): void;
  report(what: string, error: unknown): void;
}

/**
 * The folders of ended commands. For space only their logs are removed, the oldest first: the record of the end stays
 * until it is told for certain, which is when the folder is old. One task at a time; nothing here blocks.
 */
export class EndedLogs {
  readonly #o: EndedLogsOptions;
  readonly #folders = new Map<CommandId, EndedFolder>();
  #task: Promise<unknown> = Promise.resolve();

  constructor(options: EndedLogsOptions) {
    this.#o = options;
  }

  /** Takes in what is in the folder already, and removes what is too much or too old. */
  load(): Promise<void> {
    return this.#queue(async () => {
      const names = await fs.promises.readdir(hostFiles.commands(this.#o.folder)).catch(() => []);
      for (const name of names) {
        const id = CommandId.safeParse(name);
        if (id.success) await this.#take(id.data);
        await nextTurn();
      }
      await this.#enforce();
    });
  }

  /** A command has ended and its folder is at rest. */
  add(id: CommandId): Promise<void> {
    return this.#queue(async () => {
      await this.#take(id);
      await this.#enforce();
    });
  }

  /** Removes what the limits no longer allow. */
  enforce(): Promise<void> {
    return this.#queue(() => this.#enforce());
  }

  /** Removes the oldest logs until so many bytes are free, or none is left. */
  makeRoom(bytes: number): Promise<void> {
    return this.#queue(async () => {
      let freed = 0;
      for (const [id, found] of this.#oldestFirst()) {
        if (freed >= bytes) return;
        freed += found.logBytes;
        await this.#removeLog(id, found);
      }
    });
  }

  #queue(task: () => Promise<void>): Promise<void> {
    const done = this.#task
      .then(task)
      .catch((error: unknown) => this.#o.report('ended commands could not be looked through', error));
    this.#task = done;
    return done;
  }

  #oldestFirst(): [CommandId, EndedFolder][] {
    return [...this.#folders].sort(([, a], [, b]) => a.endedAt - b.endedAt);
  }

  async #enforce(): Promise<void> {
    const { totalLogBytes, logExpiryMs } = this.#o.limits();
    const oldest = this.#oldestFirst();
    let total = oldest.reduce((sum, [, { bytes }]) => sum + bytes, 0);
    for (const [id, found] of oldest) {
      const isOld = Date.now() - found.endedAt > logExpiryMs;
      if (!isOld && total <= totalLogBytes) break;
      total -= isOld ? found.bytes : found.logBytes;
      if (isOld) await this.#removeFolder(id);
      else await this.#removeLog(id, found);
    }
  }

  async #take(id: CommandId): Promise<void> {
    if (this.#o.isInUse(id)) return;
    const folder = commandFiles.folder(this.#o.folder, id);
    // Another host may run it, or hold what it left behind; and a record without an end is not an ended command's.
    if (!(await hasExit(this.#o.folder, id)) || (await this.#o.isHeldElsewhere(id))) return;
    const record = await fs.promises.stat(commandFiles.exit(this.#o.folder, id)).catch(() => null);
    if (record === null) return;
    let bytes = 0;
    let logBytes = 0;
    for (const name of await fs.promises.readdir(folder).catch(() => [])) {
      const found = await fs.promises.lstat(path.join(folder, name)).catch(() => null);
      bytes += found?.size ?? 0;
      if (segmentOffset(name) !== null) logBytes += found?.size ?? 0;
    }
    this.#folders.set(id, { endedAt: record.mtimeMs, bytes, logBytes });
  }

  async #removeFolder(id: CommandId): Promise<void> {
    if (this.#o.isInUse(id)) return;
    await fs.promises.rm(commandFiles.folder(this.#o.folder, id), { recursive: true, force: true });
    this.#folders.delete(id);
    this.#o.onExpired(id);
  }

  async #removeLog(id: CommandId, found: EndedFolder): Promise<void> {
    if (found.logBytes === 0 || this.#o.isInUse(id)) return;
    const folder = commandFiles.folder(this.#o.folder, id);
    for (const name of await fs.promises.readdir(folder).catch(() => [])) {
      if (segmentOffset(name) !== null) await fs.promises.rm(path.join(folder, name), { force: true });
    }
    found.bytes -= found.logBytes;
    found.logBytes = 0;
    this.#o.onExpired(id);
  }
}
