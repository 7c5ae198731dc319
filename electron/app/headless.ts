import { spawnSync } from 'node:child_process';

/**
 * Does what the command line does, in this program run as Node, and returns the status to exit with. Waits for it without
 * giving Electron a turn: it would go on to open a display that may not be there.
 *
 * @param script the bundle of the command line
 * @param dataDir the app's data folder; null: its own
 */
export function performHeadless(script: string, words: readonly string[], dataDir: string | null): number {
  // Meant for the command, which gets it from the terminal itself.
  process.on('SIGINT', () => {});
  const named = dataDir === null ? {} : { SWITCHYARD_DATA_DIR: dataDir };
  const { status, signal, error } = spawnSync(process.execPath, [script, ...words], {
    stdio: 'inherit',
    env: { ...process.env, ...named, ELECTRON_RUN_AS_NODE: '1' },
  });
  if (error) process.stderr.write(`switchyard: ${error.message}\n`);
  return status ?? (signal === 'SIGINT' ? 130 : 1);
}
