import path from 'node:path';
import type { Word } from './shell-words.ts';

/** Where a command text is to run. Absolute paths. */
export interface Place {
  readonly workspace: string;
  readonly cwd: string;
  readonly home: string;
}

/** Whether a path is a folder or below it, by the names alone. */
export function isWithin(folder: string, file: string): boolean {
  const relative = path.relative(folder, file);
  return (
    relative === '' ||
    !(relative === '..' || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative))
  );
}

/**
 * The path that a word names when the shell runs it in `folder`: of a pattern the folder that it is looked for in. Null
 * when that cannot be known from the text.
 *
 * @param folder null when it is not known where the command runs
 */
export function pathOf(word: Word, folder: string | null, home: string): string | null {
  let text = '';
  let isPattern = false;
  for (const part of word.parts) {
    switch (part.kind) {
      case 'text':
        text += part.text;
        break;
      case 'home':
        if (part.user !== '') return null;
        text += home;
        break;
      case 'variable':
        if (part.name === 'HOME') text += home;
        else if (part.name === 'PWD' && folder !== null) text += folder;
        else return null;
        break;
      case 'pattern':
        isPattern = true;
        text += '*';
        break;
      default:
        return null;
    }
  }
  if (text === '') return null;
  if (isPattern) {
    const rest = text.slice(text.indexOf('*'));
    // From wherever the pattern leads.
    if (rest.split('/').includes('..')) return null;
    text = `${text.slice(0, text.indexOf('*')).replace(/[^/]*$/, '')}.`;
  }
  if (path.isAbsolute(text)) return path.resolve(text);
  return folder === null ? null : path.resolve(folder, text);
}
