import type { Redirection } from './shell-words.ts';

const WRITES = new Set(['>', '>>', '>|', '<>']);

/** Whether a redirection opens a file for writing: `2>&1` and `>&-` do not, `>&file` does. */
export function isFileWrite({ operator, target }: Redirection): boolean {
  if (operator === '>&') return !/^(?:\d+-?|-)$/.test(target?.text ?? '');
  return WRITES.has(operator);
}
