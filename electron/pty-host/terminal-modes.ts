import { spawn } from 'node:child_process';
import type { TerminalModes } from './command-process.ts';
import { defer, within } from './deferred.ts';

const ANSWER_MS = 1_000;
/** Helper processes at a time. */
const HELPERS_MAX = 4;
let helpers = 0;

/** Asks stty, for Node itself cannot: how the terminal of an open descriptor stands. Null when that cannot be told. */
export async function terminalModes(fd: number): Promise<TerminalModes | null> {
  if (helpers >= HELPERS_MAX) return null;
  helpers++;
  try {
    const end = defer<TerminalModes | null>();
    const child = spawn('stty', ['-a'], { stdio: [fd, 'pipe', 'ignore'] });
    let text = '';
    child.stdout?.setEncoding('latin1');
    child.stdout?.on('data', (chunk: string) => {
      text += chunk;
    });
    child.on('error', () => end.resolve(null));
    child.on('close', () => end.resolve(parseStty(text)));
    const modes = await within(end.promise, ANSWER_MS, null);
    if (child.exitCode === null) child.kill('SIGKILL');
    return modes;
  } finally {
    helpers--;
  }
}

/** Reads what `stty -a` says, of GNU or BSD; null when it does not name both modes. */
export function parseStty(text: string): TerminalModes | null {
  const words = new Set(text.split(/[\s;:]+/));
  const flag = (name: string) => (words.has(`-${name}`) ? false : words.has(name) ? true : null);
  const echo = flag('echo');
  const lineMode = flag('icanon');
  return echo === null || lineMode === null ? null : { echo, lineMode };
}
