import { createHash } from 'node:crypto';
import { Approvals } from '../../../electron/agent/approvals/approvals.ts';
import { findLine } from '../../../electron/agent/find-line.ts';
import type { Provider } from '../../../electron/agent/provider.ts';
import { screenText } from '../../../electron/agent/screen-text.ts';
import { TOOLS } from '../../../electron/agent/tools/index.ts';
import { createTurnRunner } from '../../../electron/agent/turn.ts';
import { Supervisor } from '../../../electron/supervisor/supervisor.ts';
import { DEFAULT_LIMITS } from '../../../shared/limits.ts';
import type { AppEvent } from '../../../shared/model/event.ts';
import { err } from '../../../shared/model/result.ts';
import { ModelHost } from './model-host.ts';
import { ModelStore } from './model-store.ts';
import { settled, VirtualClock } from './virtual-clock.ts';

/** One run of the app after another, over the same host, the same store and the same time. */
export class ModelApp {
  readonly clock = new VirtualClock();
  readonly host = new ModelHost(this.clock);
  readonly store = new ModelStore();
  readonly events: AppEvent[] = [];
  readonly #provider: Provider;
  app: Supervisor | null = null;

  constructor(provider: Provider) {
    this.#provider = provider;
  }

  /** Begins a run. With a store that fails the app does not start at all, so it does not. */
  async start(): Promise<void> {
    this.store.failures = 0;
    const host = this.host.connect();
    const app = new Supervisor({
      host,
      store: this.store.connect(),
      clock: this.clock,
      limits: DEFAULT_LIMITS,
      environment: { shell: '/bin/sh', env: {} },
      findLine,
      renderScreen: screenText,
      artifacts: { persist: async () => err({ code: 'artifact_persist_failed', message: 'no disk here' }) },
      sha256: (text) => createHash('sha256').update(text).digest('hex'),
      provider: this.#provider.id,
      showsGuests: true,
      publish: (event) => this.events.push(event),
      log: () => {},
    });
    const providers = new Map([[this.#provider.id, this.#provider]]);
    const approvals = new Approvals({
      sessions: app.sessions,
      store: { approvalRules: async () => [], deleteApprovalRule: async () => {} },
      clock: this.clock,
      home: '/home',
      modeOf: () => 'free',
    });
    app.setTurnRunner(createTurnRunner({ supervisor: app, host, providers, tools: TOOLS, approvals }));
    this.app = app;
    await app.restore();
    await settled();
  }

  /** Ends a run as SIGKILL would: no timer fires, no save comes through, nothing is heard. */
  crash(): void {
    this.app = null;
    this.host.disconnect();
    this.store.disconnect();
    this.clock.clear();
  }

  /** No turn runs and nothing is waited for. */
  isQuiet(): boolean {
    return (this.app?.sessions.all() ?? []).every(
      (session) => session.turn === null && session.view.status === 'idle' && !session.view.wait,
    );
  }
}
