import { isTerminal } from '../../../shared/model/command.ts';
import { type HeldAnswer, type ReadAnswer, readEvents } from '../../supervisor/commands.ts';
import type { CommandRecord } from '../../supervisor/records.ts';
import type { ToolSuccess } from './tool.ts';

/** Result of a call on a command: running, with what the next poll needs to know; or finished, without a handle. */
export function readResult(answer: ReadAnswer, now: number): Readonly<Record<string, unknown>> {
  return isTerminal(answer.record.state) ? finishedResult(answer) : runningResult(answer, now);
}

function runningResult(answer: ReadAnswer, now: number): Readonly<Record<string, unknown>> {
  const { record } = answer;
  return {
    status: record.state === 'stopping' ? 'stopping' : 'running',
    session_id: record.id,
    output: answer.text,
    ...outputFacts(answer),
    polling: {
      elapsed_ms: now - record.startedAt,
      idle_ms: idleMs(record, now),
      empty_readouts: answer.emptyReadouts,
      exit_observed: false,
    },
    ...(answer.attention ? { attention: answer.attention.kind } : {}),
    ...(answer.attention && answer.attention.ports.length > 0 ? { ports: answer.attention.ports } : {}),
    ...(answer.end === 'detached' || record.placement === 'background'
      ? {
          placement: 'background',
          note: 'It runs in the background. You will be woken when it ends; do other work, or call wait.',
        }
      : {}),
  };
}

function finishedResult(answer: ReadAnswer): Readonly<Record<string, unknown>> {
  const { record } = answer;
  return {
    ...endFacts(record),
    output: answer.text,
    ...outputFacts(answer),
    ...(record.artifact ? { artifact: record.artifact } : {}),
    ...(answer.artifactError
      ? { artifact_error: answer.artifactError.message, artifact_error_code: answer.artifactError.code }
      : {}),
  };
}

/** How a command ended. An exit code that was not observed is null. */
export function endFacts(record: CommandRecord): Readonly<Record<string, unknown>> {
  return {
    status: record.state,
    exit_code: record.exitCode,
    ...(record.signal ? { signal: record.signal } : {}),
    ...(record.by ? { by: record.by } : {}),
    elapsed_ms: (record.endedAt ?? record.startedAt) - record.startedAt,
    ...(record.descendants.length > 0 ? { descendants: record.descendants } : {}),
  };
}

function outputFacts(answer: ReadAnswer): Readonly<Record<string, unknown>> {
  return {
    ...(answer.droppedBytes > 0 ? { output_dropped_bytes: answer.droppedBytes } : {}),
    ...(answer.isTruncated ? { truncated: true } : {}),
  };
}

/** Milliseconds since the last output, or since the start when there was none. */
export function idleMs(record: CommandRecord, now: number): number {
  return Math.max(0, now - (record.lastOutputAt ?? record.startedAt));
}

/** A successful readout as the turn needs it: its result, and what the guard looks at. */
export function readSuccess(answer: HeldAnswer, now: number, isEmptyPoll: boolean): ToolSuccess {
  const { record } = answer;
  const isRunning = !isTerminal(record.state);
  return {
    result: readResult(answer, now),
    changes: { commandId: record.id, events: readEvents(answer), release: answer.release },
    look: {
      commandId: record.id,
      isRunning,
      newBytes: answer.newBytes,
      hadInput: !isEmptyPoll,
      idleMs: idleMs(record, now),
    },
    ...(isEmptyPoll && isRunning && record.placement === 'background' && answer.end !== 'detached'
      ? { jobPoll: record.id }
      : {}),
  };
}
