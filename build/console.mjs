import { spawn } from 'node:child_process';
import path from 'node:path';

/** The top folder of the repository. */
export const root = path.resolve(import.meta.dirname, '..');

/** A failure whose message is meant for the person at the keyboard: it is shown without a stack. */
export class PlainError extends Error {}

/** @type {{ readonly fd: number, write(text: string): boolean }} */
let stream = process.stdout;

/** From now on nothing is said on standard output: it belongs to a protocol. */
export function keepOutputClean() {
  stream = process.stderr;
}

/** @param {string} text */
export function say(text) {
  stream.write(`${text}\n`);
}

/** Seconds since a time taken by performance.now(), for people: "4.2 s". @param {number} since */
export function secondsSince(since) {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}

/**
 * Runs a program to its end.
 * @param {string} program
 * @param {string[]} args
 * @param {{ env?: NodeJS.ProcessEnv, quiet?: boolean, cwd?: string, timeoutMs?: number, shell?: boolean }} [options]
 *   `quiet` collects the output instead of showing it
 * @returns {Promise<{ code: number, output: string }>} a program that could not be started gives code 127, one that
 *   was ended by a signal (or by the time limit) 128
 */
export function run(
  program,
  args,
  { cwd = root, env = process.env, quiet = false, timeoutMs = 0, shell = false } = {},
) {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd,
      env,
      shell,
      stdio: ['ignore', quiet ? 'pipe' : stream.fd, quiet ? 'pipe' : 'inherit'],
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
    });
    /** @type {Buffer[]} */
    const chunks = [];
    child.stdout?.on('data', (chunk) => chunks.push(chunk));
    child.stderr?.on('data', (chunk) => chunks.push(chunk));
    const output = () => Buffer.concat(chunks).toString('utf8').trim();
    child.once('error', (error) => resolve({ code: 127, output: `${error.message}\n${output()}`.trim() }));
    child.once('close', (code) => resolve({ code: code ?? 128, output: output() }));
  });
}

/**
 * Runs the main function of a script, and ends the process with its result. Expected failures show their message.
 * @param {() => Promise<number>} main
 */
export async function runMain(main) {
  try {
    process.exitCode = await main();
  } catch (error) {
    if (!(error instanceof PlainError)) throw error;
    process.stderr.write(`\n${error.message}\n`);
    process.exitCode = 1;
  }
}
