import path from 'node:path';
import { z } from 'zod';
import { VERBS } from '../cli/arguments.ts';

/** What a start of the app asks of the window, also of one that is open already. Another process says it: untrusted. */
export const StartRequest = z.object({
  /** Absolute; null: none is named. */
  folder: z
    .string()
    .refine((folder) => path.isAbsolute(folder))
    .nullable(),
  /** Also where an empty session of the folder could be shown. */
  isNew: z.boolean(),
});
export type StartRequest = z.infer<typeof StartRequest>;

export type Start =
  | { readonly kind: 'window'; readonly request: StartRequest }
  /** Nothing is shown: the words are for the command line. */
  | { readonly kind: 'headless'; readonly words: readonly string[]; readonly dataDir: string | null };

const HEADLESS: readonly string[] = [...VERBS, 'help', '--help', '-h', '--version', '-v'];
const DATA_SWITCH = '--user-data-dir=';

/**
 * What the program was started for, from the words behind it. Switches of Chromium may stand among them and mean nothing
 * here, but the data folder, which the command line has to know.
 */
export function readStart(words: readonly string[], cwd: string): Start {
  let folder: string | null = null;
  let isNew = false;
  let dataDir: string | null = null;
  for (const [at, word] of words.entries()) {
    if (HEADLESS.includes(word) && folder === null)
      return { kind: 'headless', words: words.slice(at), dataDir };
    if (word.startsWith(DATA_SWITCH)) dataDir = path.resolve(cwd, word.slice(DATA_SWITCH.length));
    else if (word === '--new-session') isNew = true;
    else if (word !== '' && !word.startsWith('-')) folder ??= path.resolve(cwd, word);
  }
  return { kind: 'window', request: { folder, isNew } };
}

/**
 * The words behind the program. Of an app that is not packaged the first of them are Electron's own, up to the app's
 * folder; of these only the switches are left, which count wherever they stand.
 *
 * @param appFolder null when it is packaged
 */
export function wordsBehind(argv: readonly string[], appFolder: string | null, cwd: string): string[] {
  const words = argv.slice(1);
  if (appFolder === null) return words;
  const at = words.findIndex((word) => !word.startsWith('-') && path.resolve(cwd, word) === appFolder);
  const switches = words.slice(0, Math.max(0, at)).filter((word) => word.startsWith('--'));
  return [...switches, ...words.slice(at + 1)];
}
