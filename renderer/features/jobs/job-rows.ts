import type { CommandView } from '../../../shared/model/command.ts';
import { isAlive, isLive } from '../commands/state-words.ts';

/** More rows than this are not drawn, and the table says so. */
export const MOST_ROWS = 500;

/** What the table of jobs shows. */
export interface JobRows {
  readonly rows: readonly CommandView[];
  readonly hidden: number;
  readonly running: number;
  /** Commands that ended and left something alive. */
  readonly leftBehind: number;
  readonly finished: number;
}

const group = (command: CommandView): number => {
  if (isLive(command)) return 0;
  return isAlive(command) ? 1 : 2;
};

/** Commands of all sessions: live ones first, then those that left something alive, then the newest. */
export function jobRows(commands: readonly CommandView[], most = MOST_ROWS): JobRows {
  const listed = commands
    .filter((command) => !command.isCleared || isAlive(command))
    .sort((a, b) => group(a) - group(b) || b.startedAt - a.startedAt);
  const running = listed.filter(isLive).length;
  const leftBehind = listed.filter((command) => group(command) === 1).length;
  return {
    rows: listed.slice(0, most),
    hidden: Math.max(0, listed.length - most),
    running,
    leftBehind,
    finished: listed.length - running - leftBehind,
  };
}
