import { MAX_DEADLINE_MS } from '../../shared/limits.ts';

/** What a person asks of `switchyard`. */
export type Invocation =
  | { readonly verb: 'open'; readonly folder: string | null; readonly isNew: boolean }
  | { readonly verb: 'mcp'; readonly args: readonly string[] }
  | { readonly verb: 'run'; readonly command: readonly string[]; readonly timeoutMs: number | null }
  | { readonly verb: 'jobs'; readonly isJson: boolean }
  | { readonly verb: 'stop'; readonly ids: readonly string[] }
  | { readonly verb: 'version' }
  | { readonly verb: 'help' };

/** `dataDir`: as it was written; null when none is named. */
export type Parsed =
  | { readonly ok: true; readonly invocation: Invocation; readonly dataDir: string | null }
  | { readonly ok: false; readonly message: string };

export const VERBS = ['mcp', 'run', 'jobs', 'stop'] as const;
type Verb = (typeof VERBS)[number];
const isVerb = (word: string): word is Verb => (VERBS as readonly string[]).includes(word);

/** Options of each verb; `value` says whether one follows. `open` is what no verb stands for. */
const OPTIONS: Readonly<Record<Verb | 'open', Readonly<Record<string, 'flag' | 'value'>>>> = {
  open: { '--new-session': 'flag', '--data-dir': 'value' },
  mcp: { '--data-dir': 'value' },
  run: { '--timeout': 'value', '--data-dir': 'value' },
  jobs: { '--json': 'flag', '--data-dir': 'value' },
  stop: { '--data-dir': 'value' },
};

class Misuse extends Error {}

/** Understands the words behind `switchyard`. An error names the word that is wrong. */
export function parseArguments(words: readonly string[]): Parsed {
  try {
    return { ok: true, ...parse(words) };
  } catch (error) {
    if (error instanceof Misuse) return { ok: false, message: error.message };
    throw error;
  }
}

function parse(words: readonly string[]): { invocation: Invocation; dataDir: string | null } {
  const asked = askedFor(words);
  if (asked !== null) return { invocation: { verb: asked }, dataDir: null };
  const [first = ''] = words;
  const verb = isVerb(first) ? first : 'open';
  const { options, rest, command } = split(verb, verb === 'open' ? words : words.slice(1));
  const dataDir = options.get('--data-dir') ?? null;
  return { invocation: invocationOf(verb, options, rest, command), dataDir };
}

/** Help and version go before all else, but not behind `--`, where the words are a command's. */
function askedFor(words: readonly string[]): 'help' | 'version' | null {
  if (words[0] === 'help') return 'help';
  for (const word of words) {
    if (word === '--') return null;
    if (word === '--help' || word === '-h') return 'help';
    if (word === '--version' || word === '-v') return 'version';
  }
  return null;
}

interface Split {
  readonly options: ReadonlyMap<string, string>;
  readonly rest: readonly string[];
  /** Behind `--`; null without one. */
  readonly command: readonly string[] | null;
}

function split(verb: Verb | 'open', words: readonly string[]): Split {
  const known = OPTIONS[verb];
  const options = new Map<string, string>();
  const rest: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (word === '--') return { options, rest, command: words.slice(at + 1) };
    if (!word.startsWith('-') || word === '-') {
      rest.push(word);
      continue;
    }
    const equals = word.indexOf('=');
    const name = equals < 0 ? word : word.slice(0, equals);
    const kind = Object.hasOwn(known, name) ? known[name] : undefined;
    const place = verb === 'open' ? '' : ` of "switchyard ${verb}"`;
    if (kind === undefined) throw new Misuse(`${name} is no option${place}.`);
    if (kind === 'flag' && equals >= 0) throw new Misuse(`The option ${name}${place} takes no value.`);
    const value = kind === 'flag' ? '' : equals < 0 ? words[++at] : word.slice(equals + 1);
    if (kind === 'value' && (!value || value === '--'))
      throw new Misuse(`The option ${name}${place} needs a value.`);
    options.set(name, value ?? '');
  }
  return { options, rest, command: null };
}

function invocationOf(
  verb: Verb | 'open',
  options: ReadonlyMap<string, string>,
  rest: readonly string[],
  command: readonly string[] | null,
): Invocation {
  const words = [...rest, ...(command ?? [])];
  switch (verb) {
    case 'open': {
      const [folder = null, ...more] = words;
      if (more.length > 0)
        throw new Misuse(`Only one folder can be opened, and "${more[0]}" is one too many.`);
      return { verb, folder, isNew: options.has('--new-session') };
    }
    case 'run':
      if (rest.length > 0)
        throw new Misuse(
          `"${rest[0]}" stands before "--". A command goes behind it: switchyard run -- ${rest[0]} ...`,
        );
      if (!command?.some((word) => word.trim() !== ''))
        throw new Misuse('There is no command to run. It goes behind "--": switchyard run -- make test');
      return { verb, command, timeoutMs: milliseconds(options.get('--timeout')) };
    case 'stop':
      if (words.length === 0)
        throw new Misuse('"switchyard stop" needs the ID of a command. "switchyard jobs" shows them.');
      return { verb, ids: words };
    case 'jobs':
      refuseWords(verb, words);
      return { verb, isJson: options.has('--json') };
    case 'mcp': {
      refuseWords(verb, words);
      const folder = options.get('--data-dir');
      return { verb, args: folder === undefined ? [] : ['--data-dir', folder] };
    }
  }
}

function refuseWords(verb: Verb, words: readonly string[]): void {
  if (words.length > 0)
    throw new Misuse(`"switchyard ${verb}" takes options only, and "${words[0]}" is none.`);
}

function milliseconds(seconds: string | undefined): number | null {
  if (seconds === undefined) return null;
  const ms = /^\d+(\.\d+)?$/.test(seconds) ? Math.round(Number(seconds) * 1000) : 0;
  if (ms >= 1 && ms <= MAX_DEADLINE_MS) return ms;
  throw new Misuse(
    `The option --timeout needs a number of seconds from 0.001 to ${MAX_DEADLINE_MS / 1000}, and "${seconds}" is none.`,
  );
}
