import path from 'node:path';
import type { RuleWords } from '../../../shared/model/approval.ts';
import { marksOf } from './marks.ts';
import { isWithin, type Place, pathOf } from './paths.ts';
import { isFileWrite } from './redirections.ts';
import { parseShell, type Redirection, type SimpleCommand, type Word } from './shell-words.ts';

/** Kinds of danger that no rule takes away: such a command is asked for each time. */
const NEVER_COVERED = new Set([
  'deletes_outside',
  'changes_user',
  'kills_by_name',
  'opens_shell',
  'writes_outside',
]);

/** They change the shell for what follows, or run words that are not in the text. */
const NEVER_A_RULE = new Set(
  '. alias bind builtin cd command declare dirs doas enable env eval exec export getopts hash let local mapfile parallel popd pushd read readarray readonly set shopt source su sudo trap typeset unalias unset xargs'.split(
    ' ',
  ),
);

/** Programs of many commands, by the words that name one: `git push`, `docker compose up`. */
const MULTI_COMMANDS = new Set(
  'apt apt-get brew bun bundle cargo composer conda deno dnf docker dotnet flutter gh git go helm kubectl npm npx pip pip3 pnpm podman poetry rustup swift systemctl terraform uv yarn'.split(
    ' ',
  ),
);
const THREE_WORDS = new Set(
  'bun run,docker compose,docker container,docker image,gh issue,gh pr,gh run,go mod,npm run,npm run-script,pnpm run,podman compose,yarn run'.split(
    ',',
  ),
);
/** Commands that run whatever words follow: only the very same text is covered. */
const RUNS_ANYTHING =
  /^(?:(?:npm|pnpm|yarn|bun|bundle|docker|podman|kubectl) (?:exec|x|dlx|run|create|init)$|(?:docker|podman) compose (?:run|exec)$|(?:uv|poetry|go|conda|deno|swift|flutter|dotnet) (?:run|tool|eval|repl|exec)$|gh (?:api|alias|extension)$|git (?:bisect|config|difftool|filter-branch|mergetool|rebase|submodule)$|npx )/;
/** Options by which git runs a program or writes a file of one's choice; git takes them shortened too. */
const GIT_RUNS = /^(?:--(?:e|upl|rece|ou|op)|-c$)/;

/** Folders of `cd`, in their combinations; beyond so many a text is not followed. */
const MAX_FOLDERS = 16;
/** Rules that one answer may add. */
const MAX_SUGGESTED = 3;

/** What is known of a covered command: the paths that must really be in the workspace, links followed. */
export interface Cover {
  readonly paths: readonly string[];
}

/**
 * Whether rules allow a command text without a question: each of its simple commands is named by a rule, it runs in the
 * workspace, and it writes by redirection there only. What is not understood is not covered.
 */
export function isCovered(rules: readonly RuleWords[], cmd: string, place: Place): boolean {
  return coverOf(rules, cmd, place) !== null;
}

/** The same, with what is left to be looked up on the disk. Null when the text is not covered. */
export function coverOf(rules: readonly RuleWords[], cmd: string, place: Place): Cover | null {
  const shell = parseShell(cmd);
  if (!shell.isUnderstood || shell.commands.length === 0) return null;
  if (!isWithin(place.workspace, place.cwd)) return null;
  if (marksOf(cmd, place).some(({ kind }) => NEVER_COVERED.has(kind))) return null;
  let folders: readonly string[] = [place.cwd];
  const paths = [place.cwd];
  for (const command of shell.commands) {
    const written = writtenFiles(command, folders, place);
    if (written === null || command.assignments.length > 0) return null;
    paths.push(...written);
    const entered = enteredFolders(command, folders, place);
    if (entered !== null) {
      paths.push(...entered);
      folders = [...new Set([...folders, ...entered])];
      if (folders.length > MAX_FOLDERS) return null;
    } else if (command.words.length > 0 && !rules.some((rule) => matches(rule, command.words))) return null;
  }
  return { paths: [...new Set(paths)] };
}

function matches(rule: RuleWords, words: readonly Word[]): boolean {
  const program = words[0]?.text ?? '';
  if (NEVER_A_RULE.has(program) || words.length < rule.words.length) return false;
  if (rule.isExact && words.length !== rule.words.length) return false;
  if (!rule.words.every((word, at) => words[at]?.text === word)) return false;
  return rule.isExact || program !== 'git' || !words.some((word) => GIT_RUNS.test(word.text ?? ''));
}

/** Files that redirections write, from each folder that may be the current one; null when one may not be written. */
function writtenFiles(command: SimpleCommand, folders: readonly string[], place: Place): string[] | null {
  const files: string[] = [];
  for (const redirection of command.redirections) {
    if (isNetwork(redirection)) return null;
    if (!isFileWrite(redirection)) continue;
    const { target } = redirection;
    if (target === null || target.text === null) return null;
    if (/^\/dev\/(?:null|stdout|stderr|tty)$/.test(target.text)) continue;
    for (const folder of folders) {
      const file = pathOf(target, folder, place.home);
      if (file === null || !isWithin(place.workspace, file)) return null;
      // Hooks and settings in there run programs.
      if (path.relative(place.workspace, file).split(path.sep).includes('.git')) return null;
      files.push(file);
    }
  }
  return files;
}

/** bash opens a connection for such a name. */
const isNetwork = ({ operator, target }: Redirection): boolean =>
  operator === '<' && (target?.text == null || /^\/dev\/(?:tcp|udp)\//.test(target.text));

/** Where a plain `cd` into the workspace leads; null when the command is no such thing. */
function enteredFolders(command: SimpleCommand, folders: readonly string[], place: Place): string[] | null {
  const [program, target, ...more] = command.words;
  if (program?.text !== 'cd' || !target?.text || target.text.startsWith('-') || more.length > 0) return null;
  const entered = folders.flatMap((folder) => pathOf(target, folder, place.home) ?? []);
  return entered.length > 0 && entered.every((folder) => isWithin(place.workspace, folder)) ? entered : null;
}

/**
 * The rules that "Always allow" would add: by the command of a well-known program (`git push`, `npm run build`), else
 * for exactly these words. Empty when no rule should or could cover the text.
 */
export function suggestRules(rules: readonly RuleWords[], cmd: string, place: Place): RuleWords[] {
  const suggested: RuleWords[] = [];
  for (const command of parseShell(cmd).commands) {
    const { words } = command;
    const isKnown = [...rules, ...suggested].some((rule) => matches(rule, words));
    if (words.length === 0 || isKnown || enteredFolders(command, [place.cwd], place) !== null) continue;
    const rule = ruleFor(words);
    if (rule === null) return [];
    suggested.push(rule);
  }
  const isEnough = suggested.length <= MAX_SUGGESTED && isCovered([...rules, ...suggested], cmd, place);
  return isEnough ? suggested : [];
}

function ruleFor(words: readonly Word[]): RuleWords | null {
  const texts = words.map((word) => word.text);
  const program = texts[0];
  if (!program || NEVER_A_RULE.has(program)) return null;
  const prefix = prefixOf(words);
  if (prefix !== null) return { words: prefix, isExact: false };
  return texts.every((text) => text !== null) ? { words: texts, isExact: true } : null;
}

function prefixOf(words: readonly Word[]): string[] | null {
  const program = words[0]?.text ?? '';
  if (!MULTI_COMMANDS.has(program)) return null;
  const two = [program, words[1]?.text ?? ''];
  const name = THREE_WORDS.has(two.join(' ')) ? [...two, words[2]?.text ?? ''] : two;
  if (name.some((word) => !/^[\w@][\w.:@/-]*$/.test(word))) return null;
  return RUNS_ANYTHING.test(name.join(' ')) ? null : name;
}
