const NOTHING = new Uint8Array(0);

/** Finds and removes one expected mark in a stream of bytes, wherever the chunks are cut. */
export class MarkFilter {
  readonly #onBytes: (bytes: Uint8Array) => void;
  readonly #onMark: () => void;
  /** The end of what came, if it may be the beginning of the mark. */
  #held: Uint8Array = NOTHING;
  #mark: Buffer | null = null;

  constructor(onBytes: (bytes: Uint8Array) => void, onMark: () => void) {
    this.#onBytes = onBytes;
    this.#onMark = onMark;
  }

  /** From now on `mark` is looked for, once. */
  expect(mark: Buffer): void {
    this.#mark = mark;
  }

  feed(chunk: Uint8Array): void {
    const bytes = this.#held.length > 0 ? Buffer.concat([this.#held, chunk]) : asBuffer(chunk);
    this.#held = NOTHING;
    const mark = this.#mark;
    if (mark === null) {
      this.#pass(bytes);
      return;
    }
    const at = bytes.indexOf(mark);
    if (at >= 0) {
      this.#pass(bytes.subarray(0, at));
      this.#mark = null;
      this.#onMark();
      this.feed(bytes.subarray(at + mark.length));
      return;
    }
    const keepFrom = beginningOfMark(bytes, mark);
    if (keepFrom < bytes.length) this.#held = new Uint8Array(bytes.subarray(keepFrom));
    this.#pass(bytes.subarray(0, keepFrom));
  }

  /** No more is coming: what was held back was no mark. */
  flush(): void {
    const held = this.#held;
    this.#held = NOTHING;
    this.#pass(held);
  }

  #pass(bytes: Uint8Array): void {
    if (bytes.length > 0) this.#onBytes(bytes);
  }
}

/** Offset of the longest tail of `bytes` that begins the mark; their length if there is none. */
function beginningOfMark(bytes: Buffer, mark: Buffer): number {
  const first = mark[0] as number;
  let at = bytes.indexOf(first, Math.max(0, bytes.length - mark.length + 1));
  while (at >= 0 && bytes.compare(mark, 0, bytes.length - at, at) !== 0) at = bytes.indexOf(first, at + 1);
  return at < 0 ? bytes.length : at;
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}
