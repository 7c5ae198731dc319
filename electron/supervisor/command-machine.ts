import type { ArtifactRef } from '../../shared/model/artifact.ts';
import { type CommandState, type Descendant, isTerminal, type StopBy } from '../../shared/model/command.ts';
import type { LogGap } from '../../shared/model/log-gap.ts';
import { unreachable } from '../../shared/model/result.ts';
import type { ExitRecord } from '../../shared/protocol/host.ts';
import type { CommandRecord } from './records.ts';

/** All that can happen to a command after it was started. */
export type CommandEvent =
  | {
      readonly type: 'progressed';
      readonly bytes: number;
      readonly at: number;
      readonly tail?: readonly string[];
    }
  /** Nothing in the foreground waits for it any more: detached, handed off, or its turn ended. */
  | { readonly type: 'backgrounded' }
  /** Its handle was given to the agent. */
  | { readonly type: 'yielded' }
  /** It runs, and cannot be reached from here. */
  | { readonly type: 'out_of_reach' }
  /** It was found alive. */
  | { readonly type: 'found' }
  | { readonly type: 'stop_begun'; readonly by: StopBy }
  | { readonly type: 'ended'; readonly exit: ExitRecord; readonly tail: readonly string[] }
  /** The agent was given this much of the output. */
  | { readonly type: 'read'; readonly cursor: number }
  /** The agent was given the end. */
  | { readonly type: 'end_read' }
  /** Its completion is in the inbox. */
  | { readonly type: 'end_saved' }
  | { readonly type: 'artifact_kept'; readonly artifact: ArtifactRef }
  | { readonly type: 'unawaited' }
  | { readonly type: 'descendants_changed'; readonly descendants: readonly Descendant[] }
  /** Some of its output is not in the log any more. */
  | { readonly type: 'log_lost'; readonly gap: LogGap }
  | { readonly type: 'cleared' };

/**
 * The life of a command as a pure function. Terminal is final: what comes later changes neither state nor exit, only
 * what was read and what the command left behind. The first stop reason wins.
 */
export function transition(record: CommandRecord, event: CommandEvent): CommandRecord {
  const isOver = isTerminal(record.state);
  switch (event.type) {
    case 'progressed':
      return {
        ...record,
        outputBytes: Math.max(record.outputBytes, event.bytes),
        lastOutputAt: event.at,
        tail: event.tail ? [...event.tail] : record.tail,
      };
    case 'backgrounded':
      return isOver ? record : { ...record, placement: 'background' };
    case 'yielded':
      return { ...record, hasYielded: true };
    case 'out_of_reach':
      return isOver ? record : { ...record, state: 'unknown' };
    case 'found':
      return record.state === 'unknown' ? { ...record, state: 'running' } : record;
    case 'stop_begun':
      return isOver || record.state === 'stopping' ? record : { ...record, state: 'stopping', by: event.by };
    case 'ended':
      return isOver ? record : endedRecord(record, event.exit, event.tail);
    case 'read':
      return { ...record, cursor: Math.max(record.cursor, event.cursor) };
    case 'end_read':
      return { ...record, isEndRead: true };
    case 'end_saved':
      return { ...record, isEndSaved: true };
    case 'artifact_kept':
      // The first reference stays: repeated reads give the same one.
      return record.artifact ? record : { ...record, artifact: event.artifact };
    case 'unawaited':
      return { ...record, isUnawaited: true };
    case 'descendants_changed':
      return { ...record, descendants: [...event.descendants] };
    case 'log_lost':
      return { ...record, gap: event.gap };
    case 'cleared':
      return isOver ? { ...record, isCleared: true } : record;
    default:
      return unreachable(event);
  }
}

function endedRecord(record: CommandRecord, exit: ExitRecord, tail: readonly string[]): CommandRecord {
  return {
    ...record,
    state: stateOf(exit),
    exitCode: exit.exitCode,
    signal: exit.signal,
    by: exit.by,
    endedAt: exit.endedAt,
    outputBytes: Math.max(record.outputBytes, exit.bytes),
    tail: [...tail],
    descendants: exit.survivors.length > 0 ? exit.survivors : exit.descendants,
    gap: exit.gap,
  };
}

/** The terminal state that an exit record means. A signal that nobody here sent is a failure. */
export function stateOf(exit: Pick<ExitRecord, 'reason' | 'exitCode'>): CommandState {
  switch (exit.reason) {
    case 'exited':
      return exit.exitCode === 0 ? 'completed' : 'failed';
    case 'stopped':
      return 'stopped';
    case 'timeout':
      return 'timeout';
    case 'lost':
      return 'lost';
    default:
      return unreachable(exit.reason);
  }
}
