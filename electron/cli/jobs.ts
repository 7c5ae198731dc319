import type { HostCommand } from '../../shared/protocol/host.ts';
import { findHost, type HostPlace } from './host.ts';
import { formatJobs, jobsOf } from './job-list.ts';
import { say } from './say.ts';

/** Lists what is alive. Starts nothing. Resolves with the status to exit with. */
export async function listJobs(place: HostPlace, isJson: boolean): Promise<number> {
  const host = await findHost(place, () => host?.dispose());
  let commands: readonly HostCommand[] = [];
  if (host !== null) {
    const listed = await host.list();
    host.dispose();
    if (!listed.ok) {
      say(listed.error.message);
      return 1;
    }
    commands = listed.value;
  }
  const jobs = jobsOf(commands, Date.now());
  const { stdout } = process;
  if (isJson) stdout.write(`${JSON.stringify(jobs, null, 2)}\n`);
  else if (jobs.length === 0) stdout.write('No commands are running.\n');
  else stdout.write(`${formatJobs(jobs, stdout.isTTY ? stdout.columns : Number.POSITIVE_INFINITY)}\n`);
  return 0;
}
