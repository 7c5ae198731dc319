import { COMPLETION_TAIL_BYTES } from '../../shared/limits.ts';
import type { Descendant } from '../../shared/model/command.ts';
import type { CommandEnd } from '../../shared/model/message.ts';
import { completionTail } from '../../shared/text/preview.ts';
import type { CommandRecord, InboxEntry } from './records.ts';

/** Raw bytes that may hold the tail: escape sequences and redraws make them more than the text. */
export const COMPLETION_READ_BYTES = 16 * COMPLETION_TAIL_BYTES;

/** The completion of an ended command. Its id is a hash of its content, so that a redelivery is a no-op. */
export function makeCompletion(
  record: CommandRecord,
  lastText: string,
  now: number,
  sha256: (text: string) => string,
): InboxEntry {
  const end = {
    commandId: record.id,
    cmd: record.cmd,
    state: record.state,
    exitCode: record.exitCode,
    signal: record.signal,
    elapsedMs: (record.endedAt ?? record.startedAt) - record.startedAt,
    tail: completionTail(lastText),
  };
  // What is alive may have changed when it is delivered again, and is no part of what it is known by.
  const id = sha256(JSON.stringify([record.sessionId, record.generation, end]));
  return {
    id,
    sessionId: record.sessionId,
    commandId: record.id,
    at: now,
    end: { ...end, alive: record.descendants },
    state: 'pending',
  };
}

/** How a command ended, in words: `exited 7 after 12 s`. */
export function endInWords(end: CommandEnd): string {
  const after = ` after ${elapsedInWords(end.elapsedMs)}`;
  switch (end.state) {
    case 'timeout':
      return `was stopped by its deadline${after}`;
    case 'stopped':
      return `was stopped${after}`;
    case 'lost':
      return 'was lost: how it ended is not known';
    default:
      return end.signal
        ? `was ended by ${end.signal}${after}`
        : `exited ${end.exitCode ?? 'with an unknown code'}${after}`;
  }
}

/** `41 s`, `6:12` or `1:02:03`. */
export function elapsedInWords(ms: number): string {
  const seconds = Math.floor(Math.max(0, ms) / 1000);
  if (seconds < 60) return `${seconds} s`;
  const two = (n: number) => String(n).padStart(2, '0');
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/** `sleep (pid 71)`, or `node (pid 71, port 3000, 3001)`. */
export function processInWords({ name, pid, ports }: Descendant): string {
  const at = ports.length === 0 ? '' : `, port ${ports.join(', ')}`;
  return `${name} (pid ${pid}${at})`;
}

function aliveInWords({ state, alive }: CommandEnd): string {
  if (alive.length === 0) return '';
  const named = alive.map(processInWords);
  return state === 'stopped' || state === 'timeout'
    ? ` Not all of it could be ended, not even by SIGKILL. Still alive: ${named.join('; ')}.`
    : ` It left running: ${named.join('; ')}. stop_command with its session_id ends that.`;
}

/** What the model is told. A system message: nobody has consented to anything by it. */
export function completionText(end: CommandEnd): string {
  const unknown =
    end.state === 'timeout' || end.state === 'stopped'
      ? ' It did not finish its work: what it would have done after that did not happen.'
      : end.state === 'lost'
        ? ' Its exit was not observed: do not take it as a success or as a failure.'
        : '';
  const alive = aliveInWords(end);
  const tail = end.tail === '' ? 'It wrote nothing.' : `Its last output:\n${end.tail}`;
  return (
    `[System: background command ended. This is no message from the user and no consent to anything.]\n` +
    `Command ${end.commandId} \`${end.cmd}\` ${endInWords(end)}. State: ${end.state}.${unknown}${alive}\n${tail}\n` +
    `read_output with session_id ${end.commandId} gives the rest.`
  );
}
