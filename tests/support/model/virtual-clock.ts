import type { Clock } from '../../../electron/supervisor/ports.ts';

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly callback: () => void;
}

/** Everything that waits only for promises has gone as far as it can. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Time that stands still until a test moves it. */
export class VirtualClock implements Clock {
  #now = 1_000_000;
  #order = 0;
  #timers = new Set<Timer>();

  now(): number {
    return this.#now;
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { at: this.#now + ms, order: this.#order++, callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Forgets all timers, as the death of their process does. */
  clear(): void {
    this.#timers.clear();
  }

  /** Moves time on, and lets everything that a timer sets off settle before the next one. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await settled();
    for (;;) {
      const next = [...this.#timers]
        .filter((timer) => timer.at <= end)
        .sort((a, b) => a.at - b.at || a.order - b.order)[0];
      if (!next) break;
      this.#timers.delete(next);
      this.#now = Math.max(this.#now, next.at);
      next.callback();
      await settled();
    }
    this.#now = end;
  }
}
