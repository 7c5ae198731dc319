import { DRAIN_MS } from '../../shared/limits.ts';

/** Bounds the wait for the end mark. The time in which a full disk keeps the terminal from being read does not count. */
export class DrainLimit {
  #timer: NodeJS.Timeout | null = null;

  start(isPaused: () => boolean, onLate: () => void): void {
    this.#timer = setTimeout(() => {
      if (isPaused()) this.start(isPaused, onLate);
      else onLate();
    }, DRAIN_MS);
  }

  clear(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
