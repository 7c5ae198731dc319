import type { Descendant } from '../../shared/model/command.ts';
import { listeningPorts } from './listening-ports.ts';
import { processTable } from './process-table.ts';

/** Named in a list of what is alive, and ports of each: what the exit record has room for. */
export const LISTED_MAX = 32;
const PORTS_MAX = 8;

/** Describes those of the processes that are alive, in the given order, at most LISTED_MAX. */
export async function describeProcesses(pids: readonly number[]): Promise<Descendant[]> {
  if (pids.length === 0) return [];
  const found = await Promise.all(pids.map((pid) => processTable.find(pid)));
  const living = found.filter((process) => process !== null).slice(0, LISTED_MAX);
  const ports = await listeningPorts(living.map(({ pid }) => pid));
  return living.map(({ pid, name }) => ({ pid, name, ports: (ports.get(pid) ?? []).slice(0, PORTS_MAX) }));
}
