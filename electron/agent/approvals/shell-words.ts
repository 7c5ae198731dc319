/**
 * Reads a command text as a POSIX shell (and bash) would, as far as is needed to judge it before it runs: which simple
 * commands it holds, also inside substitutions, subshells and heredocs, with which words and redirections. It runs
 * nothing and expands nothing. What it does not understand makes the whole text not understood; what it found until
 * then, and after, is still given, so that dangers can be marked.
 */

/** A piece of a word. `unknown`: its value is only known when the shell runs it. */
export type WordPart =
  | { readonly kind: 'text'; readonly text: string }
  /** `~` or `~name` at the beginning. */
  | { readonly kind: 'home'; readonly user: string }
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'pattern' }
  | { readonly kind: 'commands'; readonly commands: readonly SimpleCommand[] }
  | { readonly kind: 'unknown' };

export interface Word {
  /** Its value without quotes; null when that is not fixed by the text alone. */
  readonly text: string | null;
  /** As it is written. */
  readonly source: string;
  readonly parts: readonly WordPart[];
}

export interface Redirection {
  /** Without the number of a descriptor: `<`, `>>`, `>&`, `<<` and so on. */
  readonly operator: string;
  /** For a heredoc the word that ends it. */
  readonly target: Word | null;
}

/** Assignments, words and redirections up to an operator. */
export interface SimpleCommand {
  readonly assignments: readonly Word[];
  readonly words: readonly Word[];
  readonly redirections: readonly Redirection[];
}

export interface ShellText {
  /** Every simple command of the text, at whatever depth, in about the order in which they begin. */
  readonly commands: readonly SimpleCommand[];
  /** False: there is more to it than the commands tell. */
  readonly isUnderstood: boolean;
}

/** Substitutions deeper than this are not looked into: a text must not exhaust the stack. */
const MAX_DEPTH = 40;

/** Reserved words that are followed by a command and change nothing of what it does. */
const TRANSPARENT = new Set(['!', '{', '}', 'if', 'then', 'elif', 'else', 'fi', 'do', 'done']);
/** Reserved words whose commands run more than once, for other words, or later. */
const OPAQUE = new Set(['for', 'select', 'while', 'until', 'case', 'esac', 'function', 'coproc', '[[']);
const REPEATING = new Set(['while', 'until']);

const ASSIGNMENT = /^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=/;
const OPERATORS = ['<<<', '<<-', '<<', '<&', '<>', '<', '>>', '>&', '>|', '>'] as const;

/** Reads a command text. */
export function parseShell(text: string): ShellText {
  return parse(text, 0);
}

function parse(text: string, depth: number): ShellText {
  const reader = new Reader(text, depth);
  reader.readList(null);
  return { commands: reader.commands, isUnderstood: reader.isUnderstood };
}

interface OpenCommand {
  assignments: Word[];
  words: Word[];
  redirections: Redirection[];
}

interface Heredoc {
  readonly end: string;
  readonly mayIndent: boolean;
  /** A quoted end word keeps the shell from expanding the body. */
  readonly isLiteral: boolean;
}

class Reader {
  readonly commands: SimpleCommand[] = [];
  isUnderstood = true;
  readonly #text: string;
  #at = 0;
  #depth: number;
  #heredocs: Heredoc[] = [];
  #open: OpenCommand = opened();

  constructor(text: string, depth: number) {
    this.#text = text;
    this.#depth = depth;
  }

  // ---- lists of commands ----

  /** Reads commands up to the closing sign, which is taken too, or to the end of the text. */
  readList(close: ')' | null): void {
    const outer = this.#open;
    const outerHeredocs = this.#heredocs;
    this.#open = opened();
    this.#heredocs = [];
    this.#depth++;
    // The body of an outer heredoc would begin in the middle of this list.
    if (outerHeredocs.length > 0 || this.#depth > MAX_DEPTH) this.isUnderstood = false;
    if (this.#depth > MAX_DEPTH) this.#at = this.#text.length;
    this.#readCommands(close);
    this.#finish();
    if (this.#heredocs.length > 0) this.isUnderstood = false;
    this.#depth--;
    this.#open = outer;
    this.#heredocs = outerHeredocs;
  }

  #readCommands(close: ')' | null): void {
    for (;;) {
      const char = this.#text[this.#at];
      if (char === undefined) {
        if (close !== null) this.isUnderstood = false;
        return;
      }
      if (char === ' ' || char === '\t') this.#at++;
      else if (this.#text.startsWith('\\\n', this.#at)) this.#at += 2;
      else if (char === '\n') {
        this.#at++;
        this.#finish();
        this.#readHeredocs();
      } else if (char === '#') this.#skipComment();
      else if (char === ';' || char === '&' || char === '|') this.#readOperator(char);
      else if (char === ')') {
        this.#at++;
        this.#finish();
        if (close === ')') return;
        // The pattern of a `case`, or an error.
        this.isUnderstood = false;
      } else if (char === '(') this.#readParenthesis();
      else if (char === '<' || char === '>') this.#readRedirection();
      else this.#readWordOfCommand();
    }
  }

  #skipComment(): void {
    const end = this.#text.indexOf('\n', this.#at);
    this.#at = end < 0 ? this.#text.length : end;
  }

  #readOperator(char: string): void {
    this.#finish();
    this.#at++;
    const next = this.#text[this.#at];
    if (char === ';') {
      if (next === ';' || next === '&') this.isUnderstood = false;
    } else if (next === char) this.#at++;
    else if (char === '|' && next === '&') this.#at++;
    else if (char === '&' && (next === '|' || next === '!')) this.isUnderstood = false;
    // `&>file` is a redirection in bash and `&` followed by one elsewhere: read as the latter, which holds for both.
  }

  #readParenthesis(): void {
    const isSubshell = isEmpty(this.#open);
    // After a word: a function, an array or a pattern. Doubled: arithmetic.
    if (!isSubshell || this.#text[this.#at + 1] === '(') this.isUnderstood = false;
    this.#at++;
    this.#finish();
    this.readList(')');
  }

  #readWordOfCommand(): void {
    const start = this.#at;
    const word = this.#readWord();
    const next = this.#text[this.#at];
    if (/^\d+$/.test(word.source) && (next === '<' || next === '>')) {
      this.#readRedirection();
      return;
    }
    const isFirst = isEmpty(this.#open);
    const isBare = word.text !== null && word.text === word.source;
    if (isFirst && isBare && TRANSPARENT.has(word.source)) return;
    if (isBare && word.source === '}') this.isUnderstood = false;
    if (isFirst && isBare && OPAQUE.has(word.source)) {
      this.isUnderstood = false;
      if (REPEATING.has(word.source)) return;
    }
    if (this.#at === start) {
      // Nothing was taken: never stand still.
      this.#at++;
      this.isUnderstood = false;
      return;
    }
    if (this.#open.words.length === 0 && ASSIGNMENT.test(word.source)) this.#open.assignments.push(word);
    else if (word.source !== '') this.#open.words.push(word);
  }

  #readRedirection(): void {
    const operator = OPERATORS.find((one) => this.#text.startsWith(one, this.#at)) ?? '>';
    this.#at += operator.length;
    const after = this.#text[this.#at];
    // Substitutions of processes, and what only zsh knows.
    if ((after === '(' && operator.length === 1) || after === '!') this.isUnderstood = false;
    this.#skipBlanks();
    const target = this.#isAtWord() ? this.#readWord() : null;
    if (target === null || target.source === '') this.isUnderstood = false;
    if ((operator === '<<' || operator === '<<-') && target) {
      const isLiteral = /['"\\]/.test(target.source);
      if (target.text === null) this.isUnderstood = false;
      this.#heredocs.push({ end: target.text ?? target.source, mayIndent: operator === '<<-', isLiteral });
    }
    this.#open.redirections.push({ operator, target });
  }

  #skipBlanks(): void {
    for (;;) {
      if (this.#text[this.#at] === ' ' || this.#text[this.#at] === '\t') this.#at++;
      else if (this.#text.startsWith('\\\n', this.#at)) this.#at += 2;
      else return;
    }
  }

  #isAtWord(): boolean {
    const char = this.#text[this.#at];
    return char !== undefined && !'\n;&|()<>'.includes(char);
  }

  #readHeredocs(): void {
    for (const { end, mayIndent, isLiteral } of this.#heredocs.splice(0)) {
      const body: string[] = [];
      for (;;) {
        if (this.#at >= this.#text.length) {
          this.isUnderstood = false;
          break;
        }
        const newline = this.#text.indexOf('\n', this.#at);
        const line = this.#text.slice(this.#at, newline < 0 ? undefined : newline);
        this.#at = newline < 0 ? this.#text.length : newline + 1;
        // It joins the next line to this one, also in front of the end word.
        if (!isLiteral && line.endsWith('\\')) this.isUnderstood = false;
        if ((mayIndent ? line.replace(/^\t+/, '') : line) === end) break;
        body.push(line);
      }
      if (!isLiteral) this.#takeExpansions(body.join('\n'));
    }
  }

  /** Commands in a text that is expanded as between double quotes. */
  #takeExpansions(text: string): void {
    const inner = new Reader(text, this.#depth);
    inner.#readExpansions();
    this.#take({ commands: inner.commands, isUnderstood: inner.isUnderstood });
  }

  #readExpansions(): void {
    while (this.#at < this.#text.length) {
      const char = this.#text[this.#at];
      if (char === '\\') this.#at += 2;
      else if (char === '$') this.#readDollar(true);
      else if (char === '`') this.#readBackticks(true);
      else this.#at++;
    }
  }

  #take(inner: ShellText): readonly SimpleCommand[] {
    this.commands.push(...inner.commands);
    if (!inner.isUnderstood) this.isUnderstood = false;
    return inner.commands;
  }

  #finish(): void {
    if (!isEmpty(this.#open)) this.commands.push(this.#open);
    this.#open = opened();
  }

  // ---- words ----

  #readWord(): Word {
    const start = this.#at;
    const parts: WordPart[] = [];
    while (this.#at < this.#text.length) {
      const char = this.#text[this.#at] as string;
      if (' \t\n;&|()<>'.includes(char)) break;
      if (char === '\\') this.#readEscape(parts);
      else if (char === "'") this.#readSingleQuotes(parts);
      else if (char === '"') this.#readDoubleQuotes(parts);
      else if (char === '`') parts.push(this.#readBackticks(false));
      else if (char === '$') parts.push(this.#readDollar(false));
      else if (char === '~' && this.#at === start) parts.push(this.#readHome());
      else if (char === '*' || char === '?') this.#readOne(parts, { kind: 'pattern' });
      else if (char === '[' && this.#isAlone(start, '[[')) {
        parts.push(asText('[['));
        this.#at += 2;
      } else if (char === '[') this.#readOne(parts, this.#isAlone(start) ? asText('[') : { kind: 'pattern' });
      else if (char === '{' && this.#isAlone(start, '{}')) {
        parts.push(asText('{}'));
        this.#at += 2;
      } else if (char === '{' || char === '}')
        this.#readOne(parts, this.#isAlone(start) ? asText(char) : { kind: 'unknown' });
      // zsh finds the path of a program so.
      else if (char === '=' && this.#at === start) this.#readOne(parts, { kind: 'unknown' });
      else this.#readOne(parts, asText(char));
    }
    return { text: textOf(parts), source: this.#text.slice(start, this.#at), parts };
  }

  #readOne(parts: WordPart[], part: WordPart): void {
    parts.push(part);
    this.#at++;
  }

  /** Whether the word is nothing but these signs. */
  #isAlone(start: number, signs = this.#text[this.#at] ?? ''): boolean {
    if (this.#at !== start || !this.#text.startsWith(signs, start)) return false;
    const next = this.#text[start + signs.length];
    return next === undefined || ' \t\n;&|()<>'.includes(next);
  }

  #readEscape(parts: WordPart[]): void {
    const next = this.#text[this.#at + 1];
    this.#at += 2;
    if (next === undefined) {
      this.#at = this.#text.length;
      this.isUnderstood = false;
    } else if (next !== '\n') parts.push(asText(next));
  }

  #readSingleQuotes(parts: WordPart[]): void {
    const end = this.#text.indexOf("'", this.#at + 1);
    if (end < 0) this.isUnderstood = false;
    parts.push(asText(this.#text.slice(this.#at + 1, end < 0 ? undefined : end)));
    this.#at = end < 0 ? this.#text.length : end + 1;
  }

  #readDoubleQuotes(parts: WordPart[]): void {
    this.#at++;
    parts.push(asText(''));
    while (this.#at < this.#text.length) {
      const char = this.#text[this.#at] as string;
      if (char === '"') {
        this.#at++;
        return;
      }
      if (char === '\\') {
        const next = this.#text[this.#at + 1] ?? '';
        if (next !== '\n') parts.push(asText('$`"\\'.includes(next) ? next : `\\${next}`));
        this.#at += 2;
      } else if (char === '$') parts.push(this.#readDollar(true));
      else if (char === '`') parts.push(this.#readBackticks(true));
      else this.#readOne(parts, asText(char));
    }
    this.isUnderstood = false;
  }

  #readBackticks(isQuoted: boolean): WordPart {
    let end = this.#at + 1;
    while (end < this.#text.length && this.#text[end] !== '`') end += this.#text[end] === '\\' ? 2 : 1;
    if (end >= this.#text.length) this.isUnderstood = false;
    const inside = this.#text.slice(this.#at + 1, end);
    this.#at = Math.min(this.#text.length, end + 1);
    const unescaped = inside.replace(isQuoted ? /\\([\\$`"])/g : /\\([\\$`])/g, '$1');
    if (this.#depth >= MAX_DEPTH) {
      this.isUnderstood = false;
      return { kind: 'unknown' };
    }
    return { kind: 'commands', commands: this.#take(parse(unescaped, this.#depth + 1)) };
  }

  #readHome(): WordPart {
    const user = this.#match(/[A-Za-z0-9_.+-]+/y, this.#at + 1) ?? '';
    this.#at += user.length + 1;
    const next = this.#text[this.#at];
    // `~'x'` and the like are no home folder, but a file name: rare, and not worth being read exactly.
    const isWhole = next === undefined || '/ \t\n;&|()<>'.includes(next);
    return isWhole ? { kind: 'home', user } : { kind: 'unknown' };
  }

  #match(sticky: RegExp, at: number): string | null {
    sticky.lastIndex = at;
    return sticky.exec(this.#text)?.[0] ?? null;
  }

  #readDollar(isQuoted: boolean): WordPart {
    const next = this.#text[this.#at + 1] ?? '';
    if (next === '(') {
      // Arithmetic is read as commands, which it may hold.
      if (this.#text[this.#at + 2] === '(') this.isUnderstood = false;
      this.#at += 2;
      const from = this.commands.length;
      this.readList(')');
      return { kind: 'commands', commands: this.commands.slice(from) };
    }
    if (next === '{') return this.#readBraces();
    if (next === "'" && !isQuoted) {
      // Dash has no such quotes and would end them elsewhere.
      this.isUnderstood = false;
      this.#at += 2;
      while (this.#at < this.#text.length && this.#text[this.#at] !== "'")
        this.#at += this.#text[this.#at] === '\\' ? 2 : 1;
      this.#at = Math.min(this.#text.length, this.#at + 1);
      return { kind: 'unknown' };
    }
    const name = this.#match(/[A-Za-z_]\w*|[0-9@*#?$!-]/y, this.#at + 1);
    if (name !== null) {
      this.#at += 1 + name.length;
      return { kind: 'variable', name };
    }
    this.#at++;
    if (next === '[' || (next === '"' && !isQuoted)) this.isUnderstood = false;
    return asText('$');
  }

  #readBraces(): WordPart {
    const simple = this.#match(/\$\{[A-Za-z_]\w*\}/y, this.#at);
    if (simple !== null) {
      this.#at += simple.length;
      return { kind: 'variable', name: simple.slice(2, -1) };
    }
    // It may assign, cut, replace, and hold whole commands.
    this.isUnderstood = false;
    this.#at += 2;
    if (++this.#depth > MAX_DEPTH) this.#at = this.#text.length;
    while (this.#at < this.#text.length && this.#text[this.#at] !== '}') {
      const char = this.#text[this.#at];
      if (char === '\\') this.#at += 2;
      else if (char === '$') this.#readDollar(true);
      else if (char === '`') this.#readBackticks(true);
      else this.#at++;
    }
    this.#depth--;
    this.#at = Math.min(this.#text.length, this.#at + 1);
    return { kind: 'unknown' };
  }
}

const opened = (): OpenCommand => ({ assignments: [], words: [], redirections: [] });

const isEmpty = ({ assignments, words, redirections }: OpenCommand): boolean =>
  assignments.length + words.length + redirections.length === 0;

const asText = (text: string): WordPart => ({ kind: 'text', text });

function textOf(parts: readonly WordPart[]): string | null {
  let text = '';
  for (const part of parts) {
    if (part.kind !== 'text') return null;
    text += part.text;
  }
  return text;
}
