import fs from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ResourceUse } from '../../shared/model/resources.ts';
import { type ProcStat, readProcStat } from './proc-stat.ts';
import { readSystemUnits } from './system-units.ts';

/** Processes read in one turn of the loop: about 1 ms. */
const SLICE = 32;

/** Where the processes of a command hang. */
export interface SampledTree {
  readonly id: string;
  readonly root: number;
  /** The root is one of them, and not what holds them. */
  readonly isRootMember: boolean;
}

export type TreeUse = Pick<ResourceUse, 'cpuPercent' | 'memoryBytes' | 'processes'>;

/**
 * What trees of processes use. One pass over the process table for all of them; processor time is the difference to the
 * pass before, of the processes that live at the end of it.
 */
export class ResourceSampler {
  readonly #units = readSystemUnits();
  /** Processor time by process, of the pass before. */
  #ticks: ReadonlyMap<string, number> = new Map();
  /** Trees that the pass before has seen. */
  #known: ReadonlySet<string> = new Set();
  #at = 0;

  /** Linux. Gives way between slices; a thousand processes are some 20 ms in all. */
  async sample(trees: readonly SampledTree[]): Promise<Map<string, TreeUse>> {
    const table = await readTable();
    const now = performance.now();
    const ticks = new Map<string, number>();
    const uses = new Map<string, TreeUse>();
    const children = byParent(table.values());
    for (const { id, root, isRootMember } of trees) {
      const members = membersOf(root, children);
      const first = table.get(root);
      if (isRootMember && first !== undefined) members.push(first);
      let used = 0;
      let pages = 0;
      for (const member of members) {
        const key = `${member.pid}:${member.startTime}`;
        ticks.set(key, member.cpuTicks);
        used += member.cpuTicks - (this.#ticks.get(key) ?? 0);
        pages += member.residentPages;
      }
      const seconds = (now - this.#at) / 1_000;
      const percent = (used / this.#units.ticksPerSecond / seconds) * 100;
      uses.set(id, {
        cpuPercent: this.#known.has(id) ? Math.round(percent * 10) / 10 : null,
        memoryBytes: pages * this.#units.pageBytes,
        processes: members.length,
      });
    }
    this.#ticks = ticks;
    this.#known = new Set(trees.map(({ id }) => id));
    this.#at = now;
    return uses;
  }

  /** Forgets the pass before: the next one has none to compare with. */
  reset(): void {
    this.#ticks = new Map();
    this.#known = new Set();
  }
}

async function readTable(): Promise<Map<number, ProcStat>> {
  const table = new Map<number, ProcStat>();
  let count = 0;
  for (const name of await fs.promises.readdir('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid)) continue;
    if (++count % SLICE === 0) await nextTurn();
    const found = readProcStat(pid);
    if (found !== null && found.state !== 'Z' && found.state !== 'X') table.set(pid, found);
  }
  return table;
}

function byParent(processes: Iterable<ProcStat>): Map<number, ProcStat[]> {
  const children = new Map<number, ProcStat[]>();
  for (const found of processes) {
    const siblings = children.get(found.parent);
    if (siblings === undefined) children.set(found.parent, [found]);
    else siblings.push(found);
  }
  return children;
}

function membersOf(root: number, children: ReadonlyMap<number, ProcStat[]>): ProcStat[] {
  const members = [...(children.get(root) ?? [])];
  for (const member of members) members.push(...(children.get(member.pid) ?? []));
  return members;
}
