import path from 'node:path';
import type { ApprovalMark } from '../../../shared/model/approval.ts';
import { isWithin, type Place, pathOf } from './paths.ts';
import { isFileWrite } from './redirections.ts';
import { parseShell, type ShellText, type SimpleCommand, type Word } from './shell-words.ts';

type Kind = ApprovalMark['kind'];

/** Programs that run what follows them, as another user or otherwise: each later word may be a program. */
const WRAPPERS = new Set(
  'builtin busybox case chroot command coproc doas env eval exec function ionice nice nohup parallel pkexec runuser setsid stdbuf sudo taskset time timeout unshare watch xargs'.split(
    ' ',
  ),
);
const CHANGES_USER = new Set(
  'sudo sudoedit su doas pkexec runuser gosu su-exec setpriv newgrp sg machinectl'.split(' '),
);
const SHELLS = new Set('sh bash dash zsh ksh fish ash csh tcsh'.split(' '));
const INTERPRETERS = new Set(
  'python python2 python3 node ruby perl irb php lua psql mysql sqlite3'.split(' '),
);
const DELETES = new Set('rm rmdir unlink shred srm'.split(' '));
const KILLS_BY_NAME = new Set('pkill killall killall5 skill slay'.split(' '));
/** They find processes, by name or otherwise, for a kill. */
const FINDS_PROCESSES = new Set('pgrep pidof ps lsof fuser ss netstat'.split(' '));

const KILLS = 'Stops processes that it finds by name, also ones that are not of this session.';
const SENTENCES: Readonly<Record<Kind, string>> = {
  deletes_outside: 'Deletes outside this folder.',
  changes_user: 'Runs as another user.',
  kills_by_name: KILLS,
  opens_shell: 'Opens a shell: what is typed into it is not asked for.',
  writes_outside: 'Writes outside this folder.',
  rewrites_remote: 'Rewrites a remote branch.',
};
const MAY_DELETE = 'May delete outside this folder.';

/** Nested texts (`sh -c`, `eval`) deeper than this are not looked into. */
const MAX_NESTING = 4;

/**
 * What is dangerous in a command text: deleting outside the workspace, another user, killing by name and the like, each
 * kind once with a sentence. Rather one mark too many: wrappers are looked through, and what cannot be known counts.
 */
export function marksOf(cmd: string, place: Place): ApprovalMark[] {
  const found = new Marks(place);
  found.look(parseShell(cmd), cmd, place.cwd, 0);
  return found.list();
}

class Marks {
  readonly #place: Place;
  readonly #texts = new Map<Kind, string>();

  constructor(place: Place) {
    this.#place = place;
  }

  list(): ApprovalMark[] {
    const kinds = Object.keys(SENTENCES) as Kind[];
    return kinds.flatMap((kind) => {
      const text = this.#texts.get(kind);
      return text === undefined ? [] : [{ kind, text }];
    });
  }

  look(shell: ShellText, source: string, cwd: string | null, nesting: number): void {
    let folder = cwd;
    const findsProcesses = shell.commands.some((command) =>
      candidates(command.words).some((words) => FINDS_PROCESSES.has(programOf(words))),
    );
    for (const command of shell.commands) {
      this.#lookAtWrites(command, folder);
      const [program] = command.words;
      const all = candidates(command.words);
      for (const words of all) {
        this.#lookAtProgram(words, folder, { isFed: isFed(command.words), findsProcesses });
        this.#lookInside(words, folder, nesting);
      }
      if (program?.text === 'cd' || program?.text === 'pushd')
        folder = entered(command.words, folder, this.#place);
    }
    if (shell.isUnderstood) return;
    // What was not understood may hide a word that matters.
    if (/\b(?:sudo|doas|pkexec|su)\b/.test(source)) this.#add('changes_user');
    if (/\b(?:pkill|killall)\b/.test(source)) this.#add('kills_by_name');
  }

  #add(kind: Kind, text = SENTENCES[kind]): void {
    // The certain sentence wins over the one that only suspects.
    if (!this.#texts.has(kind) || text === SENTENCES[kind]) this.#texts.set(kind, text);
  }

  #lookAtWrites(command: SimpleCommand, folder: string | null): void {
    for (const redirection of command.redirections) {
      if (!isFileWrite(redirection) || redirection.target === null) continue;
      const file = pathOf(redirection.target, folder, this.#place.home);
      if (file === null || !(isWithin(this.#place.workspace, file) || file.startsWith('/dev/')))
        this.#add('writes_outside');
    }
  }

  #lookAtProgram(
    words: readonly Word[],
    folder: string | null,
    { isFed, findsProcesses }: { isFed: boolean; findsProcesses: boolean },
  ): void {
    const program = programOf(words);
    const rest = words.slice(1);
    if (CHANGES_USER.has(program)) this.#add('changes_user');
    if (KILLS_BY_NAME.has(program)) this.#add('kills_by_name');
    if (program === 'fuser' && rest.some((word) => /^-[a-zA-Z]*k|^--kill$/.test(word.text ?? '')))
      this.#add('kills_by_name');
    if (program === 'kill') {
      const isFound = isFed || rest.some((word) => word.text === null);
      const isEverybody = rest.slice(1).some((word) => word.text === '-1');
      if ((isFound && findsProcesses) || isFed || isEverybody) this.#add('kills_by_name');
    }
    if (DELETES.has(program)) this.#lookAtDeleted(rest, folder, isFed);
    if (program === 'find') this.#lookAtFind(rest, folder);
    if (program === 'rsync' && rest.some((word) => word.text?.startsWith('--del')))
      this.#lookAtDeleted(rest.slice(-1), folder, false);
    if (program === 'git') this.#lookAtGit(rest, folder);
    if (opensShell(program, rest)) this.#add('opens_shell');
  }

  #lookAtDeleted(words: readonly Word[], folder: string | null, isFed: boolean): void {
    if (isFed) this.#add('deletes_outside', MAY_DELETE);
    let mayBeOption = true;
    for (const word of words) {
      if (word.text === '--') mayBeOption = false;
      else if (!(mayBeOption && word.text?.startsWith('-'))) this.#lookAtPath(word, folder);
    }
  }

  #lookAtPath(word: Word, folder: string | null): void {
    const file = pathOf(word, folder, this.#place.home);
    if (file === null) this.#add('deletes_outside', MAY_DELETE);
    else if (!isWithin(this.#place.workspace, file)) this.#add('deletes_outside');
  }

  #lookAtFind(rest: readonly Word[], folder: string | null): void {
    const isAction = (word: Word) => /^-(?:delete|exec|execdir|ok|okdir)$/.test(word.text ?? '');
    const runs = rest.filter((word, at) => isAction(word) && isDeletion(word, rest[at + 1]));
    if (runs.length === 0) return;
    const end = rest.findIndex((word) => /^[-(!]/.test(word.text ?? ''));
    for (const root of rest.slice(0, end < 0 ? undefined : end)) this.#lookAtPath(root, folder);
  }

  #lookAtGit(rest: readonly Word[], folder: string | null): void {
    const folderOption = rest.findIndex((word) => word.text === '-C');
    const target = rest[folderOption + 1];
    const texts = rest.map((word) => word.text ?? '');
    if (texts.includes('clean') && folderOption >= 0 && target) this.#lookAtPath(target, folder);
    const push = texts.indexOf('push');
    if (push < 0) return;
    const isRewrite = (text: string) =>
      /^--(?:force|delete|mirror|prune)/.test(text) || /^-[a-zA-Z]*[fd]/.test(text) || /^[+:]/.test(text);
    if (texts.slice(push + 1).some(isRewrite)) this.#add('rewrites_remote');
  }

  /** A shell or `eval` that is given a text runs that text. */
  #lookInside(words: readonly Word[], folder: string | null, nesting: number): void {
    if (nesting >= MAX_NESTING) return;
    const program = programOf(words);
    let text: string | null = null;
    if (program === 'eval')
      text = words
        .slice(1)
        .flatMap((word) => word.text ?? [])
        .join(' ');
    else if (program === 'env') text = after(words, /^(?:-S|--split-string)$/);
    else if (SHELLS.has(program) || program === 'su' || program === 'runuser')
      text = after(words, /^-[a-zA-Z]*c$|^--command$/);
    else if (program === 'watch') text = words.at(-1)?.text ?? null;
    if (text === null) return;
    // Stands for whatever find or xargs puts there.
    const inner = text.replaceAll('{}', '"$found"');
    this.look(parseShell(inner), inner, folder, nesting + 1);
  }
}

/** The words themselves and, behind a wrapper or the `-exec` of find, each place where a program may stand. */
function candidates(words: readonly Word[]): (readonly Word[])[] {
  const program = programOf(words);
  const all: (readonly Word[])[] = [words];
  if (WRAPPERS.has(program)) for (let at = 1; at < words.length; at++) all.push(words.slice(at));
  if (program === 'find') {
    words.forEach((word, at) => {
      if (/^-(?:exec|execdir|ok|okdir)$/.test(word.text ?? '')) all.push(...candidates(words.slice(at + 1)));
    });
  }
  return all;
}

/** What it works on is fed to it as words that are not in the text. */
function isFed(words: readonly Word[]): boolean {
  return words.some((word) => /(?:^|\/)(?:xargs|parallel)$/.test(word.text ?? ''));
}

const programOf = (words: readonly Word[]): string => path.posix.basename(words[0]?.text ?? '');

const isDeletion = (action: Word, program: Word | undefined): boolean =>
  action.text === '-delete' || program?.text == null || DELETES.has(path.posix.basename(program.text));

function after(words: readonly Word[], option: RegExp): string | null {
  const at = words.findIndex((word) => option.test(word.text ?? ''));
  return at < 0 ? null : (words[at + 1]?.text ?? null);
}

/** A shell or interpreter without anything to run reads what to do from its input. */
function opensShell(program: string, rest: readonly Word[]): boolean {
  if (program === 'ssh') return rest.length === 1;
  if (!SHELLS.has(program) && !INTERPRETERS.has(program)) return false;
  if (SHELLS.has(program) && rest.some((word) => /^-[a-z]*s[a-z]*$/.test(word.text ?? ''))) return true;
  return rest.every((word) => word.text === '-' || /^-[ilqsu]+$/.test(word.text ?? 'x'));
}

function entered(words: readonly Word[], folder: string | null, { home }: Place): string | null {
  const target = words.slice(1).find((word) => !word.text?.startsWith('-'));
  if (target === undefined) return words.length === 1 ? home : null;
  return pathOf(target, folder, home);
}
