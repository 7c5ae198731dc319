import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';

const CLOSE_ON_EXEC = 0o2000000;

/**
 * Starts a program that outlives this one: own session, no standard streams, in `/`, so that it holds no folder.
 *
 * Electron's main holds descriptors without close-on-exec, and its launcher may have left some (a test driver's pipes
 * are 3 and 4). `stdio: 'ignore'` covers only 0 to 2, so each of the others is replaced by /dev/null; otherwise whoever
 * waits for the end of those pipes waits for the program. Linux only: elsewhere libuv closes them.
 *
 * Synchronous from the look at the descriptors to the start, so that none can come in between; only /proc is read.
 */
export function startDetached(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): ChildProcess {
  const stdio: (number | 'ignore')[] = ['ignore', 'ignore', 'ignore'];
  let nothing = -1;
  if (process.platform === 'linux') {
    nothing = fs.openSync('/dev/null', 'r+');
    for (const name of fs.readdirSync('/proc/self/fd')) {
      const fd = Number(name);
      if (fd > 2 && fd !== nothing && !isCloseOnExec(fd)) stdio[fd] = nothing;
    }
    for (let fd = 3; fd < stdio.length; fd++) stdio[fd] ??= 'ignore';
  }
  try {
    const child = spawn(program, args, { detached: true, stdio, cwd: '/', env });
    child.unref();
    return child;
  } finally {
    if (nothing >= 0) fs.closeSync(nothing);
  }
}

function isCloseOnExec(fd: number): boolean {
  try {
    const flags = /flags:\s+([0-7]+)/.exec(fs.readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1] ?? '0';
    return (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) !== 0;
  } catch {
    return true; // the listing's own descriptor, closed by now
  }
}
