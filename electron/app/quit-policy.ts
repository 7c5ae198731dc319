import type { OnQuit } from '../../shared/model/settings.ts';

/** What is to be done with the commands that live when the app quits. */
export type QuitStep = 'quit' | 'ask' | 'stop_and_quit';

export interface QuitFacts {
  /** Commands that run, or left something running. */
  readonly aliveCommands: number;
  readonly remembered: OnQuit;
  /** A signal, a logout, a shutdown or an update: nobody is there to answer, or it must not wait. */
  readonly isForced: boolean;
}

/** With live commands a person is asked; whoever cannot be asked gets the remembered answer, or else they run on. */
export function quitStep({ aliveCommands, remembered, isForced }: QuitFacts): QuitStep {
  if (aliveCommands === 0 || remembered === 'leave') return 'quit';
  if (remembered === 'stop') return 'stop_and_quit';
  return isForced ? 'quit' : 'ask';
}

const MOST_LISTED = 8;

export interface AliveCommand {
  readonly cmd: string;
  readonly elapsed: string;
  /** Names of what it left running. */
  readonly left: readonly string[];
}

export interface QuitQuestion {
  readonly message: string;
  readonly detail: string;
}

/** The words of the question. */
export function quitQuestion(commands: readonly AliveCommand[]): QuitQuestion {
  const listed = commands.slice(0, MOST_LISTED).map(lineOf);
  const more = commands.length - listed.length;
  return {
    message: commands.length === 1 ? '1 command is running' : `${commands.length} commands are running`,
    detail:
      `${listed.join('\n')}${more > 0 ? `\nand ${more} more` : ''}\n\n` +
      'They can go on without the window. You are told how they ended at the next start.',
  };
}

function lineOf({ cmd, elapsed, left }: AliveCommand): string {
  return `${shortLine(cmd)}   ${left.length === 0 ? elapsed : `left running: ${left.join(', ')}`}`;
}

function shortLine(cmd: string): string {
  const line = cmd.trim().split('\n', 1)[0] ?? '';
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}

/** What the next start says of commands that ran on. */
export function takenUpNotices(count: number): string[] {
  if (count === 0) return [];
  return [
    count === 1
      ? '1 command ran on while Switchyard was closed. It is in the job list.'
      : `${count} commands ran on while Switchyard was closed. They are in the job list.`,
  ];
}
