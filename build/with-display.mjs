// Runs a program that opens windows, on a virtual display where there is no real one. As a script:
//   node build/with-display.mjs PROGRAM [ARGUMENT...]
import { spawn, spawnSync } from 'node:child_process';
import path from 'node:path';
import { PlainError, root, runMain } from './console.mjs';

/** Put before a command it runs that command on a display of its own, which nobody sees. */
export const VIRTUAL_DISPLAY = ['xvfb-run', '-a', '-s', '-screen 0 1600x1000x24'];

/** Whether windows can be opened here as it is. */
export function hasDisplay() {
  return process.platform !== 'linux' || Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);
}

function canMakeDisplay() {
  return spawnSync(VIRTUAL_DISPLAY[0] ?? '', ['--help'], { stdio: 'ignore' }).error === undefined;
}

/**
 * Runs a program with the terminal's input and output, and hands on signals.
 * @param {string} program
 * @param {string[]} args
 * @param {{ env?: NodeJS.ProcessEnv, isOptional?: boolean }} [options] `isOptional`: where no display can be had the
 *   program runs without one
 * @returns {Promise<number>} its exit code
 */
export function runWithDisplay(program, args, { env = process.env, isOptional = false } = {}) {
  const isBare = hasDisplay() || (isOptional && !canMakeDisplay());
  const [command = program, ...rest] = [...(isBare ? [] : VIRTUAL_DISPLAY), program, ...args];
  return new Promise((resolve, reject) => {
    const child = spawn(command, rest, { cwd: root, env, stdio: 'inherit' });
    for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']))
      process.on(signal, () => child.kill(signal));
    child.once('close', (code) => resolve(code ?? 1));
    child.once('error', (error) => {
      const hint =
        command === 'xvfb-run'
          ? 'There is no display, and xvfb-run is not installed. Install it (Debian: apt-get install xvfb xauth).'
          : `${program} could not be started: ${error.message}`;
      reject(new PlainError(hint));
    });
  });
}

if (process.argv[1] === import.meta.filename) {
  const [program, ...args] = process.argv.slice(2);
  const env = {
    ...process.env,
    PATH: `${path.join(root, 'node_modules/.bin')}${path.delimiter}${process.env.PATH}`,
  };
  await runMain(async () => {
    if (program === undefined)
      throw new PlainError('usage: node build/with-display.mjs PROGRAM [ARGUMENT...]');
    return runWithDisplay(program, args, { env });
  });
}
