import { BATCH_BYTES, BATCH_MS } from '../../shared/limits.ts';

/** Collects small reads of a terminal into batches. The first bytes after a quiet time go at once: an echo must not wait. */
export class OutputBatch {
  readonly #onBatch: (bytes: Uint8Array) => void;
  #parts: Uint8Array[] = [];
  #size = 0;
  #timer: NodeJS.Timeout | null = null;
  #flushedAt = Number.NEGATIVE_INFINITY;

  constructor(onBatch: (bytes: Uint8Array) => void) {
    this.#onBatch = onBatch;
  }

  push(bytes: Uint8Array): void {
    this.#parts.push(bytes);
    this.#size += bytes.length;
    const isQuiet = this.#timer === null && performance.now() - this.#flushedAt >= BATCH_MS;
    if (isQuiet || this.#size >= BATCH_BYTES) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), BATCH_MS);
  }

  /** Hands over what waits. */
  flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#size === 0) return;
    this.#flushedAt = performance.now();
    const [first] = this.#parts;
    const bytes =
      this.#parts.length === 1 && first !== undefined ? first : Buffer.concat(this.#parts, this.#size);
    this.#parts = [];
    this.#size = 0;
    this.#onBatch(bytes);
  }
}
