import type { Approval, ApprovalRule } from '../../../shared/model/approval.ts';
import type { ApprovalMode, ApprovalSetting } from '../../../shared/model/approval-mode.ts';
import type { SessionView } from '../../../shared/model/session.ts';
import { oneLine } from '../commands/command-text.ts';

/** Commands of a session that wait for an answer, in order. */
export const askedOf = (session: SessionView | undefined): readonly Approval[] =>
  session?.approvals.filter(({ answer }) => answer === null) ?? [];

/** The mode as its chip says it. */
export const MODE_WORDS: Readonly<Record<ApprovalMode, string>> = {
  ask: 'Ask always',
  rules: 'Ask unless allowed',
  free: 'Runs freely',
};

/** What each setting means. */
export const SETTINGS: readonly (readonly [value: ApprovalSetting, name: string, detail: string])[] = [
  ['auto', 'By the agent', 'Models ask unless allowed; the built-in agent runs freely.'],
  ['ask', 'Ask always', 'Every command of every agent waits for an answer.'],
  ['rules', 'Ask unless allowed', 'A command that no rule of its folder covers waits for an answer.'],
  ['free', 'Run freely', 'Nothing is asked.'],
];

/** Controls, formats (of direction, of no width) and spaces that are none for a shell. */
const UNSEEN = /(?![\n\t ])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Zs}]/gu;

/** A command with signs that cannot be seen, or that turn the text around, written out. */
export const visibleCommand = (cmd: string): string =>
  cmd.replace(UNSEEN, (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`);

/** Words as they would be typed. */
export const typed = (words: readonly string[]): string =>
  words
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`))
    .join(' ');

const LABEL_CHARACTERS = 44;

/** The label of the button that makes rules, and what they will cover. Null when there is none to make. */
export function alwaysWords({ suggestion }: Approval): { label: string; title: string } | null {
  if (suggestion.length === 0) return null;
  const all = visibleCommand(suggestion.map(({ words }) => typed(words)).join(', '));
  const short = all.length > LABEL_CHARACTERS ? `${all.slice(0, LABEL_CHARACTERS - 1).trimEnd()}…` : all;
  const title = suggestion.map((rule) => visibleCommand(ruleWords(rule))).join('\n');
  return { label: `Always allow ${short} here`, title };
}

const SHORT_CHARACTERS = 24;

/** The beginning of a command, for a list. Nothing is left out in front: `sudo` is what matters. */
export function shortAsked({ cmd }: Approval): string {
  const line = visibleCommand(oneLine(cmd));
  if (line.length <= SHORT_CHARACTERS) return line;
  const cut = line.slice(0, SHORT_CHARACTERS);
  const atWord = cut.lastIndexOf(' ');
  return `${(atWord > SHORT_CHARACTERS / 2 ? cut.slice(0, atWord) : cut).trimEnd()}…`;
}

/** What a rule covers, in words. */
export const ruleWords = ({ words, isExact }: Pick<ApprovalRule, 'words' | 'isExact'>): string =>
  isExact ? `${typed(words)} (exactly)` : `${typed(words)} …`;

/** Why it is asked, where that is not all: the folder in which it would run. */
export function askedBecause({ mode, cwd }: Approval, workspace: string): string {
  const why = mode === 'ask' ? 'Every command is asked for.' : 'Not covered by a rule for this folder.';
  return cwd === workspace ? why : `${why} It would run in ${visibleCommand(cwd)}.`;
}
