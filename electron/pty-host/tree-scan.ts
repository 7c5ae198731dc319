import { setTimeout as sleep } from 'node:timers/promises';
import {
  isSameProcess,
  type ProcessIdentity,
  type ProcessInfo,
  type ProcessTable,
  processTable,
} from './process-table.ts';

const SETTLE_MS = 5;
const LIMIT_MS = 3_000;
/** Scans in a row that must find nobody new before the frozen tree is believed to be whole. */
const CALM_SCANS = 2;

/** What is known of a tree that no sub-reaper holds together. */
export interface TreeRoot {
  readonly pid: number;
  /** Null when it was not read while the root lived. */
  readonly startTime: number | null;
  /** The variable in the environment of all its members, as `NAME=value`. */
  readonly mark: string;
  /** Device number of its terminal; 0: unknown. */
  readonly terminal: number;
}

/**
 * Finds the members of a tree by scanning: the root, what descends from a member, its session and group and those that
 * members lead, its terminal, the mark in the environment. Known holes: a re-parented process with its own session, no
 * terminal and a cleared environment; on Windows what was started by one that ended before the first look. Never a
 * member: this process and its ancestors.
 */
export class TreeScan {
  readonly members = new Map<string, ProcessInfo>();
  readonly #table: ProcessTable;
  readonly #root: TreeRoot;
  readonly #onMember: (member: ProcessInfo) => void;
  /** By number, also when it has ended since: on Windows its children still name it. */
  readonly #memberOf = new Map<number, ProcessInfo>();
  readonly #sessions = new Set<number>();
  readonly #groups = new Set<number>();
  readonly #self: number;
  readonly #spared: Set<number>;
  #own: ProcessInfo | null = null;

  /**
   * @param onMember called once a member, at the moment it is found
   * @param table what lives, this system's own unless another one is looked at
   * @param self the process that looks: neither it nor one above it is a member
   */
  constructor(
    root: TreeRoot,
    onMember: (member: ProcessInfo) => void,
    table: ProcessTable = processTable,
    self = process.pid,
  ) {
    this.#root = root;
    this.#onMember = onMember;
    this.#table = table;
    this.#self = self;
    this.#spared = new Set([0, 1, self]);
  }

  /** Before the first scan. */
  async prepare(): Promise<void> {
    this.#own = await this.#table.find(this.#self);
    for (let up = this.#own; up !== null && up.parent > 1; ) {
      const parent = await this.#table.find(up.parent);
      if (parent === null || this.#spared.has(parent.pid) || !isOlder(parent, up)) break;
      this.#spared.add(parent.pid);
      up = parent;
    }
    // The root leads its own session and group. If its number is a stranger's by now, so would they be.
    const { pid, startTime } = this.#root;
    const found = pid > 1 ? await this.#table.find(pid) : null;
    const isStranger = found !== null && startTime !== null && found.startTime !== startTime;
    if (pid > 1 && !isStranger) this.#takeLed(pid);
  }

  /** One pass. Resolves with the number of members that were not known before. */
  async pass(): Promise<number> {
    const before = this.members.size;
    const seen = new Map<number, ProcessInfo>();
    await this.#table.visit(this.#root.mark, (found, hasMark) => {
      seen.set(found.pid, found);
      if (this.#isMember(found, seen) || hasMark()) this.#take(found);
    });
    // A child may have been read before its parent was known.
    for (let hasNew = true; hasNew; ) {
      hasNew = false;
      for (const found of seen.values()) if (this.#isMember(found, seen) && this.#take(found)) hasNew = true;
    }
    return this.members.size - before;
  }

  /** Those of the members that are alive. */
  async living(): Promise<ProcessInfo[]> {
    const living: ProcessInfo[] = [];
    for (const member of this.members.values()) {
      const found = await this.#table.find(member.pid);
      if (found !== null && isSameProcess(found, member)) living.push(member);
    }
    return living;
  }

  #isMember(found: ProcessInfo, seen: ReadonlyMap<number, ProcessInfo>): boolean {
    const { pid, startTime, terminal } = this.#root;
    return (
      (found.pid === pid && (startTime === null || found.startTime === startTime)) ||
      this.#sessions.has(found.session) ||
      this.#groups.has(found.group) ||
      (terminal !== 0 && found.terminal === terminal) ||
      this.#descends(found, seen)
    );
  }

  /** A parent is older than its child: a younger process of that number has only got it later. */
  #descends(found: ProcessInfo, seen: ReadonlyMap<number, ProcessInfo>): boolean {
    const parent = seen.get(found.parent);
    if (parent !== undefined && isOlder(parent, found)) return this.members.has(keyOf(parent));
    const former = this.#memberOf.get(found.parent);
    return former !== undefined && isOlder(former, found);
  }

  #take(found: ProcessInfo): boolean {
    if (this.#spared.has(found.pid) || this.members.has(keyOf(found))) return false;
    this.members.set(keyOf(found), found);
    this.#memberOf.set(found.pid, found);
    this.#onMember(found);
    if (found.pid === found.session || found.pid === found.group) this.#takeLed(found.pid);
    return true;
  }

  /** The session and the group that bear a member's number are its own, unless they are ours. */
  #takeLed(pid: number): void {
    if (pid !== this.#own?.session) this.#sessions.add(pid);
    if (pid !== this.#own?.group) this.#groups.add(pid);
  }
}

const isOlder = (parent: ProcessIdentity, child: ProcessIdentity) => parent.startTime <= child.startTime;

const keyOf = (process: ProcessIdentity) => `${process.pid}:${process.startTime}`;

/** Finds the tree; each member gets the signals, in order, at the moment it is found. Resolves with those that were found. */
export async function signalTree(root: TreeRoot, signals: readonly NodeJS.Signals[]): Promise<ProcessInfo[]> {
  const scan = new TreeScan(root, (member) => {
    for (const signal of signals) send(member.pid, signal);
  });
  await scan.prepare();
  await scan.pass();
  return [...scan.members.values()];
}

/**
 * Stops each member at the moment it is found: it can then neither fork nor exit, so the parent links stay whole. When
 * two passes find nobody new, kills; looks again until nobody is left. Resolves with who is, after 3 s at most.
 */
export async function freezeAndKill(root: TreeRoot): Promise<ProcessInfo[]> {
  const end = performance.now() + LIMIT_MS;
  const scan = new TreeScan(root, (member) => send(member.pid, 'SIGSTOP'));
  await scan.prepare();
  for (;;) {
    for (let calm = 0; calm < CALM_SCANS && performance.now() < end; )
      calm = (await scan.pass()) > 0 ? 0 : calm + 1;
    for (const member of await scan.living()) send(member.pid, 'SIGKILL');
    await sleep(SETTLE_MS);
    const fresh = await scan.pass();
    const living = await scan.living();
    if ((fresh === 0 && living.length === 0) || performance.now() >= end) return living;
  }
}

/** On Windows SIGTERM and SIGKILL are TerminateProcess, and of the others none is known. */
function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended, or it is another user's: the next pass sees which.
  }
}

/** Sends a signal to exactly this process, or to nobody if it has ended. */
export async function signalProcess(identity: ProcessIdentity, signal: NodeJS.Signals): Promise<void> {
  const found = await processTable.find(identity.pid);
  if (found !== null && isSameProcess(found, identity)) send(identity.pid, signal);
}
