import { create } from 'zustand';
import type { KeysState } from '../../shared/model/model-list.ts';
import { call } from '../bridge/client.ts';

interface KeysStore {
  /** Null until main has told it. */
  readonly state: KeysState | null;
  load(): Promise<void>;
  take(state: KeysState): void;
}

/** Which models have a key, and where it is. Never a key. */
export const useKeys = create<KeysStore>()((set) => ({
  state: null,
  load: async () => set({ state: await call('keys.state', {}) }),
  take: (state) => set({ state }),
}));
