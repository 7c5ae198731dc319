// The command line, a program of its own, run as plain Node:  node cli.js [ARGUMENTS]
// `bin/switchyard` of an installed app starts it; so does the app itself when it was started with one of the verbs.
import os from 'node:os';
import path from 'node:path';
import { limitsOf } from '../../shared/model/settings.ts';
import { loadSettings } from '../app/settings-file.ts';
import { dataFolder } from '../bridges/mcp/options.ts';
import { programVersion } from '../pty-host/program-version.ts';
import { type Invocation, parseArguments } from './arguments.ts';
import { FAILURE_STATUS } from './exit-status.ts';
import { HELP } from './help.ts';
import type { HostPlace } from './host.ts';
import { listJobs } from './jobs.ts';
import { openWindow } from './open-window.ts';
import { run } from './run.ts';
import { say } from './say.ts';
import { stopJobs } from './stop.ts';

const USAGE_STATUS = 2;
const bundle = import.meta.dirname;
const app = path.resolve(bundle, '../..');

// Whoever read this has gone, or the terminal has: there is nobody left to tell.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
const parsed = parseArguments(process.argv.slice(2));
if (!parsed.ok) {
  say(`${parsed.message} "switchyard --help" shows what there is.`);
  process.exit(USAGE_STATUS);
}
const { invocation, dataDir } = parsed;
if (invocation.verb === 'mcp') {
  // In this very process, so that its input, its end and its signals are the client's own.
  process.argv.splice(2, process.argv.length, ...invocation.args);
  await import('../bridges/mcp/main.ts');
} else {
  let status: number;
  try {
    status = await perform(invocation, dataDir);
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    status = invocation.verb === 'run' ? FAILURE_STATUS : 1;
  }
  await flushed(process.stdout);
  process.exit(status);
}

async function perform(asked: Exclude<Invocation, { verb: 'mcp' }>, named: string | null): Promise<number> {
  const { platform, env } = process;
  const data = dataFolder(named === null ? [] : ['--data-dir', named], { platform, env, home: os.homedir() });
  const place: HostPlace = { data, bundle };
  switch (asked.verb) {
    case 'help':
      process.stdout.write(HELP);
      return 0;
    case 'version':
      process.stdout.write(`${programVersion(bundle)}\n`);
      return 0;
    case 'open': {
      const isOwn = named === null && !env.SWITCHYARD_DATA_DIR;
      return openWindow({ ...asked, data: isOwn ? null : data, app });
    }
    case 'run':
      return run({
        place,
        settings: await readSettings(data),
        words: asked.command,
        timeoutMs: asked.timeoutMs,
      });
    case 'jobs':
      return listJobs(place, asked.isJson);
    case 'stop':
      return stopJobs(place, asked.ids, limitsOf(await readSettings(data)).stopGraceMs);
  }
}

/** A file that cannot be used is the window's to tell. */
async function readSettings(data: string) {
  return (await loadSettings(path.join(data, 'settings.json'), () => {})).current;
}

/** What was written has left this process. */
function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || !stream.writable) resolve();
    else stream.write('', () => resolve());
  });
}
