/** Words that mean something to the shell where a command's name stands. */
const RESERVED = new Set(
  '! { } [[ case coproc do done elif else esac fi for function if in select then time until while'.split(' '),
);
const PLAIN = /^[A-Za-z0-9_@%+:,./-][A-Za-z0-9_@%+:,./=-]*$/;

/**
 * The text that a shell runs for the words of a command line: one word is a line of the shell's own language, several
 * are a program and its arguments, which reach it exactly as they are.
 */
export function shellLine(words: readonly string[]): string {
  if (words.length === 1) return words[0] ?? '';
  return words.map((word, at) => (isPlain(word, at === 0) ? word : quote(word))).join(' ');
}

function isPlain(word: string, isName: boolean): boolean {
  if (!PLAIN.test(word)) return false;
  return !isName || !(RESERVED.has(word) || word.includes('='));
}

function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
