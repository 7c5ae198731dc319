import type { CommandView } from '../../../shared/model/command.ts';
import { isTerminal } from '../../../shared/model/command-state.ts';
import { unreachable } from '../../../shared/model/result.ts';
import type { Tone } from '../../ui/state-dot.tsx';

type Standing = Pick<CommandView, 'state' | 'placement'> &
  Partial<Pick<CommandView, 'attention' | 'isBlocked'>>;
type Ending = Standing & Pick<CommandView, 'exitCode' | 'signal'>;

/** A command's state as people read it. An exit code is named only when it was observed. */
export function stateWords(command: Ending): string {
  const { state, exitCode, signal } = command;
  switch (state) {
    case 'running':
      return runningWords(command);
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

/** What a running command wants, else where it stands. Both are facts of their own; there is room for one. */
function runningWords({ placement, attention, isBlocked }: Standing): string {
  if (isBlocked) return 'Waits for disk';
  switch (attention?.kind) {
    case 'needs-secret':
      return 'Needs a secret';
    case 'needs-input':
      return 'Needs input';
    case 'serving':
      return 'Serving';
    default:
      return placement === 'background' ? 'In background' : 'Running';
  }
}

/** A person is wanted at the terminal, or for the disk. */
export const needsPerson = ({ state, attention, isBlocked }: Standing): boolean =>
  state === 'running' &&
  (isBlocked === true || attention?.kind === 'needs-input' || attention?.kind === 'needs-secret');

/** What is wanted of the person, and what happens meanwhile. */
export function wantedSentence({ attention, isBlocked }: Standing): string {
  if (isBlocked)
    return 'The disk is full. The command waits, and goes on with nothing lost when there is space.';
  return attention?.kind === 'needs-secret'
    ? 'Type it in the terminal. The agent cannot write there until the program has read it, and nothing you type is stored.'
    : 'The program waits for input. Type it in the terminal, or let the agent answer.';
}

/** The colour of the words. */
export function stateTone(command: Standing): Tone {
  const { state, placement, attention } = command;
  switch (state) {
    case 'running':
      if (needsPerson(command)) return 'wait';
      return placement === 'background' && attention?.kind !== 'serving' ? 'wait' : 'run';
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
