import type { Checkpoint, Store } from '../../../electron/supervisor/ports.ts';
import type { CommandRecord, InboxEntry } from '../../../electron/supervisor/records.ts';
import type { Message } from '../../../shared/model/message.ts';
import type { SessionView } from '../../../shared/model/session.ts';

const STATES = ['pending', 'injected', 'consumed'];

/** Durable state in memory, with failures on demand. What was saved outlives a run of the app. */
export class ModelStore {
  readonly sessions = new Map<string, SessionView>();
  readonly messages: { sessionId: string; message: Message }[] = [];
  readonly commands = new Map<string, CommandRecord>();
  readonly inbox = new Map<string, InboxEntry>();
  /** Every saved change, in order. */
  readonly history: Checkpoint[] = [];
  /** So many of the next checkpoints fail. */
  failures = 0;
  /** Called before and after each save, with its number from 0: a crash there is a crash between two steps. */
  onStep: (index: number, phase: 'before' | 'after') => void = () => {};
  #steps = 0;
  #run = 0;

  /** The store as one run of the app has it. After the next `connect` or `disconnect` nothing of it comes back. */
  connect(): Store {
    const run = ++this.#run;
    const alive = async () => {
      if (run !== this.#run) await new Promise(() => {});
    };
    return {
      load: async () => {
        await alive();
        return structuredClone({
          sessions: [...this.sessions.values()],
          commands: [...this.commands.values()],
          inbox: [...this.inbox.values()],
        });
      },
      checkpoint: async (change) => {
        await alive();
        if (this.failures > 0) {
          this.failures--;
          throw new Error('controlled checkpoint rejection');
        }
        const step = this.#steps++;
        this.onStep(step, 'before');
        await alive();
        this.#save(structuredClone(change));
        this.onStep(step, 'after');
        await alive();
      },
      messages: async (sessionId, limit, before) => {
        await alive();
        const own = this.messages.filter((row) => row.sessionId === sessionId).map((row) => row.message);
        const end = before === undefined ? own.length : own.findIndex((message) => message.id === before);
        const from = Math.max(0, end - limit);
        return structuredClone({ messages: own.slice(from, end), hasMore: from > 0 });
      },
    };
  }

  disconnect(): void {
    this.#run++;
  }

  #save(change: Checkpoint): void {
    this.history.push(change);
    if (change.session) this.sessions.set(change.session.id, change.session);
    this.messages.push(...(change.append ?? []));
    for (const record of change.commands ?? []) this.commands.set(record.id, record);
    for (const entry of change.inbox ?? []) {
      const known = this.inbox.get(entry.id);
      if (!known || STATES.indexOf(known.state) < STATES.indexOf(entry.state))
        this.inbox.set(entry.id, entry);
    }
  }
}
