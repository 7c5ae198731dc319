import type { Limits } from '../../shared/limits.ts';
import type { RuntimeMessage } from '../../shared/model/message.ts';
import type { SessionView, Wait } from '../../shared/model/session.ts';
import { transition } from './command-machine.ts';
import type { Commands } from './commands.ts';
import { newId } from './new-id.ts';
import type { Clock } from './ports.ts';
import type { CommandRecord } from './records.ts';
import type { Session, Sessions } from './sessions.ts';
import { arm, suspended, type WaitRequest } from './wait-machine.ts';

export interface HandoffOptions {
  readonly sessions: Sessions;
  readonly commands: Commands;
  readonly clock: Clock;
  readonly limits: Limits;
  /** Begins to watch for the end of the wait that the session has now. Step 6, after the swap. */
  readonly arrangeResume: (session: Session) => void;
}

/**
 * Suspends a session until commands end. The steps of the handoff, in their order, to be called under the session's
 * lock:
 *
 * 1. reserve the monitor of each command: not this session's, or reserved already: false, nothing changed
 * 2. all of them ended already: release, false
 * 3. work on a copy
 * 4. on the copy: the wait, status suspended, one visible message
 * 5. checkpoint: if it fails the copy is dropped, the reservations are released and the error is thrown; the session
 *    is as it was, no event was sent, the commands live
 * 6. swap the copy in, publish, arrange the resume
 */
export class Handoff {
  readonly #o: HandoffOptions;

  constructor(options: HandoffOptions) {
    this.#o = options;
  }

  async suspend(session: Session, request: WaitRequest): Promise<boolean> {
    const { sessions, commands, clock, limits } = this.#o;
    const earlier = session.view.wait?.commandIds ?? [];
    const added = [...new Set(request.commandIds)].filter((id) => !earlier.includes(id));
    if (!commands.reserve(added, session.view.id)) return false;
    const waited = [...earlier, ...added].filter((id) => !commands.hasEnded(id));
    if (waited.length === 0) {
      commands.release(added);
      return false;
    }
    // Under an armed wait that covers all of them, or that is for something else, the session goes back to sleep without
    // a second message.
    const armed = session.view.wait;
    const isCovered =
      armed !== null && request.until.kind === 'exit' && (added.length === 0 || armed.until.kind !== 'exit');
    const wanted =
      request.until.kind === 'exit' ? waited : waited.filter((id) => request.commandIds.includes(id));
    const copy = structuredClone(session.view);
    const view = isCovered
      ? suspended(copy)
      : arm(copy, { ...request, commandIds: wanted }, clock.now(), limits.waitLeaseMs);
    const kept = view.wait?.commandIds ?? [];
    const handed = waited.flatMap((id) => commands.record(id) ?? []);
    try {
      await sessions.save(session, {
        view,
        append: isCovered ? [] : [waitMessage(view, handed, clock.now())],
        commands: handed.map((record) => transition(record, { type: 'backgrounded' })),
        event: 'session.suspended',
      });
    } catch (error) {
      commands.release(added);
      throw error;
    }
    commands.release([...earlier, ...added].filter((id) => !kept.includes(id)));
    commands.handOff(waited);
    this.#o.arrangeResume(session);
    return true;
  }
}

function waitMessage(view: SessionView, records: readonly CommandRecord[], now: number): RuntimeMessage {
  const names = records.map((record) => `${record.id} \`${record.cmd}\``).join(', ');
  return {
    id: newId('m'),
    at: now,
    role: 'runtime',
    kind: 'background_exec_wait',
    text: `[System: the session sleeps until ${untilInWords(view.wait)}: ${names}. It wakes by itself; no request is spent meanwhile.]`,
    commandIds: view.wait?.commandIds ?? [],
    ends: [],
  };
}

function untilInWords(wait: Wait | null): string {
  switch (wait?.until.kind) {
    case 'match':
      return `a line of the output matches /${wait.until.pattern}/`;
    case 'port':
      return `port ${wait.until.port} is open`;
    default:
      return wait?.commandIds.length === 1 ? 'a command ends' : 'commands end';
  }
}
