import type { ApprovalRule } from '../../shared/model/approval.ts';
import type { AppEvent } from '../../shared/model/event.ts';
import type { MessageId, SessionId } from '../../shared/model/ids.ts';
import type { Message } from '../../shared/model/message.ts';
import type { SessionView } from '../../shared/model/session.ts';
import { UNWRITTEN, type Written, withDelta } from '../../shared/text/streaming.ts';
import { Lock } from './lock.ts';
import { newId } from './new-id.ts';
import type { Clock, Store } from './ports.ts';
import { type GuardState, NO_READOUTS } from './quiet-guard.ts';
import type { CommandRecord, InboxEntry } from './records.ts';

/** Title of a session until its first message. */
export const NEW_TITLE = 'New session';

/** A change of one session that is saved whole or not at all. */
export interface SessionChange {
  /** Works on a copy; the session itself is replaced after the save. */
  readonly view?: SessionView;
  readonly append?: readonly Message[];
  readonly commands?: readonly CommandRecord[];
  readonly inbox?: readonly InboxEntry[];
  readonly rules?: readonly ApprovalRule[];
  /** What the window is told about the session. Default: session.changed when the view changed. */
  readonly event?:
    | 'session.changed'
    | 'session.suspended'
    | 'session.resumed'
    | 'approval.requested'
    | 'approval.settled';
}

/** A session of this run of the app. */
export interface Session {
  view: SessionView;
  /** Completions that are saved and not told yet, oldest first. */
  pending: InboxEntry[];
  /** The assistant message that is being written. */
  streaming: (Written & { readonly messageId: MessageId }) | null;
  /** Ends the live turn; null when none runs. At most one turn of a session is alive. */
  turn: AbortController | null;
  guard: GuardState;
  /** Requests when the session last went to sleep: what is spent from then to the wake was spent asleep. */
  requestsAtSleep: number;
  /** The newest message of a person; null until one is known. */
  lastUserMessage: MessageId | null;
  readonly lock: Lock;
}

export interface SessionsOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly publish: (event: AppEvent) => void;
}

/** The sessions of the app: one place where a change is saved, then swapped in, then told. */
export class Sessions {
  readonly #o: SessionsOptions;
  readonly #sessions = new Map<SessionId, Session>();

  constructor(options: SessionsOptions) {
    this.#o = options;
  }

  adopt(view: SessionView, pending: InboxEntry[]): Session {
    const session: Session = {
      view,
      pending,
      streaming: null,
      turn: null,
      guard: NO_READOUTS,
      requestsAtSleep: view.requests,
      lastUserMessage: null,
      lock: new Lock(),
    };
    this.#sessions.set(view.id, session);
    return session;
  }

  get(id: SessionId): Session | undefined {
    return this.#sessions.get(id);
  }

  views(): SessionView[] {
    return [...this.#sessions.values()].map((session) => session.view);
  }

  all(): Session[] {
    return [...this.#sessions.values()];
  }

  /** Makes and saves an empty session. Throws when it cannot be saved; then there is none. */
  async create(workspace: string, provider: string): Promise<Session> {
    const now = this.#o.clock.now();
    const view: SessionView = {
      id: newId('s'),
      title: NEW_TITLE,
      workspace,
      provider,
      createdAt: now,
      updatedAt: now,
      status: 'idle',
      reason: null,
      wait: null,
      waitCount: 0,
      requests: 0,
      approvals: [],
    };
    await this.#o.store.checkpoint({ session: view });
    const session = this.adopt(view, []);
    this.#publish({ type: 'session.changed', session: view });
    return session;
  }

  /**
   * Saves a change in one transaction, then swaps it in, then tells the window. To be called under the session's
   * lock. When the save fails nothing is changed and nothing is told, and the error is thrown on.
   */
  async save(session: Session, change: SessionChange): Promise<void> {
    const { id } = session.view;
    const view = { ...(change.view ?? session.view), updatedAt: this.#o.clock.now() };
    await this.#o.store.checkpoint({
      session: view,
      append: (change.append ?? []).map((message) => ({ sessionId: id, message })),
      commands: change.commands ?? [],
      inbox: change.inbox ?? [],
      rules: change.rules ?? [],
    });
    session.view = view;
    if (view.status === 'suspended') session.requestsAtSleep = view.requests;
    for (const entry of change.inbox ?? []) settle(session, entry);
    for (const message of change.append ?? []) {
      if (session.streaming?.messageId === message.id) session.streaming = null;
      if (message.role === 'user') session.lastUserMessage = message.id;
      this.#publish({ type: 'message.appended', sessionId: id, message });
    }
    if (change.view || change.event)
      this.#publish({ type: change.event ?? 'session.changed', session: view });
  }

  /** Tells the window of text that is still being written; it is saved when it is whole. */
  stream(
    session: Session,
    messageId: MessageId,
    delta: string,
    of: 'text' | 'reasoning' | 'note' = 'text',
  ): void {
    const known = session.streaming;
    session.streaming = withDelta(
      known?.messageId === messageId ? known : { messageId, ...UNWRITTEN },
      delta,
      of,
    );
    this.#publish({
      type: 'message.streaming',
      sessionId: session.view.id,
      messageId,
      delta,
      ...(of === 'text' ? {} : { of }),
    });
  }

  messages(sessionId: SessionId, limit: number, before?: MessageId) {
    return this.#o.store.messages(sessionId, limit, before);
  }

  #publish(event: AppEvent): void {
    this.#o.publish(event);
  }
}

function settle(session: Session, entry: InboxEntry): void {
  const known = session.pending.some(({ id }) => id === entry.id);
  if (entry.state !== 'pending') session.pending = session.pending.filter(({ id }) => id !== entry.id);
  else if (!known) session.pending = [...session.pending, entry];
}
