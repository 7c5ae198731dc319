import type { Limits } from '../../shared/limits.ts';
import { type CommandView, isTerminal, type StopBy } from '../../shared/model/command.ts';
import type { AppEvent } from '../../shared/model/event.ts';
import { GUEST_PROVIDER } from '../../shared/model/guest-provider.ts';
import type { CommandId, SessionId } from '../../shared/model/ids.ts';
import type { Message, ProviderFailure, RuntimeMessage, UserMessage } from '../../shared/model/message.ts';
import type { SessionView } from '../../shared/model/session.ts';
import type { ExitRecord, HostCommand } from '../../shared/protocol/host.ts';
import { isAsked, nextApprovals } from './approval-machine.ts';
import { type CommandEvent, transition } from './command-machine.ts';
import { type CommandEnvironment, Commands } from './commands.ts';
import { Guests } from './guests.ts';
import { Handoff } from './handoff.ts';
import { newId } from './new-id.ts';
import type { ArtifactStore, Clock, CommandHost, FindLine, RenderScreen, Store } from './ports.ts';
import type { CommandRecord } from './records.ts';
import { Resume } from './resume.ts';
import { NEW_TITLE, type Session, type SessionChange, Sessions } from './sessions.ts';
import { idle, running, suspended, untilEnded, type WaitRequest } from './wait-machine.ts';

export interface SupervisorOptions {
  readonly host: CommandHost;
  readonly store: Store;
  readonly clock: Clock;
  readonly limits: Limits;
  /** It may still be found out: commands wait for it. Never rejects. */
  readonly environment: CommandEnvironment | Promise<CommandEnvironment>;
  /** Lowercase hexadecimal SHA-256 of a text. */
  readonly sha256: (text: string) => string;
  readonly findLine: FindLine;
  readonly renderScreen: RenderScreen;
  readonly artifacts: ArtifactStore;
  /** Provider of new sessions; asked for each. */
  readonly provider: string | (() => string);
  /** Whether commands that other programs run on the same host are taken up and shown. Default: no. */
  readonly showsGuests?: boolean;
  readonly publish: (event: AppEvent) => void;
  /** Something went wrong that nobody waits for. */
  readonly log: (message: string) => void;
}

/** What the result of a tool call changes of a command, once it is saved. */
export interface CommandChanges {
  readonly commandId: CommandId;
  readonly events: readonly CommandEvent[];
}

/** Why a turn ends: nothing more is asked, the person stopped it, or it cannot go on. */
export type TurnEnd =
  | { readonly kind: 'done'; readonly hasNews: () => boolean }
  | {
      readonly kind: 'stopped' | 'failed';
      readonly notice: string;
      /** It was the provider that could not go on. */
      readonly failure?: ProviderFailure | undefined;
    };

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
  readonly #publish: (event: AppEvent) => void;
  readonly #o: SupervisorOptions;
  readonly #guests: Guests;
  #runTurn: RunTurn | null = null;
  /** What an earlier run had saved is known: what is unknown from then on is another program's. */
  #hasLoaded = false;

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
    this.#publish = publish;
    this.sessions = new Sessions({ store, clock, publish });
    this.#resume = new Resume({
      sessions: this.sessions,
      commands: () => this.commands,
      host,
      store,
      clock,
      limits,
      sha256: options.sha256,
      findLine: options.findLine,
      renderScreen: options.renderScreen,
      publish,
      activate: (session) => this.#activate(session),
      log,
    });
    this.commands = new Commands({
      host,
      store,
      clock,
      limits,
      environment,
      artifacts: options.artifacts,
      renderScreen: options.renderScreen,
      titleOf: (id) => this.sessions.get(id)?.view.title ?? '',
      publish,
      log,
      onEnded: (record) => this.#deliver(record),
      onForeign: (command) => this.#onForeign(command),
    });
    this.#guests = new Guests({ sessions: this.sessions, commands: this.commands, log });
    this.handoff = new Handoff({
      sessions: this.sessions,
      commands: this.commands,
      clock,
      limits,
      arrangeResume: (session) => this.#resume.arrange(session),
    });
  }

  /** Sets what runs a turn. Before `restore`. */
  setTurnRunner(run: RunTurn): void {
    this.#runTurn = run;
  }

  /**
   * Takes up what an earlier run of the app left: sessions, commands that live on, ends that were not told yet. Every
   * former command is accounted for: alive, ended while away, or lost.
   */
  async restore(): Promise<void> {
    const { store } = this.#o;
    const saved = await store.load();
    for (const record of saved.commands) this.commands.adopt(record);
    for (const view of saved.sessions) {
      this.sessions.adopt(
        view,
        saved.inbox.filter((entry) => entry.sessionId === view.id && entry.state === 'pending'),
      );
    }
    this.#hasLoaded = true;
    for (const record of this.commands.ended()) if (!record.isEndSaved) this.#deliver(record);
    await this.reconcile();
    await this.#resume.delivered();
    for (const session of this.sessions.all()) await session.lock.run(() => this.#takeUp(session));
  }

  #deliver(record: CommandRecord): void {
    this.#resume
      .deliver(record)
      .catch((error) => this.#o.log(`the end of ${record.id} could not be told: ${String(error)}`));
  }

  /**
   * Compares what we think is alive with what the host knows: at the start, and when another host took over. Of what it
   * does not list it is asked; a command that it does not know at all is lost.
   */
  async reconcile(): Promise<void> {
    const { host, clock } = this.#o;
    const listed = await host.list();
    if (!listed.ok) throw new Error(listed.error.message);
    const known = new Map(listed.value.map((command) => [command.id, command]));
    const missing = new Set(this.commands.live().flatMap(({ id }) => (known.has(id) ? [] : [id])));
    const asked = missing.size > 0 ? await host.find([...missing]) : null;
    if (asked?.ok === false) throw new Error(asked.error.message);
    for (const command of asked?.value.commands ?? []) known.set(command.id, command);
    const elsewhere = new Set(asked?.value.elsewhere);
    for (const record of this.commands.live()) {
      const found = known.get(record.id);
      if (found) {
        this.commands.noteProgress(found);
        if (found.exit) this.commands.noteExit(record.id, found.exit, found.tail);
      } else if (elsewhere.has(record.id)) {
        this.commands.noteOutOfReach(record.id);
      } else if (missing.has(record.id)) {
        // What was started while we asked is in no list, and is not missing.
        this.commands.noteExit(record.id, lostExit(record, clock.now()), record.tail);
      }
    }
    for (const command of listed.value) if (!this.commands.isKnown(command.id)) this.#onForeign(command);
  }

  /** Before everything was loaded it may be our own; the list that is asked for afterwards tells of it again. */
  #onForeign(command: HostCommand): void {
    if (!this.#hasLoaded) return;
    if (this.#o.showsGuests) this.#guests.take(command);
    else this.commands.noteForeign(command.id);
  }

  async #takeUp(session: Session): Promise<void> {
    const { view } = session;
    if (view.wait) this.commands.reserve(view.wait.commandIds, view.id);
    // What was asked is still asked: the turn goes on from there.
    const isAsking = view.status === 'running' && view.approvals.some(isAsked);
    if (isAsking || (view.status === 'running' && (await this.#wasJustWoken(view.id)))) {
      this.#activate(session);
      return;
    }
    if (view.status === 'running') {
      // Its turn ended with the app.
      await this.sessions.save(session, {
        view: idle(view),
        append: [
          this.#notice(
            'The app ended during this turn. What it had started is accounted for; send a message to go on.',
          ),
        ],
      });
      await this.#sleepUntilEnds(session);
    }
    this.#resume.arrange(session);
    this.#resume.wakeSoon(session);
  }

  /** The wake was saved, and the app ended before its turn had done anything: that turn is still owed. */
  async #wasJustWoken(id: SessionId): Promise<boolean> {
    const { messages } = await this.sessions.messages(id, 1);
    const last = messages[0];
    return last?.role === 'runtime' && (last.kind === 'resumed' || last.kind === 'completion');
  }

  // ---- what a person does ----

  async createSession(workspace: string): Promise<SessionView> {
    const { provider } = this.#o;
    return (await this.sessions.create(workspace, typeof provider === 'string' ? provider : provider())).view;
  }

  /** Gives a session another mind, from its next turn on. */
  async setProvider(session: Session, provider: string): Promise<void> {
    await session.lock.run(() => this.sessions.save(session, { view: { ...session.view, provider } }));
  }

  /** Begins a turn from where the last one broke off, unless one is alive. */
  async retryTurn(session: Session): Promise<void> {
    await session.lock.run(async () => {
      if (session.turn) return;
      await this.sessions.save(session, { view: running(session.view) });
      this.#activate(session);
    });
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

  /** Asks everything that is alive to stop, in all sessions. Returns how many commands that were. */
  async stopAll(by: StopBy = 'user'): Promise<number> {
    const alive = this.commands.alive();
    await Promise.all(alive.map((record) => this.commands.stop(record.id, by)));
    return alive.length;
  }

  /** What is alive of our own sessions: what other programs run is not ours to end. */
  alive(): CommandRecord[] {
    const isOwn = (id: SessionId) => this.sessions.get(id)?.view.provider !== GUEST_PROVIDER;
    return this.commands.alive().filter(({ sessionId }) => isOwn(sessionId));
  }

  /** Stops all that is alive of our own and can be reached, and resolves when it has ended and that is saved. */
  async stopOwnAndWait(by: StopBy): Promise<void> {
    await Promise.all(
      this.alive().map(async ({ id, state }) => {
        const ended = isTerminal(state) ? this.#leftNothing(id) : this.#ended(id);
        // What cannot be reached cannot be waited for.
        if ((await this.commands.stop(id, by)).ok) await ended;
      }),
    );
    await this.#resume.delivered();
  }

  #ended(id: CommandId): Promise<void> {
    return new Promise((resolve) => this.commands.onTerminal(id, () => resolve()));
  }

  #leftNothing(id: CommandId): Promise<void> {
    return new Promise((resolve) => {
      const forget = this.#o.host.onEvent((event) => {
        if (event.type !== 'descendants' || event.id !== id || event.descendants.length > 0) return;
        forget();
        resolve();
      });
    });
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
    if (ids.length > 0) this.#publish({ type: 'commands.cleared', ids });
    return ids;
  }

  // ---- results of tools ----

  /**
   * Saves the result of a tool call in one transaction: what is appended to the chat, how far the output was read, and
   * an end that the agent has thereby read itself, which is then not told again. A command that was asked for is so no
   * more.
   */
  async saveResult(session: Session, append: readonly Message[], changes?: CommandChanges): Promise<void> {
    await session.lock.run(async () => {
      const record = changes && this.commands.record(changes.commandId);
      const hasReadEnd = changes?.events.some((event) => event.type === 'end_read') ?? false;
      const consumed = hasReadEnd
        ? session.pending.filter((entry) => entry.commandId === changes?.commandId)
        : [];
      await this.sessions.save(session, {
        ...settledBy(session.view, append),
        append,
        commands: record && changes ? [changes.events.reduce(transition, record)] : [],
        inbox: consumed.map((entry) => ({ ...entry, state: 'consumed' })),
      });
      for (const event of changes?.events ?? []) this.commands.apply(changes?.commandId ?? '', event);
    });
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
  async suspendTurn(session: Session, request: WaitRequest, hasNews: () => boolean): Promise<boolean> {
    return session.lock.run(async () => {
      if (hasNews() || !(await this.handoff.suspend(session, request))) return false;
      session.turn = null;
      return true;
    });
  }

  /**
   * The end of a turn, in one step under the lock. False when something new came meanwhile (a message, a completion):
   * then the turn goes on. Commands that still run go to the background, and the session sleeps until they end; if the
   * person stopped the turn, it does not wait for them, and their ends are told in the next turn.
   */
  async finishTurn(session: Session, end: TurnEnd): Promise<boolean> {
    return session.lock.run(async () => {
      if (end.kind === 'done' && end.hasNews()) return false;
      if (end.kind !== 'done')
        await this.sessions.save(session, { append: [this.#notice(end.notice, end.failure)] });
      if (end.kind === 'stopped') await this.#forgo(session);
      else await this.#sleepUntilEnds(session);
      session.turn = null;
      session.streaming = null;
      this.#resume.wakeSoon(session);
      return true;
    });
  }

  /** Suspends the session for its live commands, or else lets it be idle with them in the background. */
  async #sleepUntilEnds(session: Session): Promise<void> {
    const live = this.commands.liveOf(session.view.id);
    const awaited = live.filter((record) => !record.isUnawaited).map((record) => record.id);
    if (awaited.length > 0 && (await this.handoff.suspend(session, untilEnded(awaited)))) return;
    await this.#rest(session, live, [{ type: 'backgrounded' }]);
  }

  /** The person stopped the turn: what it started and no wait is for is not waited for. */
  async #forgo(session: Session): Promise<void> {
    const waited = session.view.wait?.commandIds ?? [];
    const live = this.commands
      .recordsOf(session.view.id)
      .filter((record) => !waited.includes(record.id) && !record.isEndRead);
    await this.#rest(session, live, [{ type: 'backgrounded' }, { type: 'unawaited' }]);
  }

  async #rest(
    session: Session,
    records: readonly CommandRecord[],
    events: readonly CommandEvent[],
  ): Promise<void> {
    await this.sessions.save(session, {
      view: session.view.wait ? suspended(session.view) : idle(session.view),
      commands: records.map((record) => events.reduce(transition, record)),
    });
    for (const { id } of records) {
      for (const event of events) this.commands.apply(id, event);
    }
    this.commands.tellMoved(records.map((record) => record.id));
  }

  /**
   * The end of a turn that could not even be saved. What is shown is put right at once; the save is tried again until
   * it succeeds, or until another turn has begun.
   */
  abandonTurn(session: Session, notice: string): void {
    session.turn = null;
    session.streaming = null;
    session.view = session.view.wait ? suspended(session.view) : idle(session.view);
    this.#publish({ type: 'session.changed', session: session.view });
    const message = this.#notice(notice);
    const retry = (delay: number) => {
      this.clock.after(delay, () => {
        const save = () =>
          session.lock.run(async () => {
            if (session.turn) return;
            await this.sessions.save(session, { append: [message] });
            await this.#sleepUntilEnds(session);
            this.#resume.wakeSoon(session);
          });
        save().catch(() => retry(Math.min(delay * 2, this.limits.backstopMaxMs)));
      });
    };
    retry(this.limits.resumeRetryMs);
  }

  #notice(text: string, failure?: ProviderFailure): RuntimeMessage {
    return {
      id: newId('m'),
      at: this.clock.now(),
      role: 'runtime',
      kind: 'turn_ended',
      text,
      commandIds: [],
      ends: [],
      ...(failure ? { failure } : {}),
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

/** Calls with a result are asked for no more. What nobody had answered is told as settled too. */
function settledBy(view: SessionView, append: readonly Message[]): Pick<SessionChange, 'view' | 'event'> {
  const toolCallIds = append.flatMap((message) => (message.role === 'tool' ? message.toolCallId : []));
  const approvals = nextApprovals(view.approvals, { type: 'settled', toolCallIds });
  if (approvals === view.approvals) return {};
  const isUnanswered = view.approvals.some((one) => isAsked(one) && !approvals.includes(one));
  const settled = { view: { ...view, approvals: [...approvals] } };
  return isUnanswered ? { ...settled, event: 'approval.settled' } : settled;
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
    gap: record.gap,
    inputDropped: 0,
    descendants: [],
    survivors: [],
  };
}
