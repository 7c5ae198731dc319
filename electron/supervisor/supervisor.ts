import type { Limits } from '../../shared/limits.ts';
import type { CommandView } from '../../shared/model/command.ts';
import type { AppEvent } from '../../shared/model/event.ts';
import type { CommandId, SessionId } from '../../shared/model/ids.ts';
import type { RuntimeMessage, UserMessage } from '../../shared/model/message.ts';
import type { SessionView } from '../../shared/model/session.ts';
import type { ExitRecord } from '../../shared/protocol/host.ts';
import { transition } from './command-machine.ts';
import { type CommandEnvironment, Commands } from './commands.ts';
import { Handoff } from './handoff.ts';
import { newId } from './new-id.ts';
import type { Clock, CommandHost, Store } from './ports.ts';
import type { CommandRecord } from './records.ts';
import { Resume } from './resume.ts';
import { NEW_TITLE, type Session, Sessions } from './sessions.ts';
import { idle, running, suspended } from './wait-machine.ts';

export interface SupervisorOptions {
  readonly host: CommandHost;
  readonly store: Store;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly environment: CommandEnvironment;
  /** Provider of new sessions. */
  readonly provider: string;
  readonly publish: (event: AppEvent) => void;
  /** Something went wrong that nobody waits for. */
  readonly log: (message: string) => void;
}

/** Runs one turn of a session to its end, until it is suspended, or until the signal. */
export type RunTurn = (session: Session, signal: AbortSignal) => Promise<void>;

/**
 * The session supervisor: sessions, their commands, waits and turns. Everything that a person or an agent does goes
 * through here; the host only runs processes, and the store only remembers.
 */
export class Supervisor {
  readonly sessions: Sessions;
  readonly commands: Commands;
  readonly handoff: Handoff;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly #resume: Resume;
  readonly #o: SupervisorOptions;
  #runTurn: RunTurn | null = null;

  constructor(options: SupervisorOptions) {
    this.#o = options;
    const { host, store, clock, limits, environment, log } = options;
    this.limits = limits;
    this.clock = clock;
    // A window that cannot be told must not undo what was saved.
    const publish = (event: AppEvent) => {
      try {
        options.publish(event);
      } catch (error) {
        log(`an event could not be told: ${String(error)}`);
      }
    };
    this.sessions = new Sessions({ store, clock, publish });
    this.#resume = new Resume({
      sessions: this.sessions,
      commands: () => this.commands,
      host,
      store,
      clock,
      limits,
      publish,
      activate: (session) => this.#activate(session),
      log,
    });
    const onEnded = (record: CommandRecord) => {
      this.#resume
        .deliver(record)
        .catch((error) => log(`the end of ${record.id} could not be told: ${String(error)}`));
    };
    this.commands = new Commands({ host, store, clock, limits, environment, publish, onEnded });
    this.handoff = new Handoff({
      sessions: this.sessions,
      commands: this.commands,
      clock,
      limits,
      arrangeResume: (session) => this.#resume.arrange(session),
    });
  }

  /** Sets what runs a turn. Before `restore`. */
  useTurns(run: RunTurn): void {
    this.#runTurn = run;
  }

  /**
   * Takes up what an earlier run of the app left: sessions, commands that live on, ends that were not told yet. Every
   * former command is accounted for: alive, ended while away, or lost.
   */
  async restore(): Promise<void> {
    const { store, host, clock } = this.#o;
    const saved = await store.load();
    for (const record of saved.commands) this.commands.adopt(record);
    for (const view of saved.sessions) {
      this.sessions.adopt(
        view,
        saved.inbox.filter((entry) => entry.sessionId === view.id && entry.state === 'pending'),
      );
    }
    const listed = await host.list();
    if (!listed.ok) throw new Error(listed.error.message);
    const known = new Map(listed.value.map((command) => [command.id, command]));
    for (const record of this.commands.live()) {
      const found = known.get(record.id);
      if (!found) this.commands.noteExit(record.id, lostExit(record, clock.now()), record.tail);
      else {
        this.commands.apply(record.id, {
          type: 'progressed',
          bytes: found.bytes,
          at: found.lastOutputAt ?? found.startedAt,
          tail: found.tail,
        });
        if (found.exit) this.commands.noteExit(record.id, found.exit, found.tail);
      }
    }
    for (const session of this.sessions.all()) await this.#takeUp(session);
  }

  async #takeUp(session: Session): Promise<void> {
    const { view } = session;
    if (view.wait) this.commands.reserve(view.wait.commandIds, view.id);
    if (view.status === 'running') {
      const notice = this.#notice(
        'The app ended during this turn. What it had started is shown below; send a message to go on.',
      );
      const next = view.wait ? suspended(view) : idle(view);
      await session.lock.run(() => this.sessions.save(session, { view: next, append: [notice] }));
    }
    this.#resume.arrange(session);
    // Woken, and the app ended before the turn began: the backlog is still there and nobody waits for it.
    if (!session.view.wait && view.status === 'running' && session.pending.length > 0)
      this.#activate(session);
  }

  // ---- what a person does ----

  async createSession(workspace: string): Promise<SessionView> {
    return (await this.sessions.create(workspace, this.#o.provider)).view;
  }

  async rename(session: Session, title: string): Promise<void> {
    await session.lock.run(() => this.sessions.save(session, { view: { ...session.view, title } }));
  }

  /** A message clears only status and reason of a suspended session: its wait stays armed. A live turn answers it too. */
  async send(session: Session, text: string): Promise<UserMessage> {
    const message: UserMessage = { id: newId('m'), at: this.clock.now(), role: 'user', text };
    await session.lock.run(async () => {
      const isFirst = session.view.title === NEW_TITLE;
      const view = running(isFirst ? { ...session.view, title: titleFrom(text) } : session.view);
      await this.sessions.save(session, { view, append: [message] });
      if (!session.turn) this.#activate(session);
    });
    return message;
  }

  stopTurn(session: Session): void {
    session.turn?.abort();
  }

  /** Drops the wait. The commands run on, and their ends are told in the next turn. */
  async stopWaiting(session: Session): Promise<void> {
    await session.lock.run(async () => {
      const { wait } = session.view;
      if (!wait) return;
      const view = session.turn ? { ...session.view, wait: null } : { ...idle(session.view), wait: null };
      const records = wait.commandIds.flatMap((id) => this.commands.record(id) ?? []);
      await this.sessions.save(session, {
        view,
        commands: records.map((record) => transition(record, { type: 'unawaited' })),
      });
      for (const id of wait.commandIds) this.commands.apply(id, { type: 'unawaited' });
      this.commands.release(wait.commandIds);
      this.#resume.forget(session);
    });
  }

  detach(id: CommandId): boolean {
    return this.commands.detach(id, 'user', 'the user moved it to the background');
  }

  /** Asks every live command to stop. Returns how many that were. */
  async stopAll(): Promise<number> {
    const live = this.commands.live();
    await Promise.all(live.map((record) => this.commands.stop(record.id, 'user')));
    return live.length;
  }

  /** Takes ended commands off the job list; the chats keep their cards. */
  async clearFinished(): Promise<CommandId[]> {
    const ended = this.commands
      .ended()
      .filter((record) => !record.isCleared && record.descendants.length === 0);
    const cleared = ended.map((record) => transition(record, { type: 'cleared' }));
    await this.#o.store.checkpoint({ commands: cleared });
    for (const { id } of cleared) this.commands.apply(id, { type: 'cleared' });
    const ids = cleared.map((record) => record.id);
    if (ids.length > 0) this.#o.publish({ type: 'commands.cleared', ids });
    return ids;
  }

  // ---- turns ----

  /** Starts the one turn of a session. To be called under its lock, with the status saved as running. */
  #activate(session: Session): void {
    if (!this.#runTurn) throw new Error('no turns can be run yet');
    if (session.turn) return;
    const controller = new AbortController();
    session.turn = controller;
    this.#runTurn(session, controller.signal).catch((error) => {
      this.#o.log(`a turn of session ${session.view.id} broke off: ${String(error)}`);
      if (session.turn === controller) session.turn = null;
    });
  }

  /**
   * Ends the live turn by suspending its session, in one step under the lock. False when that is not possible, or when
   * `hasNews` says that a message came meanwhile which nobody has answered.
   */
  async suspendTurn(
    session: Session,
    commandIds: readonly CommandId[],
    hasNews: () => boolean,
  ): Promise<boolean> {
    return session.lock.run(async () => {
      if (hasNews() || !(await this.handoff.suspend(session, commandIds))) return false;
      session.turn = null;
      return true;
    });
  }

  /**
   * The end of a turn, in one step under the lock. False when something new came meanwhile (a message, a completion):
   * then the turn goes on. Commands of the turn that still run go to the background, and the session sleeps until
   * they end; after an abort no new wait begins.
   */
  async finishTurn(
    session: Session,
    end: { isAborted: boolean; notice: string | null; hasNews: () => boolean },
  ): Promise<boolean> {
    return session.lock.run(async () => {
      if (!end.isAborted && end.notice === null && end.hasNews()) return false;
      const live = this.commands.liveOf(session.view.id);
      const foreground = live
        .filter((record) => record.placement === 'foreground')
        .map((record) => record.id);
      const awaited = live.filter((record) => !record.isUnawaited).map((record) => record.id);
      const notices = end.notice === null ? [] : [this.#notice(end.notice)];
      if (notices.length > 0) await this.sessions.save(session, { append: notices });
      const sleeps = !end.isAborted && awaited.length > 0 && (await this.handoff.suspend(session, awaited));
      if (!sleeps) {
        const view = session.view.wait ? suspended(session.view) : idle(session.view);
        const records = foreground.flatMap((id) => this.commands.record(id) ?? []);
        await this.sessions.save(session, {
          view,
          commands: records.map((record) => transition(record, { type: 'backgrounded' })),
        });
        this.commands.moveToBackground(foreground, 'command.changed');
      }
      session.turn = null;
      session.streaming = null;
      return true;
    });
  }

  /** A turn that cannot even save its end: what is shown is put right, and the next start of the app repairs the rest. */
  abandonTurn(session: Session): void {
    session.turn = null;
    session.streaming = null;
    session.view = session.view.wait ? suspended(session.view) : idle(session.view);
    this.#o.publish({ type: 'session.changed', session: session.view });
  }

  #notice(text: string): RuntimeMessage {
    return {
      id: newId('m'),
      at: this.clock.now(),
      role: 'runtime',
      kind: 'turn_ended',
      text,
      commandIds: [],
      ends: [],
    };
  }

  // ---- looking ----

  session(id: SessionId): Session | undefined {
    return this.sessions.get(id);
  }

  views(): { sessions: SessionView[]; commands: CommandView[] } {
    return { sessions: this.sessions.views(), commands: this.commands.views() };
  }

  hasLiveCommands(): boolean {
    return this.commands.live().length > 0;
  }
}

/** The first line of the first message, short enough for a list. */
export function titleFrom(text: string): string {
  const line = text.trim().split('\n', 1)[0]?.trim() ?? '';
  const short = Array.from(line).slice(0, 60).join('');
  return short === '' ? NEW_TITLE : short;
}

/** Of a command that neither runs nor left a record: nothing is known, and nothing is invented. */
function lostExit(record: CommandRecord, now: number): ExitRecord {
  return {
    id: record.id,
    reason: 'lost',
    exitCode: null,
    signal: null,
    by: null,
    wasForced: false,
    startedAt: record.startedAt,
    endedAt: now,
    bytes: record.outputBytes,
    bytesLost: 0,
    inputDropped: 0,
    descendants: [],
    survivors: [],
  };
}
