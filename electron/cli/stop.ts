import type { Descendant } from '../../shared/model/command.ts';
import type { CommandId } from '../../shared/model/ids.ts';
import { err, ok, type Result } from '../../shared/model/result.ts';
import type { HostCommand } from '../../shared/protocol/host.ts';
import type { HostLink } from '../host-client/host-link.ts';
import { findHost, type HostPlace } from './host.ts';
import { describeLeft, isAlive, jobsOf, oneLine } from './job-list.ts';
import { say } from './say.ts';
import { idsThatBegin } from './short-id.ts';

/** One of the IDs does not mean exactly one command. */
const USAGE_STATUS = 2;
/** SIGKILL is repeated this long, and then it is known what survives it. */
const KILL_MS = 4_000;
const LOOK_EVERY_MS = 250;

/** What could not be ended; empty: the whole tree is gone. */
type Stopped = Result<readonly Descendant[], string>;

/**
 * Stops commands with all that they started, and waits until that is gone. Nothing is stopped unless each of the IDs
 * means exactly one command. Resolves with the status to exit with.
 */
export async function stopJobs(
  place: HostPlace,
  written: readonly string[],
  graceMs: number,
): Promise<number> {
  let onLost = () => {};
  const host = await findHost(place, () => {
    host?.dispose();
    onLost();
  });
  if (host === null) {
    say(`There is no command ${written[0]}: no commands are running.`);
    return USAGE_STATUS;
  }
  try {
    const lost = new Promise<void>((resolve) => {
      onLost = resolve;
    });
    const listed = await host.list();
    if (!listed.ok) {
      say(listed.error.message);
      return 1;
    }
    const found = findAll(written, listed.value.filter(isAlive));
    if (!found.ok) {
      say(found.error);
      return USAGE_STATUS;
    }
    const stops = found.value.map(async (command) => tell(command, await stop(host, command, graceMs, lost)));
    return (await Promise.all(stops)).every(Boolean) ? 0 : 1;
  } finally {
    host.dispose();
  }
}

/** Each command once. The error says which ID does not mean exactly one of them. */
export function findAll(
  written: readonly string[],
  alive: readonly HostCommand[],
): Result<readonly HostCommand[], string> {
  const found = new Set<HostCommand>();
  for (const word of written) {
    const ids = idsThatBegin(
      word,
      alive.map(({ id }) => id),
    );
    if (ids.length === 0)
      return err(`There is no running command ${word}. "switchyard jobs" shows those that there are.`);
    if (ids.length > 1) {
      const short = jobsOf(alive, Date.now()).filter(({ id }) => ids.includes(id));
      return err(`${word} may mean ${short.map((job) => job.short).join(' or ')}. Nothing was stopped.`);
    }
    for (const command of alive) if (command.id === ids[0]) found.add(command);
  }
  return ok([...found]);
}

async function stop(
  host: HostLink,
  command: HostCommand,
  graceMs: number,
  lost: Promise<void>,
): Promise<Stopped> {
  const ended = command.exit === null ? exitOf(host, command.id) : goneOf(host, command.id, graceMs);
  const asked = await host.stop(command.id, 'user');
  if (!asked.ok) return err(asked.error.message);
  return Promise.race([ended, lost.then(() => ok([]))]); // with the host its trees end
}

/** Of a living command the end is told when its tree is gone, or with what survived. */
function exitOf(host: HostLink, id: CommandId): Promise<Stopped> {
  return new Promise((resolve) => {
    host.onEvent((event) => {
      if (event.type === 'exited' && event.id === id) resolve(ok(event.exit.survivors));
    });
  });
}

/** Of what an ended command left nobody tells that it survives: it is looked at until it is gone, or late. */
async function goneOf(host: HostLink, id: CommandId, graceMs: number): Promise<Stopped> {
  for (const late = performance.now() + graceMs + KILL_MS; ; ) {
    const listed = await host.list();
    if (!listed.ok) return err(listed.error.message);
    const left = listed.value.find((command) => command.id === id)?.descendants ?? [];
    if (left.length === 0 || performance.now() > late) return ok(left);
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

/** Whether it is gone. */
function tell({ id, cmd }: HostCommand, stopped: Stopped): boolean {
  const line = oneLine(cmd);
  if (!stopped.ok) say(`${id} could not be stopped: ${stopped.error}`);
  else if (stopped.value.length > 0)
    say(`Of "${line}" this could not be ended: ${describeLeft(stopped.value)}.`);
  else process.stdout.write(`Stopped: ${line}\n`);
  return stopped.ok && stopped.value.length === 0;
}
