import type { NumberedEvent } from '../model/event.ts';
import type { CallAnswer, CallInput, CallName, StreamRequest } from './calls.ts';

/** What preload gives the page, frozen, as `window.switchyard`. Nothing else reaches it. */
export interface Bridge {
  invoke<N extends CallName>(name: N, input: CallInput<N>): Promise<CallAnswer<N>>;
  /** Calls back for each event; `events.subscribe` then starts them and gives the snapshot. Returns the way out. */
  subscribe(listener: (event: NumberedEvent) => void): () => void;
  /** The port of the stream arrives as a window message `{ kind: CHANNELS.stream, key }` with one port, or without one when it was refused. */
  openStream(key: string, request: StreamRequest): void;
}
