import type { CommandView } from '../../../shared/model/command.ts';
import type { SessionView } from '../../../shared/model/session.ts';
import type { Tone } from '../../ui/state-dot.tsx';
import { askedOf, shortAsked } from '../approvals/approval-words.ts';
import { plural, programOf } from '../commands/command-text.ts';
import { isLive, stateTone, stateWords } from '../commands/state-words.ts';

/** A session's state in one line of words, and the colour of its dot. */
export interface SessionWords {
  readonly words: string;
  readonly tone: Tone;
}

/** Describes a session by its status and its own commands, oldest first. */
export function sessionWords(session: SessionView, commands: readonly CommandView[]): SessionWords {
  const [asked] = askedOf(session);
  if (asked) return { words: `Asks: ${shortAsked(asked)}`, tone: 'wait' };
  const live = commands.filter(isLive);
  if (session.status === 'suspended') {
    const waited = session.wait?.commandIds.length ?? live.length;
    return { words: `Suspended, waiting for ${plural(waited, 'command')}`, tone: 'wait' };
  }
  const foreground = live.findLast(({ placement }) => placement === 'foreground');
  if (session.status === 'running') {
    return {
      words: foreground === undefined ? 'Working' : `Running ${programOf(foreground.cmd)}`,
      tone: 'run',
    };
  }
  if (live.length > 0) return { words: `${plural(live.length, 'command')} in background`, tone: 'wait' };
  const last = commands.at(-1);
  if (last === undefined) return { words: 'No commands', tone: 'idle' };
  const tone = stateTone(last);
  if (tone !== 'fail') return { words: 'Finished', tone: 'idle' };
  const ending = stateWords(last);
  return { words: `Finished, ${ending.charAt(0).toLowerCase()}${ending.slice(1)}`, tone };
}
