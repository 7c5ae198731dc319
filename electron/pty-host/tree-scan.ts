import { setTimeout as sleep } from 'node:timers/promises';
import {
  isAlive,
  isSameProcess,
  type ProcessIdentity,
  type ProcessInfo,
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
 * Finds the members of a tree by scanning: the root, what descends from a member, its session and those that members
 * lead, its terminal, the mark in the environment. Known hole: a re-parented process with its own session, no
 * terminal and a cleared environment. Never a member: this process and its ancestors.
 */
class TreeScan {
  readonly members = new Map<string, ProcessInfo>();
  readonly #root: TreeRoot;
  readonly #onMember: (member: ProcessInfo) => void;
  readonly #sessions = new Set<number>();
  readonly #spared: Set<number>;
  #ownSession = 0;

  /** `onMember` is called once a member, at the moment it is found. */
  constructor(root: TreeRoot, onMember: (member: ProcessInfo) => void) {
    this.#root = root;
    this.#onMember = onMember;
    this.#spared = new Set([0, 1, process.pid]);
  }

  /** Before the first scan. */
  async prepare(): Promise<void> {
    let up = await processTable.find(process.pid);
    this.#ownSession = up?.session ?? 0;
    for (; up !== null && up.parent > 1; up = await processTable.find(up.parent)) this.#spared.add(up.parent);
    // The root leads its own session. If its number is a stranger's by now, so would the session be.
    const { pid, startTime } = this.#root;
    const found = pid > 1 ? await processTable.find(pid) : null;
    const isStranger = found !== null && startTime !== null && found.startTime !== startTime;
    if (pid > 1 && pid !== this.#ownSession && !isStranger) this.#sessions.add(pid);
  }

  /** One pass. Resolves with the number of members that were not known before. */
  async pass(): Promise<number> {
    const before = this.members.size;
    const seen = new Map<number, ProcessInfo>();
    await processTable.visit(this.#root.mark, (found, hasMark) => {
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

  #isMember(found: ProcessInfo, seen: ReadonlyMap<number, ProcessInfo>): boolean {
    const { pid, startTime, terminal } = this.#root;
    const parent = seen.get(found.parent);
    return (
      (found.pid === pid && (startTime === null || found.startTime === startTime)) ||
      this.#sessions.has(found.session) ||
      (terminal !== 0 && found.terminal === terminal) ||
      (parent !== undefined && this.members.has(keyOf(parent)))
    );
  }

  #take(found: ProcessInfo): boolean {
    if (this.#spared.has(found.pid) || this.members.has(keyOf(found))) return false;
    this.members.set(keyOf(found), found);
    this.#onMember(found);
    if (found.pid === found.session && found.session !== this.#ownSession) this.#sessions.add(found.session);
    return true;
  }
}

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
    for (const member of await livingOf(scan)) send(member.pid, 'SIGKILL');
    await sleep(SETTLE_MS);
    const fresh = await scan.pass();
    const living = await livingOf(scan);
    if ((fresh === 0 && living.length === 0) || performance.now() >= end) return living;
  }
}

async function livingOf(scan: TreeScan): Promise<ProcessInfo[]> {
  const living: ProcessInfo[] = [];
  for (const member of scan.members.values()) if (await isAlive(member)) living.push(member);
  return living;
}

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
