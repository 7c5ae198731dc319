import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { LOGIN_ENVIRONMENT_MS } from '../../shared/limits.ts';
import { withoutOurs } from '../supervisor/command-environment.ts';

/** More than any environment: a start-up file that writes without end is not read without end. */
const OUTPUT_MAX_BYTES = 8 * 1024 * 1024;
/** What the shell that was asked says of itself. */
const OF_THE_SHELL = ['_', 'SHLVL', 'PWD', 'OLDPWD', 'TERM'];

export interface LoginEnvironment {
  readonly env: Readonly<Record<string, string>>;
  /** Why it is not that of the login shell, as a sentence for a person; null when it is. */
  readonly notice: string | null;
}

export interface LoginShell {
  /** The environment that the app was started with. */
  readonly inherited: Readonly<Record<string, string | undefined>>;
  /** Path of the shell; by default the user's own. */
  readonly shell?: string | null;
  /** Milliseconds after which it is given up. */
  readonly limitMs?: number;
}

/**
 * The environment that the user has in a terminal, which a program started from the desktop does not have: asked of the
 * login shell once, within the limit. Never rejects: without an answer it is the inherited one, and the notice says why.
 * Ours and an AppImage's are in neither. What the start-up files leave running is not touched, unless the limit is
 * reached.
 */
export async function captureLoginEnvironment(options: LoginShell): Promise<LoginEnvironment> {
  const inherited = withoutOurs(options.inherited);
  if (process.platform === 'win32') return { env: inherited, notice: null };
  const { limitMs = LOGIN_ENVIRONMENT_MS, shell = loginShell(inherited) } = options;
  const fallback = (why: string) => ({
    env: inherited,
    notice: `${why} Commands get the environment that the app was started with.`,
  });
  if (shell === null) return fallback('There is no login shell to ask for the environment.');
  const answer = await ask(shell, inherited, limitMs);
  if (typeof answer === 'string') return fallback(`The login shell ${shell} ${answer}.`);
  return { env: answer, notice: null };
}

function loginShell(env: Readonly<Record<string, string>>): string | null {
  const named = env.SHELL ?? '';
  if (path.isAbsolute(named)) return named;
  try {
    return os.userInfo().shell;
  } catch {
    return null; // this user has no entry
  }
}

/** The environment, or what went wrong. */
function ask(
  shell: string,
  env: Readonly<Record<string, string>>,
  limitMs: number,
): Promise<Record<string, string> | string> {
  const mark = randomBytes(16).toString('hex');
  const home = env.HOME ?? os.homedir();
  return new Promise((resolve) => {
    // In a session of its own it has no terminal to take away or to wait for.
    const child = spawn(shell, argumentsFor(shell, `echo ${mark}; /usr/bin/env -0; echo ${mark}`), {
      cwd: fs.existsSync(home) ? home : '/',
      env: { ...env, TERM: 'dumb', SWITCHYARD_READS_ENVIRONMENT: '1' },
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
    });
    let output = Buffer.alloc(0);
    const settle = (answer: Record<string, string> | string) => {
      clearTimeout(late);
      child.stdout?.destroy();
      child.unref();
      resolve(answer);
    };
    const late = setTimeout(() => {
      killGroup(child);
      settle(
        `did not tell its environment within ${limitMs / 1_000} s; a start-up file may wait for something`,
      );
    }, limitMs);
    child.on('error', (error) => settle(`could not be started: ${error.message}`));
    child.on('exit', (code, signal) => {
      // What it wrote may still be on its way, and what it left running may hold the pipe open.
      setTimeout(
        () => settle(`ended with ${signal ?? code} and did not tell its environment`),
        EXIT_SETTLE_MS,
      );
    });
    child.stdout?.on('data', (chunk: Buffer) => {
      output = Buffer.concat([output, chunk]);
      const found = parseAnswer(output, mark);
      if (found !== null) settle(found);
      else if (output.length > OUTPUT_MAX_BYTES) {
        killGroup(child);
        settle('writes without end when it starts');
      }
    });
  });
}

/** From the exit to the last of the output. */
const EXIT_SETTLE_MS = 200;

/** A login shell that reads what an interactive one reads too: much is set there only. */
function argumentsFor(shell: string, script: string): string[] {
  const name = path.basename(shell);
  if (name === 'csh' || name === 'tcsh') return ['-ic', script]; // -l must be their only argument
  if (name === 'pwsh') return ['-Login', '-Command', script];
  return ['-l', '-i', '-c', script];
}

/** What stands between the marks; null while the second has not come, or when no PATH is there. */
export function parseAnswer(output: Buffer, mark: string): Record<string, string> | null {
  const begin = output.indexOf(`${mark}\n`);
  // Behind the last variable's end: some shells hand their last word on as `_`, and then the mark is in there too.
  const end = output.indexOf(`\0${mark}`, begin + mark.length + 1);
  if (begin < 0 || end < 0) return null;
  const env: Record<string, string> = {};
  for (const entry of output.toString('utf8', begin + mark.length + 1, end).split('\0')) {
    const at = entry.indexOf('=');
    if (at > 0) env[entry.slice(0, at)] = entry.slice(at + 1);
  }
  for (const name of OF_THE_SHELL) delete env[name];
  return env.PATH === undefined ? null : withoutOurs(env);
}

function killGroup(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
