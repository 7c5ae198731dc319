import { create } from 'zustand';
import type { AppEvent, Snapshot } from '../../shared/model/event.ts';
import type { Settings } from '../../shared/model/settings.ts';
import { type Facts, factsOf, reduceFacts } from './facts-reducer.ts';

interface FactsState extends Facts {
  /** `waiting` until the first snapshot is in; `failed` with the reason when it could not be had. */
  readonly phase: 'waiting' | 'ready' | 'failed';
  readonly failure: string;
  begin(snapshot: Snapshot): void;
  apply(events: readonly AppEvent[]): void;
  fail(reason: string): void;
  dismissHost(): void;
}

/** Until main has told them. Written out, because the page loads no schemas. */
const NO_SETTINGS: Settings = {
  theme: 'system',
  onQuit: 'ask',
  approvals: 'auto',
  limits: {},
  providers: { defaultProvider: 'built-in', endpoints: [] },
  updates: { check: true, channel: 'stable' },
};

/** Sessions, commands, settings and the state of the pty host, as main last told them. */
export const useFacts = create<FactsState>()((set) => ({
  phase: 'waiting',
  failure: '',
  sessions: {},
  commands: {},
  settings: NO_SETTINGS,
  update: { kind: 'unavailable', reason: '' },
  app: { version: '', home: '', platform: '' },
  host: null,
  begin: (snapshot) => set({ ...factsOf(snapshot), phase: 'ready', failure: '' }),
  apply: (events) => set((state) => events.reduce<Facts>(reduceFacts, state)),
  fail: (reason) => set((state) => (state.phase === 'ready' ? state : { phase: 'failed', failure: reason })),
  dismissHost: () => set({ host: null }),
}));
