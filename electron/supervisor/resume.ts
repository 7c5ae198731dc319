import type { Limits } from '../../shared/limits.ts';
import type { AppEvent } from '../../shared/model/event.ts';
import type { CommandId, SessionId } from '../../shared/model/ids.ts';
import type { CommandEnd, RuntimeMessage } from '../../shared/model/message.ts';
import type { Commands } from './commands.ts';
import {
  COMPLETION_READ_BYTES,
  completionText,
  elapsedInWords,
  endInWords,
  makeCompletion,
} from './completion.ts';
import { newId } from './new-id.ts';
import type { Clock, CommandHost, Store } from './ports.ts';
import type { CommandRecord } from './records.ts';
import type { Session, Sessions } from './sessions.ts';
import { clearWait, isFulfilled, running } from './wait-machine.ts';

export interface ResumeOptions {
  readonly sessions: Sessions;
  readonly commands: () => Commands;
  readonly host: CommandHost;
  readonly store: Store;
  readonly clock: Clock;
  readonly limits: Limits;
  /** Lowercase hexadecimal SHA-256 of a text. */
  readonly sha256: (text: string) => string;
  readonly publish: (event: AppEvent) => void;
  /** Starts the one turn of a session; throws when it cannot. */
  readonly activate: (session: Session) => void;
  readonly log: (message: string) => void;
}

/** The backstop of one wait generation: looks for an end that nobody told of. */
interface Watch {
  readonly generation: number;
  cancel: () => void;
}

/** Brings the ends of commands to their sessions: inbox first, then exactly one wake. */
export class Resume {
  readonly #o: ResumeOptions;
  readonly #watches = new Map<SessionId, Watch>();
  /** Wakes that wait for other ends to merge with. */
  readonly #wakes = new Map<SessionId, () => void>();
  readonly #deliveries = new Set<Promise<void>>();
  /** Ended in memory, and their completions not saved yet: a wake must not come before what it tells. */
  readonly #unsaved = new Set<CommandId>();

  constructor(options: ResumeOptions) {
    this.#o = options;
  }

  /**
   * A command ended: its record and its completion are saved in one transaction, and only then is anybody told. A
   * store that fails is tried again; the end itself cannot be lost, the host has its record.
   */
  deliver(record: CommandRecord): Promise<void> {
    const delivery = this.#deliver(record).finally(() => this.#deliveries.delete(delivery));
    this.#deliveries.add(delivery);
    return delivery;
  }

  /** Settles when every end that was noted so far has been saved. */
  async delivered(): Promise<void> {
    await Promise.all(this.#deliveries);
  }

  async #deliver(record: CommandRecord): Promise<void> {
    this.#unsaved.add(record.id);
    const session = this.#o.sessions.get(record.sessionId);
    const entry = await this.#completionOf(record);
    for (
      let delay = this.#o.limits.resumeRetryMs;
      ;
      delay = Math.min(delay * 2, this.#o.limits.backstopMaxMs)
    ) {
      try {
        const save = async () => {
          // Read under the lock: a tool result may have told the end meanwhile.
          const current = this.#o.commands().record(record.id) ?? record;
          const inbox = [current.isEndRead ? { ...entry, state: 'consumed' as const } : entry];
          if (session) await this.#o.sessions.save(session, { commands: [current], inbox });
          else await this.#o.store.checkpoint({ commands: [current], inbox });
        };
        await (session ? session.lock.run(save) : save());
        break;
      } catch (error) {
        this.#o.log(
          `the end of ${record.id} could not be saved (${String(error)}); trying again in ${delay} ms`,
        );
        await new Promise<void>((resolve) => this.#o.clock.after(delay, resolve));
      }
    }
    this.#unsaved.delete(record.id);
    const view = this.#o.commands().view(record.id);
    if (view) this.#o.publish({ type: 'command.terminal', command: view });
    if (session) this.wakeSoon(session);
  }

  async #completionOf(record: CommandRecord) {
    const { host, clock } = this.#o;
    const from = Math.max(0, record.outputBytes - COMPLETION_READ_BYTES);
    const bytes = await host.readLog(record.id, from, record.outputBytes).catch(() => new Uint8Array());
    return makeCompletion(record, bytes, record.endedAt ?? clock.now(), this.#o.sha256);
  }

  /** Begins to watch the wait that the session has now. Called once a wait, and again after a restart. */
  arrange(session: Session): void {
    const { wait } = session.view;
    if (!wait || this.#watches.get(session.view.id)?.generation === wait.generation) return;
    this.forget(session);
    const watch: Watch = { generation: wait.generation, cancel: () => {} };
    this.#watches.set(session.view.id, watch);
    const { limits, clock } = this.#o;
    const look = (delay: number) => {
      watch.cancel = clock.after(delay, () => {
        if (session.view.wait?.generation !== watch.generation) return;
        const age = clock.now() - wait.registeredAt;
        if (age >= Math.min(limits.backstopAgeMs, limits.waitLeaseMs))
          void this.#expire(session, watch.generation);
        else {
          void this.#askHost(session).then(() => this.wakeSoon(session));
          look(Math.min(delay * 2, limits.backstopMaxMs));
        }
      });
    };
    look(limits.backstopFirstMs);
    this.wakeSoon(session);
  }

  /** The person no longer waits, or the wait was fulfilled. */
  forget(session: Session): void {
    this.#watches.get(session.view.id)?.cancel();
    this.#watches.delete(session.view.id);
  }

  /** An end that was never told (a lost event) is found in the host's own list. */
  async #askHost(session: Session): Promise<void> {
    const { wait } = session.view;
    const listed = await this.#o.host.list();
    if (!wait || !listed.ok) return;
    for (const command of listed.value) {
      if (command.exit && wait.commandIds.includes(command.id))
        this.#o.commands().noteExit(command.id, command.exit, command.tail);
    }
  }

  /** Wakes a session for which it is due; ends within a short time of each other are one wake. */
  wakeSoon(session: Session): void {
    if (!this.#isDue(session)) return;
    this.#wakes.get(session.view.id)?.();
    this.#wakes.set(
      session.view.id,
      this.#o.clock.after(this.#o.limits.wakeMergeMs, () => void this.#wake(session, 1)),
    );
  }

  /**
   * Due when everything waited for has ended and is saved. Without a wait (its checkpoint failed, or the app ended in
   * the turn) the end of a command still reaches its session, unless the person said not to wait for it.
   */
  #isDue(session: Session): boolean {
    const { wait, status } = session.view;
    const commands = this.#o.commands();
    if (wait) return isFulfilled(wait, (id) => commands.hasEnded(id) && !this.#unsaved.has(id));
    return (
      status === 'idle' && session.pending.some((entry) => !commands.record(entry.commandId)?.isUnawaited)
    );
  }

  async #wake(session: Session, attempt: number): Promise<void> {
    const { sessions, clock, limits } = this.#o;
    this.#wakes.delete(session.view.id);
    try {
      await session.lock.run(async () => {
        if (!this.#isDue(session)) return;
        const { wait } = session.view;
        const cleared = { ...session.view, wait: null };
        if (session.turn) {
          // A live turn drains the inbox by itself before its next request.
          await sessions.save(session, { view: cleared });
        } else {
          const ends = session.pending.map((entry) => entry.end);
          const spent = wait ? session.view.requests - wait.requestsAt : 0;
          const message = resumedMessage(ends, spent, clock.now());
          await sessions.save(session, {
            view: running(cleared),
            append: [message],
            event: 'session.resumed',
          });
          this.#o.activate(session);
        }
        this.#o.commands().release(wait?.commandIds ?? []);
        this.forget(session);
      });
    } catch (error) {
      this.#o.log(`session ${session.view.id} could not be resumed, attempt ${attempt}: ${String(error)}`);
      if (attempt < limits.resumeAttempts) {
        clock.after(limits.resumeRetryMs, () => void this.#wake(session, attempt + 1));
      } // the backstop tries again later
    }
  }

  /** The lease bounds the wait, never the command: the session wakes and is told that the command runs on. */
  async #expire(session: Session, generation: number): Promise<void> {
    const { sessions, clock } = this.#o;
    await session.lock.run(async () => {
      const { wait } = session.view;
      if (wait?.generation !== generation) return;
      const message: RuntimeMessage = {
        id: newId('m'),
        at: clock.now(),
        role: 'runtime',
        kind: 'resumed',
        text: `Resumed: the wait ended after ${elapsedInWords(clock.now() - wait.registeredAt)}. The command runs on.`,
        commandIds: wait.commandIds,
        ends: [],
      };
      const cleared = clearWait(session.view, generation);
      if (session.turn) await sessions.save(session, { view: cleared, append: [message] });
      else {
        await sessions.save(session, { view: running(cleared), append: [message], event: 'session.resumed' });
        this.#o.activate(session);
      }
      this.#o.commands().release(wait.commandIds);
      for (const id of wait.commandIds) this.#o.commands().apply(id, { type: 'unawaited' });
      this.forget(session);
    });
  }
}

/** The messages that tell a session of its pending completions, in order; each is injected once. */
export function completionMessages(ends: readonly CommandEnd[], now: number): RuntimeMessage[] {
  return ends.map((end) => ({
    id: newId('m'),
    at: now,
    role: 'runtime',
    kind: 'completion',
    text: completionText(end),
    commandIds: [end.commandId],
    ends: [end],
  }));
}

function resumedMessage(ends: readonly CommandEnd[], requests: number, now: number): RuntimeMessage {
  const what =
    ends.length === 1 && ends[0]
      ? `${firstLine(ends[0].cmd)} ${endInWords(ends[0])}`
      : `${ends.length} commands ended`;
  const spent =
    requests === 0
      ? '0 requests while it slept'
      : `${requests} ${requests === 1 ? 'request' : 'requests'} for your messages meanwhile`;
  return {
    id: newId('m'),
    at: now,
    role: 'runtime',
    kind: 'resumed',
    text: `Resumed: ${what}. ${spent}`,
    commandIds: ends.map((end) => end.commandId),
    ends: [],
  };
}

function firstLine(cmd: string): string {
  const line = cmd.trim().split('\n', 1)[0] ?? '';
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}
