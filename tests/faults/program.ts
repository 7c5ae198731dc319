import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { built } from '../support/host.ts';
import { type Bench, Skipped } from './fault.ts';

const HOOKS = pathToFileURL(path.resolve(import.meta.dirname, '../../build/typescript-hooks.mjs')).href;

/** The command line of a program of tests/faults/programs. */
export function programLine(name: string, args: readonly string[]): [string, ...string[]] {
  const file = path.join(import.meta.dirname, 'programs', `${name}.ts`);
  return [process.execPath, '--import', HOOKS, file, ...args];
}

/** Starts a program that the case kills, or that says lines of its own. It ends with the case. */
export function startProgram(
  bench: Bench,
  name: string,
  args: readonly string[],
): { child: ChildProcess; says: (line: string) => Promise<string>; ended: Promise<void> } {
  const [file, ...rest] = programLine(name, args);
  const child = spawn(file, rest, { stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  let errors = '';
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  bench.onEnd(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  child.stderr?.on('data', (chunk) => {
    errors += chunk;
  });
  return {
    child,
    ended,
    says: (line) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = text.split('\n').find((each) => each.startsWith(line));
          if (found !== undefined) resolve(found.slice(line.length).trim());
        };
        child.stdout?.on('data', (chunk) => {
          text += chunk;
          look();
        });
        child.once('close', () =>
          reject(new Error(`${name} ended without "${line}": ${errors.slice(-300)}`)),
        );
        look();
      }),
  };
}

/**
 * Runs a program of tests/faults/programs in a private PID namespace with a reaper as process 1, where neither fork
 * chains nor wide signals reach anybody else. Resolves with the JSON that it prints last.
 */
export async function runIsolated(
  bench: Bench,
  name: string,
  args: readonly string[] = [],
  more: readonly string[] = [],
): Promise<Record<string, unknown>> {
  requireNamespace();
  const flags = ['-pf', '--mount-proc', '--kill-child', ...more];
  const line = ['unshare', ...flags, built.testkit, 'init', ...programLine(name, args)] as const;
  // It may be killed before it has tidied up.
  const env = { ...process.env, TMPDIR: bench.folder() };
  const child = spawn(line[0], line.slice(1), { stdio: ['ignore', 'pipe', 'pipe'], env });
  bench.onEnd(() => child.kill('SIGKILL'));
  let text = '';
  let errors = '';
  child.stdout.on('data', (chunk) => {
    text += chunk;
  });
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  await new Promise((resolve) => child.once('close', resolve));
  try {
    return JSON.parse(text.trim().split('\n').at(-1) ?? '');
  } catch {
    throw new Error(`${name} told nothing: ${(errors || text).slice(-400)}`);
  }
}

function requireNamespace(): void {
  const tried = spawnSync('unshare', ['-pf', '--mount-proc', '--kill-child', built.testkit, 'init', 'true'], {
    encoding: 'utf8',
  });
  if (tried.status !== 0) {
    const reason = tried.error?.message ?? tried.stderr.trim();
    throw new Skipped(`a private PID namespace cannot be had: ${reason}`);
  }
}
