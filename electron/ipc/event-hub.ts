import type { AppEvent, NumberedEvent } from '../../shared/model/event.ts';

interface Subscription {
  readonly deliver: (event: NumberedEvent) => void;
  /** The number of the snapshot: only what follows it is delivered. */
  readonly after: number;
}

/**
 * Numbers the events of a run of the app and delivers them, in order, to whoever subscribed. A subscriber
 * gets a snapshot first; no event is lost or doubled between that and its first event.
 */
export class EventHub {
  #seq = 0;
  #queue: NumberedEvent[] = [];
  #isDelivering = false;
  readonly #subscriptions = new Map<object, Subscription>();
  readonly #log: (line: string) => void;

  /** `log` is told of a subscriber that threw. */
  constructor(log: (line: string) => void) {
    this.#log = log;
  }

  /**
   * Numbers an event and delivers it. To be called after the state that it tells of was swapped in: a
   * snapshot that is built from then on holds it. An event published by a subscriber follows those before it,
   * for everyone.
   */
  readonly publish = (event: AppEvent): void => {
    this.#seq += 1;
    this.#queue.push({ seq: this.#seq, event });
    if (this.#isDelivering) return;
    this.#isDelivering = true;
    try {
      for (let next = this.#queue.shift(); next; next = this.#queue.shift()) this.#deliver(next);
    } finally {
      this.#isDelivering = false;
    }
  };

  /**
   * Begins to deliver to `subscriber`, whose earlier subscription ends. `buildSnapshot` is called at once and
   * must be synchronous; the events after `seq` follow.
   */
  subscribe<T>(
    subscriber: object,
    deliver: (event: NumberedEvent) => void,
    buildSnapshot: (seq: number) => T,
  ): T {
    const after = this.#seq;
    const snapshot = buildSnapshot(after);
    this.#subscriptions.set(subscriber, { deliver, after });
    return snapshot;
  }

  /** Ends the subscription; nothing is delivered any more. May be called twice. */
  unsubscribe(subscriber: object): void {
    this.#subscriptions.delete(subscriber);
  }

  #deliver(event: NumberedEvent): void {
    for (const { deliver, after } of [...this.#subscriptions.values()]) {
      if (event.seq <= after) continue;
      try {
        deliver(event);
      } catch (error) {
        this.#log(`an event could not be delivered: ${event.event.type}: ${String(error)}`);
      }
    }
  }
}
