import { isTerminal } from '../../../shared/model/command.ts';
import type { CommandId } from '../../../shared/model/ids.ts';
import type { CommandEnd } from '../../../shared/model/message.ts';
import { endFacts, idleMs } from '../../agent/tools/results.ts';
import type { Commands } from '../../supervisor/commands.ts';
import type { CommandRecord, InboxEntry } from '../../supervisor/records.ts';
import type { WaitEnd } from '../../supervisor/wait-machine.ts';
import { waitEndInWords } from '../../supervisor/wait-words.ts';

export interface WaitFacts {
  readonly commands: Commands;
  /** Ends that were not told yet. */
  readonly pending: readonly InboxEntry[];
  readonly now: number;
  readonly elapsedMs: number;
}

/** What a wait came to, and how each of its commands stands: an ended one with its exit and its last lines. */
export function waitResult(
  end: WaitEnd,
  ids: readonly CommandId[],
  { commands, pending, now, elapsedMs }: WaitFacts,
): Readonly<Record<string, unknown>> {
  const records = ids.flatMap((id) => commands.record(id) ?? []);
  const ends = records.filter(({ state }) => isTerminal(state)).map((record) => endOf(record, pending));
  return {
    status: end.kind,
    note: waitEndInWords(end, { cmdOf: (id) => commands.record(id)?.cmd, elapsedMs, ends }),
    ...(end.kind === 'matched' ? { session_id: end.commandId, line: end.line } : {}),
    ...(end.kind === 'port_open' ? { session_id: end.commandId, port: end.port } : {}),
    commands: records.map((record) => ({
      session_id: record.id,
      command: record.cmd,
      ...(isTerminal(record.state)
        ? { ...endFacts(record), tail: endOf(record, pending).tail }
        : { status: record.state, age_ms: now - record.startedAt, idle_ms: idleMs(record, now) }),
    })),
  };
}

/** The completion that waits to be told; of one that was told before, what the record still knows. */
function endOf(record: CommandRecord, pending: readonly InboxEntry[]): CommandEnd {
  const {
    id: commandId,
    cmd,
    state,
    exitCode,
    signal,
    startedAt,
    endedAt,
    tail,
    descendants: alive,
  } = record;
  const known = pending.find((entry) => entry.commandId === commandId)?.end;
  const elapsedMs = (endedAt ?? startedAt) - startedAt;
  return known ?? { commandId, cmd, state, exitCode, signal, elapsedMs, tail: tail.join('\n'), alive };
}
