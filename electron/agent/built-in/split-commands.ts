/**
 * Splits a message into shell commands, one a line, where a line that is not complete by itself (an open quote, a
 * heredoc, `for ... do`, a trailing `&&`) goes on into the next. Blank lines and comments are left out. A message
 * that is one fenced code block is one script. This only finds where commands end; the shell parses them.
 */
export function splitCommands(text: string): string[] {
  const fenced = /^\s*```[\w-]*\n([\s\S]*?)\n?```\s*$/.exec(text);
  if (fenced?.[1] !== undefined) return fenced[1].trim() === '' ? [] : [fenced[1]];
  const commands: string[] = [];
  let open: string[] = [];
  for (const line of text.replaceAll('\r\n', '\n').split('\n')) {
    if (open.length === 0 && (line.trim() === '' || line.trim().startsWith('#'))) continue;
    open.push(line);
    const command = open.join('\n');
    if (isComplete(command)) {
      commands.push(command.trim());
      open = [];
    }
  }
  // What never became complete is still run: the shell says best what is wrong with it.
  if (open.length > 0) commands.push(open.join('\n').trim());
  return commands;
}

const OPENERS = new Set(['for', 'while', 'until', 'select', 'if', 'case', '{']);
const CLOSERS = new Set(['done', 'fi', 'esac', '}']);
/** Words after which another command begins, so that a keyword counts. */
const BEFORE_COMMAND = new Set([
  '',
  ';',
  '&',
  '|',
  '(',
  ')',
  '\n',
  'do',
  'then',
  'else',
  'elif',
  'if',
  'while',
  'until',
  '{',
  '!',
]);

/** Whether the shell would not ask for another line. */
function isComplete(command: string): boolean {
  const heredocs: { word: string; mayIndent: boolean }[] = [];
  let depth = 0;
  let parens = 0;
  let cases = 0;
  let previous = '';
  let at = 0;
  while (at < command.length) {
    const char = command[at] as string;
    if (char === '\\') {
      if (at + 1 >= command.length) return false;
      at += 2;
    } else if (char === "'") {
      const end = command.indexOf("'", at + 1);
      if (end < 0) return false;
      at = end + 1;
      previous = 'word';
    } else if (char === '"') {
      const end = endOfDoubleQuote(command, at + 1);
      if (end < 0) return false;
      at = end + 1;
      previous = 'word';
    } else if (char === '#' && (at === 0 || /\s/.test(command[at - 1] as string))) {
      const end = command.indexOf('\n', at);
      at = end < 0 ? command.length : end;
    } else if (command.startsWith('<<', at) && !command.startsWith('<<<', at)) {
      const mark = /^<<(-?)\s*(['"]?)([^\s'";|&<>()]+)\2/.exec(command.slice(at));
      if (!mark) return false;
      heredocs.push({ word: mark[3] as string, mayIndent: mark[1] === '-' });
      at += mark[0].length;
      previous = 'word';
    } else if (command.startsWith('<<<', at)) {
      at += 3;
      previous = 'word';
    } else if (char === '\n') {
      at++;
      for (const { word, mayIndent } of heredocs.splice(0)) {
        const end = endOfHeredoc(command, at, word, mayIndent);
        if (end < 0) return false;
        at = end;
      }
      // A list operator at the end of a line asks for the next one.
      if (previous !== '|' && previous !== '&&') previous = '\n';
    } else if (char === '(') {
      parens++;
      at++;
      previous = '(';
    } else if (char === ')') {
      if (cases > 0 && parens === 0) previous = ';';
      else {
        parens--;
        previous = ')';
      }
      at++;
    } else if (char === ';' || char === '|' || char === '&') {
      const isPair = command[at + 1] === char;
      previous = (char === '|' || char === '&') && isPair ? '&&' : char;
      at += isPair ? 2 : 1;
    } else if (/\s/.test(char)) at++;
    else {
      const word = (/^[^\s;|&()'"\\<>]+|^[<>]/.exec(command.slice(at)) as RegExpExecArray)[0];
      const isFirst = BEFORE_COMMAND.has(previous) || previous === '&&';
      if (isFirst && OPENERS.has(word)) depth++;
      if (isFirst && CLOSERS.has(word)) depth--;
      if (isFirst && word === 'case') cases++;
      if (isFirst && word === 'esac') cases--;
      previous = isFirst && BEFORE_COMMAND.has(word) ? word : 'word';
      at += word.length;
    }
  }
  return heredocs.length === 0 && depth <= 0 && parens <= 0 && previous !== '&&' && previous !== '|';
}

function endOfDoubleQuote(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at;
  }
  return -1;
}

/** Offset behind the line that ends the heredoc, or -1. */
function endOfHeredoc(text: string, from: number, word: string, mayIndent: boolean): number {
  for (let at = from; at <= text.length; ) {
    const newline = text.indexOf('\n', at);
    const end = newline < 0 ? text.length : newline;
    const line = text.slice(at, end);
    if ((mayIndent ? line.replace(/^\t+/, '') : line) === word) return end;
    if (newline < 0) return -1;
    at = newline + 1;
  }
  return -1;
}
