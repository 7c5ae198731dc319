import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CommandId } from '../../shared/model/ids.ts';
import { type ExitRecord, MARKER_VARIABLE } from '../../shared/protocol/host.ts';
import { bootId } from './boot-id.ts';
import { type FormerCommand, readFormerCommand, saveFormerExit } from './command-folder.ts';
import { describeProcesses } from './descendants.ts';
import { EndedCommand } from './ended-command.ts';
import { isHeldElsewhere } from './host-identity.ts';
import { commandFiles, hostFiles } from './host-paths.ts';
import { type ProcessIdentity, processTable } from './process-table.ts';
import { freezeAndKill } from './tree-scan.ts';

/** Former commands that a new host tells of without being asked; older ones can be opened all the same. */
const TOLD_MAX = 256;
/** The runner's grace is 500 ms; its kill of a large tree takes some time too. */
const RUNNER_END_MS = 2_000;
const LOOK_EVERY_MS = 20;

/** What became of a command that this host does not run. `elsewhere`: another living host has it. */
export type Fate = EndedCommand | 'elsewhere' | 'unknown';

/**
 * What hosts before left in the folder of `self`, the newest first. A command whose host died before it recorded the end is lost:
 * what is alive of it is ended (its runner does so by itself, a command without one is found by its mark), and that is
 * recorded. What another living host has is left alone.
 */
export async function recoverCommands(folder: string, self: ProcessIdentity): Promise<EndedCommand[]> {
  const ids = await newestIds(folder);
  const ended: EndedCommand[] = [];
  for (const [index, id] of ids.entries()) {
    const isTold = index < TOLD_MAX;
    if (!isTold && (await hasExit(folder, id))) continue;
    const fate = await recoverCommand(folder, id, self);
    if (fate !== 'elsewhere' && fate !== 'unknown') ended.push(fate);
  }
  return ended;
}

/** One such command; `unknown` when there is no such folder. */
export async function recoverCommand(folder: string, id: CommandId, self: ProcessIdentity): Promise<Fate> {
  const former = await readFormerCommand(folder, id);
  if (former === null) return 'unknown';
  if (former.exit !== null) return EndedCommand.fromFolder(folder, former, former.exit);
  if (await isHeldElsewhere(former.meta, self)) return 'elsewhere';
  // Its host may have recorded the end and gone between the two looks.
  const again = await readFormerCommand(folder, id);
  if (again === null) return 'unknown';
  return EndedCommand.fromFolder(folder, again, again.exit ?? (await recordLoss(folder, again)));
}

async function recordLoss(folder: string, former: FormerCommand): Promise<ExitRecord> {
  const { meta, logBytes } = former;
  const isThisBoot = meta.bootId === null || meta.bootId === bootId;
  if (isThisBoot && meta.runnerPid !== null) await runnerGone(meta.runnerPid);
  const survivors = isThisBoot
    ? await freezeAndKill({
        pid: meta.pid ?? 0,
        startTime: meta.startTime ?? 0,
        mark: `${MARKER_VARIABLE}=${meta.marker}`,
        terminal: 0,
      })
    : [];
  const exit: ExitRecord = {
    id: meta.id,
    reason: 'lost',
    exitCode: null,
    signal: null,
    by: null,
    wasForced: false,
    startedAt: meta.createdAt,
    endedAt: Date.now(),
    bytes: logBytes,
    bytesLost: 0,
    gap: former.gap,
    inputDropped: 0,
    descendants: [],
    survivors: await describeProcesses(survivors.map(({ pid }) => pid)),
  };
  await saveFormerExit(folder, exit).catch(() => {}); // it is told now, and found lost again next time
  return exit;
}

/**
 * A runner that lost its host ends its tree by itself, and better than a scan can. It needs its grace; a number that
 * became a stranger's costs the whole wait.
 */
async function runnerGone(pid: number): Promise<void> {
  const end = performance.now() + RUNNER_END_MS;
  while (performance.now() < end && (await processTable.find(pid)) !== null) await sleep(LOOK_EVERY_MS);
}

async function newestIds(folder: string): Promise<CommandId[]> {
  const root = hostFiles.commands(folder);
  const names = await fs.promises.readdir(root).catch(() => []);
  const dated: { id: CommandId; at: number }[] = [];
  for (const name of names) {
    const id = CommandId.safeParse(name);
    if (!id.success) continue;
    const found = await fs.promises.stat(path.join(root, name)).catch(() => null);
    if (found?.isDirectory()) dated.push({ id: id.data, at: found.ctimeMs });
  }
  return dated.sort((a, b) => b.at - a.at).map(({ id }) => id);
}

/** Whether a host has recorded the end. */
export async function hasExit(folder: string, id: CommandId): Promise<boolean> {
  const text = await fs.promises.readFile(commandFiles.exit(folder, id), 'utf8').catch(() => '');
  return text.startsWith('{');
}
