import type { CommandId } from '../../shared/model/ids.ts';
import type { CommandEnd } from '../../shared/model/message.ts';
import { elapsedInWords, endInWords } from './completion.ts';
import type { WaitEnd } from './wait-machine.ts';

/** What there is to tell of beside the end of the wait itself. */
export interface WaitFacts {
  readonly cmdOf: (id: CommandId) => string | undefined;
  /** Since the wait was registered. */
  readonly elapsedMs: number;
  /** Ends that are told together with it. */
  readonly ends: readonly CommandEnd[];
}

/** Why a wait is over, in words: `make exited 0 after 41 s`. */
export function waitEndInWords(end: WaitEnd | null, { cmdOf, elapsedMs, ends }: WaitFacts): string {
  const nameOf = (id: CommandId) => firstLine(cmdOf(id) ?? id);
  switch (end?.kind) {
    case 'matched':
      return `${nameOf(end.commandId)} wrote "${end.line.slice(0, 200)}"; it runs on`;
    case 'port_open':
      return `${nameOf(end.commandId)} listens on port ${end.port}; it runs on`;
    case 'pattern_too_slow':
      return 'the pattern takes too long to try, use a simpler one; the command runs on';
    case 'deadline':
      return `the deadline of the wait passed after ${elapsedInWords(elapsedMs)}; the command runs on`;
    case 'lease':
      return `the wait ended after ${elapsedInWords(elapsedMs)}; the command runs on`;
    default: {
      const only = ends.length === 1 ? ends[0] : undefined;
      return only ? `${firstLine(only.cmd)} ${endInWords(only)}` : `${ends.length} commands ended`;
    }
  }
}

function firstLine(cmd: string): string {
  const line = cmd.trim().split('\n', 1)[0] ?? '';
  return line.length > 40 ? `${line.slice(0, 39)}…` : line;
}
