import os from 'node:os';
import { Approvals } from '../../electron/agent/approvals/approvals.ts';
import type { Provider, ProviderEvent, ProviderRequest } from '../../electron/agent/provider.ts';
import { TOOLS } from '../../electron/agent/tools/index.ts';
import { createTurnRunner } from '../../electron/agent/turn.ts';
import { systemClock } from '../../electron/app/system-clock.ts';
import type { ThreadStore } from '../../electron/store/store-client.ts';
import type { Checkpoint, Store } from '../../electron/supervisor/ports.ts';
import type { Session } from '../../electron/supervisor/sessions.ts';
import type { Supervisor } from '../../electron/supervisor/supervisor.ts';
import type { Limits } from '../../shared/limits.ts';
import type { ApprovalMode } from '../../shared/model/approval-mode.ts';
import type { AppEvent } from '../../shared/model/event.ts';
import type { Message } from '../../shared/model/message.ts';
import { TestHost } from './host.ts';
import { openTestStore, realSupervisor } from './real-supervisor.ts';

/** One step of a scripted mind: what it says and calls when it is asked for the nth time. */
export type ScriptStep = (request: ProviderRequest) => {
  text?: string;
  calls?: readonly [name: string, input: object][];
};

/** A mind that follows a script, and counts how often it was asked. Asked beyond its script it fails the turn. */
export class ScriptedProvider implements Provider {
  readonly id = 'scripted';
  readonly name = 'Scripted';
  requests = 0;
  readonly #steps: ScriptStep[];

  constructor(...steps: ScriptStep[]) {
    this.#steps = steps;
  }

  /** Adds what it does next. */
  goOn(...steps: ScriptStep[]): void {
    this.#steps.push(...steps);
  }

  async *stream(request: ProviderRequest): AsyncIterable<ProviderEvent> {
    const step = this.#steps[this.requests++];
    if (!step) throw new Error(`request ${this.requests} was not expected`);
    const { text = '', calls = [] } = step(request);
    if (text !== '') yield { type: 'text', delta: text };
    for (const [index, [name, input]] of calls.entries()) {
      yield { type: 'tool_call', call: { id: `call-${this.requests}-${index}`, name, input } };
    }
    yield { type: 'done' };
  }
}

/** The real store, which a test can make fail. */
export class FailingStore implements Store {
  readonly #store: ThreadStore;
  /** Which checkpoints are rejected. */
  rejects: (change: Checkpoint) => boolean = () => false;
  /** The process that it belongs to is dead: nothing that it still asks for comes back. */
  isDead = false;

  constructor(store: ThreadStore) {
    this.#store = store;
  }

  load() {
    return this.#store.load();
  }

  async #alive(): Promise<void> {
    if (this.isDead) await new Promise(() => {});
  }

  async checkpoint(change: Checkpoint): Promise<void> {
    await this.#alive();
    if (this.rejects(change)) throw new Error('controlled checkpoint rejection');
    return this.#store.checkpoint(change);
  }

  async messages(sessionId: string, limit: number, before?: string) {
    await this.#alive();
    return this.#store.messages(sessionId, limit, before);
  }

  async approvalRules(workspace: string) {
    await this.#alive();
    return this.#store.approvalRules(workspace);
  }

  async deleteApprovalRule(id: string): Promise<void> {
    await this.#alive();
    return this.#store.deleteApprovalRule(id);
  }

  close() {
    return this.#store.close();
  }
}

/** A supervisor on the real host and the real store. */
export interface Supervised<P extends Provider = ScriptedProvider> {
  readonly host: TestHost;
  readonly store: FailingStore;
  readonly app: Supervisor;
  readonly provider: P;
  readonly session: Session;
  readonly approvals: Approvals;
  readonly events: AppEvent[];
  /** Resolves once `look` gives something; it is asked at each event. */
  until<T>(what: string, look: () => T | undefined | Promise<T | undefined>): Promise<T>;
  messages(): Promise<Message[]>;
  /** Results of the tool calls, in order. */
  results(): Promise<Record<string, unknown>[]>;
  /** Ends this run of the app as SIGKILL would: nothing more is saved or told, the host goes on. */
  crash(): Promise<void>;
  close(): Promise<void>;
}

/** Starts one with a session that the mind drives; on the folder of a crashed one it takes up what that left. */
export async function supervise<P extends Provider>(
  provider: P,
  limits: Partial<Limits> = {},
  folder?: string,
  /** How commands are allowed; a function is asked for each of them. */
  approvalMode: ApprovalMode | (() => ApprovalMode) = 'free',
): Promise<Supervised<P>> {
  const host = await TestHost.start(folder === undefined ? {} : { folder });
  const store = new FailingStore(await openTestStore(host.folder));
  const events: AppEvent[] = [];
  const wakers = new Set<() => void>();
  const app = realSupervisor({
    host: host.client,
    store,
    folder: host.folder,
    limits,
    provider: provider.id,
    publish: (event) => {
      events.push(event);
      for (const wake of wakers) wake();
    },
  });
  const approvals = new Approvals({
    sessions: app.sessions,
    store,
    clock: systemClock,
    home: os.homedir(),
    modeOf: () => (typeof approvalMode === 'string' ? approvalMode : approvalMode()),
  });
  app.setTurnRunner(
    createTurnRunner({
      supervisor: app,
      host: host.client,
      providers: new Map([[provider.id, provider]]),
      tools: TOOLS,
      approvals,
    }),
  );
  await app.restore();
  const id = app.views().sessions[0]?.id ?? (await app.createSession(host.folder)).id;
  const session = app.session(id) as Session;
  const messages = async () => (await store.messages(id, 500)).messages;
  return {
    host,
    store,
    app,
    provider,
    session,
    approvals,
    events,
    messages,
    results: async () =>
      (await messages()).flatMap((message) =>
        message.role === 'tool' ? [message.result as Record<string, unknown>] : [],
      ),
    until: async (what, look) => {
      for (const end = Date.now() + 20_000; Date.now() < end; ) {
        const found = await look();
        if (found !== undefined) return found;
        await new Promise<void>((resolve) => {
          const timer = setTimeout(done, 100);
          function done(): void {
            clearTimeout(timer);
            wakers.delete(done);
            resolve();
          }
          wakers.add(done);
        });
      }
      throw new Error(`${what} did not come`);
    },
    crash: async () => {
      store.isDead = true;
      host.client.dispose();
      await store.close();
    },
    close: async () => {
      await store.close();
      await host.close();
    },
  };
}
