import { PROGRESS_EVERY_MS, TAIL_EVERY_MS } from '../../shared/limits.ts';

/**
 * Tells that there is new output: at once, then at most every PROGRESS_EVERY_MS, and always once after the last
 * change. The last lines go along at most every TAIL_EVERY_MS, and always once after the last change too.
 */
export class Progress {
  readonly #tell: (withTail: boolean) => void;
  #timer: NodeJS.Timeout | null = null;
  #tailTimer: NodeJS.Timeout | null = null;
  #tailAt = Number.NEGATIVE_INFINITY;
  #hasChanged = false;
  #isHeld = true;

  constructor(tell: (withTail: boolean) => void) {
    this.#tell = tell;
  }

  /** Until then changes are only noted. */
  begin(): void {
    this.#isHeld = false;
    if (this.#hasChanged) this.changed();
  }

  changed(): void {
    this.#hasChanged = true;
    if (!this.#isHeld && this.#timer === null) this.#emit();
  }

  /** Nothing is told after this. */
  end(): void {
    this.#isHeld = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#tailTimer !== null) clearTimeout(this.#tailTimer);
    this.#tailTimer = null;
  }

  #emit(): void {
    this.#hasChanged = false;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      if (this.#hasChanged && !this.#isHeld) this.#emit();
    }, PROGRESS_EVERY_MS);
    const sinceTail = performance.now() - this.#tailAt;
    if (sinceTail >= TAIL_EVERY_MS) {
      this.#tellTail();
    } else {
      this.#tell(false);
      this.#tailTimer ??= setTimeout(() => this.#tellTail(), TAIL_EVERY_MS - sinceTail);
    }
  }

  #tellTail(): void {
    if (this.#tailTimer !== null) clearTimeout(this.#tailTimer);
    this.#tailTimer = null;
    this.#tailAt = performance.now();
    this.#tell(true);
  }
}
