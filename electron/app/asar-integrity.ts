import { once } from 'node:events';
import path from 'node:path';
import { app, type BrowserWindow, dialog } from 'electron';
import { type Damage, findDamage } from './program-files.ts';

/** Written when the app was packaged, by build/integrity-record.mjs. */
const RECORD = 'app.sha256';
const QUIT = 0;

/**
 * Checks that the packaged program's files are as they were packed, and says so in a dialog when they are not. It finds
 * damage: a broken disk, an update cut off, a file changed by hand. It is no guard against somebody who may write there,
 * since the record lies beside the files. Electron's own check does not exist on Linux; elsewhere it does this job.
 */
export async function checkProgramFiles(window: BrowserWindow, log: (line: string) => void): Promise<void> {
  if (!app.isPackaged || process.platform !== 'linux') return;
  const damage = await inspect(process.resourcesPath);
  if (damage.length === 0) return;
  for (const { file, what } of damage) log(`the program file ${file} is ${what}`);
  // A dialog of a window that is not there yet would lie below it.
  if (!window.isDestroyed() && !window.isVisible()) await once(window, 'show');
  if (window.isDestroyed()) return;
  const { response } = await dialog.showMessageBox(window, {
    type: 'error',
    title: 'Switchyard',
    message: "Switchyard's program files were changed or damaged.",
    detail:
      'Install it again. Your sessions, settings and running commands are kept elsewhere and are not touched by that.\n\n' +
      damage.map(({ file, what }) => `${file} (${what})`).join('\n'),
    buttons: ['Quit', 'Go On Anyway'],
    defaultId: QUIT,
    cancelId: 1,
    noLink: true,
  });
  if (response === QUIT) app.quit();
}

async function inspect(resources: string): Promise<Damage[]> {
  // Electron's own `fs` would look into the asar where its bytes are meant.
  const { createReadStream, promises } = await import('original-fs');
  const record = await promises.readFile(path.join(resources, RECORD), 'utf8').catch(() => '');
  return findDamage(record, (file) =>
    createReadStream(path.join(resources, file), { highWaterMark: 1 << 20 }),
  );
}
