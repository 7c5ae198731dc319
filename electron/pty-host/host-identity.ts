import type { CommandMeta } from '../../shared/protocol/host.ts';
import { bootId } from './boot-id.ts';
import { isAlive, isSameProcess, type ProcessIdentity, processTable } from './process-table.ts';

/** This process, as it stands in the records of the commands that it holds. */
export async function ownIdentity(): Promise<ProcessIdentity> {
  const self = await processTable.find(process.pid);
  return { pid: process.pid, startTime: self?.startTime ?? 0 };
}

/** Whether a record names another host than `self`, and that one lives: then nobody else touches the command. */
export async function isHeldElsewhere(
  { host, bootId: boot }: CommandMeta,
  self: ProcessIdentity,
): Promise<boolean> {
  return host !== null && boot === bootId && !isSameProcess(host, self) && (await isAlive(host));
}
