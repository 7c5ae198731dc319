/** A command on one line: what follows the first line is only hinted at. */
export function oneLine(cmd: string): string {
  const [first = '', ...rest] = cmd.trim().split('\n');
  return rest.length === 0 ? first : `${first} …`;
}

const TAB_CHARACTERS = 22;
const WORD = /^(?:\w+=\S*\s+|(?:sudo|env|exec|time|nice|nohup)\s+)+/;

/** A name for a tab: the program and its first words, without variables and wrappers in front. */
export function shortCommand(cmd: string, most = TAB_CHARACTERS): string {
  const line = oneLine(cmd);
  const text = line.replace(WORD, '') || line;
  if (text.length <= most) return text;
  const cut = text.slice(0, most);
  const atWord = cut.lastIndexOf(' ');
  return `${(atWord > most / 2 ? cut.slice(0, atWord) : cut).trimEnd()}…`;
}

/** The program alone, for a line of status words. */
export function programOf(cmd: string): string {
  const line = oneLine(cmd).replace(WORD, '');
  const word = line.split(/[\s;|&<>()]+/).find((part) => part !== '') ?? line;
  return word.split('/').at(-1) || word;
}

/** `1 command`, `2 commands`. */
export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;
