import type { AppEvent, NumberedEvent, Snapshot } from '../../shared/model/event.ts';

/** Where events go. `begin` replaces everything that was known. */
export interface EventSink {
  begin(snapshot: Snapshot): void;
  apply(events: readonly AppEvent[]): void;
  /** No snapshot could be had. */
  fail(error: unknown): void;
}

/** What is needed of the outside world. */
export interface EventSource {
  subscribe(listener: (event: NumberedEvent) => void): () => void;
  snapshot(): Promise<Snapshot>;
}

/**
 * How long an event may wait for others to be shown with it. Progress comes up to 50 times a second from each command,
 * and each time it is shown costs a render that a flooded terminal needs for itself.
 */
function patience(event: AppEvent): number {
  if (event.type === 'command.progress') return 100;
  return event.type === 'message.streaming' ? 16 : 0;
}

/**
 * Follows the numbered events: snapshot first, then exactly the events after it, each once and in order. A gap in the
 * numbers means that something was missed, so everything is fetched again. Returns the way out.
 */
export function followEvents(source: EventSource, sink: EventSink): { stop(): void; restart(): void } {
  /** Number of the last event applied; null while a snapshot is awaited. */
  let seq: number | null = null;
  /** Counts the subscriptions: an answer to an earlier one is of no use. */
  let attempt = 0;
  let early: NumberedEvent[] = [];
  let batch: AppEvent[] = [];
  let timer: ReturnType<typeof setTimeout> | null = null;
  let timerMs = 0;

  const flush = () => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    if (batch.length === 0) return;
    const events = batch;
    batch = [];
    sink.apply(events);
  };

  const take = ({ seq: number, event }: NumberedEvent): void => {
    if (seq === null) return;
    if (number <= seq) return;
    if (number !== seq + 1) {
      void begin();
      return;
    }
    seq = number;
    batch.push(event);
    const waitMs = patience(event);
    if (waitMs === 0) flush();
    else if (timer === null || waitMs < timerMs) {
      if (timer !== null) clearTimeout(timer);
      timer = setTimeout(flush, waitMs);
      timerMs = waitMs;
    }
  };

  const begin = async (): Promise<void> => {
    flush();
    seq = null;
    early = [];
    const mine = ++attempt;
    try {
      const snapshot = await source.snapshot();
      if (mine !== attempt) return;
      seq = snapshot.seq;
      sink.begin(snapshot);
      const waiting = early;
      early = [];
      for (const event of waiting) take(event);
    } catch (error) {
      if (mine === attempt) sink.fail(error);
    }
  };

  const unsubscribe = source.subscribe((event) => {
    if (seq === null) early.push(event);
    else take(event);
  });
  void begin();

  return {
    stop: () => {
      attempt++;
      unsubscribe();
      if (timer !== null) clearTimeout(timer);
    },
    restart: () => void begin(),
  };
}
