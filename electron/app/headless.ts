import { spawn } from 'node:child_process';
import os from 'node:os';

/**
 * Does what the command line does, in this program run as Node, on the same streams. Resolves with the status to exit
 * with. Main awaits it while it is still being loaded: Electron opens a display, which may not be there, only behind that.
 *
 * @param script the bundle of the command line
 * @param dataDir the app's data folder; null: its own
 */
export function performHeadless(
  script: string,
  words: readonly string[],
  dataDir: string | null,
): Promise<number> {
  const named = dataDir === null ? {} : { SWITCHYARD_DATA_DIR: dataDir };
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [script, ...words], {
      stdio: 'inherit',
      env: { ...process.env, ...named, ELECTRON_RUN_AS_NODE: '1' },
    });
    // Whoever ends this process means the one that does the work.
    for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
    // From a terminal this one reaches both.
    process.on('SIGINT', () => process.stdin.isTTY || child.kill('SIGINT'));
    child.once('error', (error) => {
      process.stderr.write(`switchyard: ${error.message}\n`);
      resolve(1);
    });
    child.once('exit', (status, signal) =>
      resolve(status ?? 128 + os.constants.signals[signal ?? 'SIGKILL']),
    );
  });
}
