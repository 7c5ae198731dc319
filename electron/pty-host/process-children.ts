import fs from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { readProcStat } from './proc-stat.ts';

/** Processes looked at in one turn of the loop: about 1 ms. */
const SLICE = 16;

/**
 * Pids of everything that descends from `root`, which is not among them. Linux; costs what the tree is large, not what
 * the machine runs. Without the kernel's lists of children the whole process table is read.
 */
export async function descendantsOf(root: number): Promise<number[]> {
  if (!hasChildLists) return fromTable(root);
  const found = new Set([root]);
  let count = 0;
  for (const pid of found) {
    for (const child of childrenOf(pid)) found.add(child);
    if (++count % SLICE === 0) await nextTurn();
  }
  found.delete(root);
  return [...found];
}

const hasChildLists = fs.existsSync('/proc/thread-self/children');

/** A child is listed under the thread that forked it. */
function childrenOf(pid: number): number[] {
  const children: number[] = [];
  for (const thread of threadsOf(pid)) {
    try {
      const text = fs.readFileSync(`/proc/${pid}/task/${thread}/children`, 'latin1');
      for (const word of text.split(' ')) if (word !== '') children.push(Number(word));
    } catch {
      // The thread has ended.
    }
  }
  return children;
}

/** Numbers of a process's threads; none when it has ended. */
export function threadsOf(pid: number): string[] {
  try {
    return fs.readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

async function fromTable(root: number): Promise<number[]> {
  const children = new Map<number, number[]>();
  let count = 0;
  for (const name of fs.readdirSync('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid)) continue;
    if (++count % SLICE === 0) await nextTurn();
    const found = readProcStat(pid);
    if (found === null) continue;
    const siblings = children.get(found.parent);
    if (siblings === undefined) children.set(found.parent, [pid]);
    else siblings.push(pid);
  }
  const all = new Set([root]);
  for (const pid of all) for (const child of children.get(pid) ?? []) all.add(child);
  all.delete(root);
  return [...all];
}
