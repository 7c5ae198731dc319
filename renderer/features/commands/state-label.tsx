import type { CommandView } from '../../../shared/model/command.ts';
import { StateDot } from '../../ui/state-dot.tsx';
import { dotTone, stateTone, stateWords } from './state-words.ts';

/** A command's state in words, with the dot when it is not shown elsewhere in the line. */
export function StateLabel({ command, hasDot = false }: { command: CommandView; hasDot?: boolean }) {
  return (
    <span className={`state ${stateTone(command)}`}>
      {hasDot && <StateDot tone={dotTone(command)} />}
      {stateWords(command)}
    </span>
  );
}
