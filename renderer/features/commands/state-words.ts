import type { CommandView } from '../../../shared/model/command.ts';
import { isTerminal } from '../../../shared/model/command-state.ts';
import { unreachable } from '../../../shared/model/result.ts';
import type { Tone } from '../../ui/state-dot.tsx';

type Ending = Pick<CommandView, 'state' | 'placement' | 'exitCode' | 'signal'>;

/** A command's state as people read it. An exit code is named only when it was observed. */
export function stateWords({ state, placement, exitCode, signal }: Ending): string {
  switch (state) {
    case 'running':
      return placement === 'background' ? 'In background' : 'Running';
    case 'stopping':
      return 'Stopping';
    case 'unknown':
      return 'Unknown';
    case 'completed':
      return `Exited ${exitCode ?? 0}`;
    case 'failed':
      if (signal !== null) return `Killed by ${signal}`;
      return exitCode === null ? 'Failed' : `Exited ${exitCode}`;
    case 'timeout':
      return 'Stopped by timeout';
    case 'stopped':
      return 'Stopped';
    case 'lost':
      return 'Lost';
    default:
      return unreachable(state);
  }
}

/** The colour of the words. */
export function stateTone({ state, placement }: Pick<CommandView, 'state' | 'placement'>): Tone {
  switch (state) {
    case 'running':
      return placement === 'background' ? 'wait' : 'run';
    case 'failed':
    case 'timeout':
      return 'fail';
    case 'stopping':
    case 'unknown':
    case 'completed':
    case 'stopped':
    case 'lost':
      return 'idle';
    default:
      return unreachable(state);
  }
}

/** The colour of the dot, which also tells that an ended command left something alive. */
export const dotTone = (command: CommandView): Tone =>
  isTerminal(command.state) && command.descendants.length > 0 ? 'run' : stateTone(command);

/** The command itself has not ended. */
export const isLive = (command: Pick<CommandView, 'state'>): boolean => !isTerminal(command.state);

/** It, or something that it left behind, is alive: Stop has something to do. */
export const isAlive = (command: CommandView): boolean => isLive(command) || command.descendants.length > 0;

/** Detach frees the chat: it makes sense while the command runs in the foreground. */
export const canDetach = (command: Pick<CommandView, 'state' | 'placement'>): boolean =>
  command.state === 'running' && command.placement === 'foreground';

/** The label of the button that stops: a second Stop escalates at once. */
export const stopLabel = (command: Pick<CommandView, 'state'>): string =>
  command.state === 'stopping' ? 'Kill now' : 'Stop';
