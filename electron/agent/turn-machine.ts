import type { Limits } from '../../shared/limits.ts';
import type { CommandId } from '../../shared/model/ids.ts';
import type { ToolCall } from '../../shared/model/message.ts';
import { unreachable } from '../../shared/model/result.ts';
import { untilEnded, type WaitRequest } from '../supervisor/wait-machine.ts';

/** What the calls of one model step ask of the turn, all results being paired. */
export interface StepOutcome {
  /** The first handle for which the quiet guard fired. */
  readonly fired: CommandId | null;
  /** What the wait tool was called for. */
  readonly waitFor: WaitRequest | null;
  /** The background command that was polled, when nothing else was done. */
  readonly polledJob: CommandId | null;
}

/** What is done next. The turn is over in `ended` and nowhere else. */
export type TurnPhase =
  | { readonly kind: 'requesting' }
  | { readonly kind: 'calling'; readonly calls: readonly ToolCall[] }
  /** Tries to sleep by the first wish; the others follow if it is refused. `fired` is the guard's, if it is among them. */
  | { readonly kind: 'suspending'; readonly wishes: readonly WaitRequest[]; readonly fired: CommandId | null }
  | { readonly kind: 'diagnosing'; readonly commandId: CommandId; readonly packetsLeft: number }
  | { readonly kind: 'finishing' }
  | { readonly kind: 'stopping' }
  /** The diagnostic budget is used up. */
  | { readonly kind: 'giving_up' }
  | { readonly kind: 'ended' };

export interface TurnState {
  readonly phase: TurnPhase;
  /** Diagnostic packets that the model has had in this turn. */
  readonly diagnostics: number;
  /** Polls of one background command in a row, without other work. */
  readonly jobPolls: { readonly commandId: CommandId; readonly count: number } | null;
}

export const TURN_BEGUN: TurnState = { phase: { kind: 'requesting' }, diagnostics: 0, jobPolls: null };

/** A turn that an earlier run of the app had begun goes on with the calls that were not made yet. */
export const turnTakenUp = (calls: readonly ToolCall[]): TurnState =>
  calls.length === 0 ? TURN_BEGUN : { ...TURN_BEGUN, phase: { kind: 'calling', calls } };

export type TurnEvent =
  | { readonly type: 'answered'; readonly calls: readonly ToolCall[] }
  | { readonly type: 'called'; readonly step: StepOutcome }
  | { readonly type: 'suspended' }
  /** The handoff was not possible. `hasMoved`: the command has ended, or somebody has written: a request tells that. */
  | { readonly type: 'suspend_refused'; readonly hasMoved: boolean }
  | { readonly type: 'diagnosed' }
  /** Something new came at the very end. */
  | { readonly type: 'news' }
  | { readonly type: 'finished' }
  | { readonly type: 'stopped' };

type TurnLimits = Pick<Limits, 'jobPollsBeforeWait' | 'guardDiagnosticPackets'>;

/**
 * The turn as a pure function: requests and calls by turns, until nothing more is asked, or the session sleeps. What a
 * handle polls in vain without a handoff is bounded by the diagnostic budget.
 */
export function nextTurn(state: TurnState, event: TurnEvent, limits: TurnLimits): TurnState {
  if (state.phase.kind === 'ended') return state;
  const to = (phase: TurnPhase): TurnState => ({ ...state, phase });
  switch (event.type) {
    case 'answered':
      return to(event.calls.length > 0 ? { kind: 'calling', calls: event.calls } : { kind: 'finishing' });
    case 'called':
      return afterCalls(state, event.step, limits);
    case 'suspended':
    case 'finished':
      return to({ kind: 'ended' });
    case 'suspend_refused':
      return afterRefusal(state, event.hasMoved, limits);
    case 'diagnosed':
      return { ...state, diagnostics: state.diagnostics + 1, phase: { kind: 'requesting' } };
    case 'news':
      return to({ kind: 'requesting' });
    case 'stopped':
      return to({ kind: 'stopping' });
    default:
      return unreachable(event);
  }
}

function afterCalls(state: TurnState, step: StepOutcome, limits: TurnLimits): TurnState {
  const jobPolls =
    step.polledJob === null
      ? null
      : {
          commandId: step.polledJob,
          count: state.jobPolls?.commandId === step.polledJob ? state.jobPolls.count + 1 : 1,
        };
  const isPolledEnough = jobPolls !== null && jobPolls.count >= limits.jobPollsBeforeWait;
  const wishes = [
    ...(step.waitFor ? [step.waitFor] : []),
    ...(isPolledEnough ? [untilEnded([jobPolls.commandId])] : []),
    ...(step.fired === null ? [] : [untilEnded([step.fired])]),
  ];
  const phase: TurnPhase =
    wishes.length > 0 ? { kind: 'suspending', wishes, fired: step.fired } : { kind: 'requesting' };
  return { ...state, jobPolls, phase };
}

function afterRefusal(state: TurnState, hasMoved: boolean, limits: TurnLimits): TurnState {
  const { phase } = state;
  if (phase.kind !== 'suspending') return state;
  const wishes = phase.wishes.slice(1);
  if (wishes.length > 0) return { ...state, phase: { ...phase, wishes } };
  if (phase.fired === null || hasMoved) return { ...state, phase: { kind: 'requesting' } };
  const packetsLeft = limits.guardDiagnosticPackets - state.diagnostics - 1;
  return packetsLeft < 0
    ? { ...state, phase: { kind: 'giving_up' } }
    : { ...state, phase: { kind: 'diagnosing', commandId: phase.fired, packetsLeft } };
}
