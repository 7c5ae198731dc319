import type { Store } from '../../supervisor/ports.ts';

/**
 * A store for a session that lives no longer than its connection. The supervisor holds it in memory, and the host
 * records the commands, so nothing is read back from here and nothing need be kept.
 */
export const memoryStore: Store = {
  load: async () => ({ sessions: [], commands: [], inbox: [] }),
  checkpoint: async () => {},
  messages: async () => ({ messages: [], hasMore: false }),
};
