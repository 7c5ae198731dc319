import { HEARTBEAT_MS, SILENT_AFTER_BEATS } from '../../shared/limits.ts';

export interface HeartbeatEvents {
  /** Asks the other side for a sign. */
  ask(): void;
  /** It has left several questions unanswered. Told once. */
  onSilent(): void;
  /** It is heard again. */
  onAnswers(): void;
}

/**
 * Notices that the other side of a connection is there and does not answer: hung, or stopped. Beats are counted, not
 * time: one that comes late does not count, since then it was this process, or the whole machine, that slept.
 */
export class Heartbeat {
  readonly #events: HeartbeatEvents;
  readonly #timer: NodeJS.Timeout;
  #beatAt = Date.now();
  #missed = 0;
  #hasAsked = false;
  #isSilent = false;

  constructor(events: HeartbeatEvents) {
    this.#events = events;
    this.#timer = setInterval(() => this.#beat(), HEARTBEAT_MS);
    this.#timer.unref();
  }

  get isSilent(): boolean {
    return this.#isSilent;
  }

  /** Something came from the other side. */
  heard(): void {
    this.#missed = 0;
    this.#hasAsked = false;
    if (!this.#isSilent) return;
    this.#isSilent = false;
    this.#events.onAnswers();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #beat(): void {
    // The wall clock: that of the process stands still while the machine sleeps.
    const now = Date.now();
    const isLate = Math.abs(now - this.#beatAt - HEARTBEAT_MS) > HEARTBEAT_MS;
    this.#beatAt = now;
    if (this.#hasAsked) {
      if (!isLate) this.#missed++;
      if (this.#missed < SILENT_AFTER_BEATS || this.#isSilent) return;
      this.#isSilent = true;
      this.#events.onSilent();
      return;
    }
    this.#hasAsked = true;
    this.#events.ask();
  }
}
