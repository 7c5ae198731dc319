import type { Limits } from '../../shared/limits.ts';
import type { AppEvent } from '../../shared/model/event.ts';
import type { CommandId, SessionId } from '../../shared/model/ids.ts';
import type { CommandEnd, RuntimeMessage } from '../../shared/model/message.ts';
import { transition } from './command-machine.ts';
import type { Commands } from './commands.ts';
import { COMPLETION_READ_BYTES, completionText, makeCompletion } from './completion.ts';
import { modelText } from './model-text.ts';
import { newId } from './new-id.ts';
import type { Clock, CommandHost, FindLine, RenderScreen, Store } from './ports.ts';
import type { CommandRecord } from './records.ts';
import type { Session, Sessions } from './sessions.ts';
import { watchCondition } from './wait-conditions.ts';
import { idle, running, type WaitEnd, waitEnd } from './wait-machine.ts';
import { waitEndInWords } from './wait-words.ts';

export interface ResumeOptions {
  readonly sessions: Sessions;
  readonly commands: () => Commands;
  readonly host: CommandHost;
  readonly store: Store;
  readonly clock: Clock;
  readonly limits: Limits;
  /** Lowercase hexadecimal SHA-256 of a text. */
  readonly sha256: (text: string) => string;
  readonly findLine: FindLine;
  readonly renderScreen: RenderScreen;
  readonly publish: (event: AppEvent) => void;
  /** Starts the one turn of a session; throws when it cannot. */
  readonly activate: (session: Session) => void;
  readonly log: (message: string) => void;
}

/** What watches one wait generation: its condition, its deadline, and the backstop for an end that nobody told of. */
interface Watch {
  readonly generation: number;
  /** What was observed of the condition itself. */
  met: WaitEnd | null;
  readonly cancels: (() => void)[];
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
          const commands = [transition(current, { type: 'end_saved' })];
          if (session) await this.#o.sessions.save(session, { commands, inbox });
          else await this.#o.store.checkpoint({ commands, inbox });
          this.#o.commands().apply(record.id, { type: 'end_saved' });
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
    const { text } = await modelText(bytes, this.#o.renderScreen);
    return makeCompletion(record, text, record.endedAt ?? clock.now(), this.#o.sha256);
  }

  /** Begins to watch the wait that the session has now. Called once a wait, and again after a restart. */
  arrange(session: Session): void {
    const { wait } = session.view;
    if (!wait || this.#watches.get(session.view.id)?.generation === wait.generation) return;
    this.forget(session);
    const watch: Watch = { generation: wait.generation, met: null, cancels: [] };
    this.#watches.set(session.view.id, watch);
    const { limits, clock, host, findLine } = this.#o;
    const stopWatching = watchCondition(wait, {
      host,
      clock,
      findLine,
      outputBytes: (id) => this.#o.commands().record(id)?.outputBytes ?? 0,
      onMet: (end) => {
        watch.met = end;
        this.wakeSoon(session);
      },
    });
    watch.cancels.push(stopWatching);
    const limitAt = Math.min(wait.leaseUntil, wait.deadlineAt ?? wait.leaseUntil);
    watch.cancels.push(clock.after(Math.max(0, limitAt - clock.now()), () => this.wakeSoon(session)));
    const look = (delay: number) => {
      const cancel = clock.after(delay, () => {
        watch.cancels.splice(watch.cancels.indexOf(cancel), 1);
        void this.#askHost(session).then(() => this.wakeSoon(session));
        if (clock.now() - wait.registeredAt < limits.backstopAgeMs)
          look(Math.min(delay * 2, limits.backstopMaxMs));
      });
      watch.cancels.push(cancel);
    };
    look(limits.backstopFirstMs);
    this.wakeSoon(session);
  }

  /** The person no longer waits, or the wait was fulfilled. */
  forget(session: Session): void {
    for (const cancel of this.#watches.get(session.view.id)?.cancels ?? []) cancel();
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

  /** Why the wait of a session is over; null while it is not, or when there is none. */
  #endOf(session: Session): WaitEnd | null {
    const { wait } = session.view;
    if (!wait) return null;
    const watch = this.#watches.get(session.view.id);
    const met = watch?.generation === wait.generation ? watch.met : null;
    const hasEnded = (id: CommandId) => this.#o.commands().hasEnded(id) && !this.#unsaved.has(id);
    return waitEnd(wait, hasEnded, met, this.#o.clock.now());
  }

  /**
   * Due when the wait is over. Without a wait (its checkpoint failed, or the app ended in the turn) the end of a
   * command still reaches its session, unless the person said not to wait for it.
   */
  #isDue(session: Session): boolean {
    const { wait, status } = session.view;
    if (wait) return this.#endOf(session) !== null;
    const commands = this.#o.commands();
    return (
      status === 'idle' && session.pending.some((entry) => !commands.record(entry.commandId)?.isUnawaited)
    );
  }

  async #wake(session: Session, attempt: number): Promise<void> {
    const { limits, clock } = this.#o;
    this.#wakes.delete(session.view.id);
    try {
      await session.lock.run(() => this.#wakeNow(session));
    } catch (error) {
      this.#o.log(`session ${session.view.id} could not be resumed, attempt ${attempt}: ${String(error)}`);
      if (attempt < limits.resumeAttempts) {
        clock.after(limits.resumeRetryMs, () => void this.#wake(session, attempt + 1));
      } // the backstop tries again later
    }
  }

  /** Clears the wait durably, then activates exactly one turn. */
  async #wakeNow(session: Session): Promise<void> {
    const { sessions, clock } = this.#o;
    if (!this.#isDue(session)) return;
    const { wait } = session.view;
    const end = this.#endOf(session);
    const cleared = { ...session.view, wait: null };
    // The lease bounds the wait and not the command: it runs on, and is not waited for again.
    const left =
      end?.kind === 'lease' && wait ? wait.commandIds.filter((id) => !this.#o.commands().hasEnded(id)) : [];
    const commands = left.flatMap((id) => this.#o.commands().record(id) ?? []);
    const unawaited = commands.map((record) => transition(record, { type: 'unawaited' }));
    if (end?.kind === 'ended' && session.pending.length === 0 && !session.turn) {
      // The agent has read the ends by itself: there is nothing to wake it for.
      await sessions.save(session, { view: idle(cleared) });
    } else if (session.turn && (end === null || end.kind === 'ended')) {
      // A live turn drains the inbox by itself before its next request.
      await sessions.save(session, { view: cleared });
    } else {
      const asleep = session.view.requests - session.requestsAtSleep;
      const message = resumedMessage(this.#whatHappened(session, end), asleep, clock.now(), session);
      const view = session.turn ? cleared : running(cleared);
      await sessions.save(session, {
        view,
        append: [message],
        commands: unawaited,
        event: 'session.resumed',
      });
      if (!session.turn) this.#o.activate(session);
    }
    for (const { id } of unawaited) this.#o.commands().apply(id, { type: 'unawaited' });
    this.#o.commands().release(wait?.commandIds ?? []);
    this.forget(session);
  }

  #whatHappened(session: Session, end: WaitEnd | null): string {
    return waitEndInWords(end, {
      cmdOf: (id) => this.#o.commands().record(id)?.cmd,
      elapsedMs: this.#o.clock.now() - (session.view.wait?.registeredAt ?? 0),
      ends: session.pending.map((entry) => entry.end),
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

function resumedMessage(what: string, requests: number, now: number, session: Session): RuntimeMessage {
  return {
    id: newId('m'),
    at: now,
    role: 'runtime',
    kind: 'resumed',
    text: `Resumed: ${what}. ${requests} ${requests === 1 ? 'request' : 'requests'} while it slept`,
    commandIds: session.view.wait?.commandIds ?? session.pending.map((entry) => entry.commandId),
    ends: [],
  };
}
