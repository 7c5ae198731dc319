const RETURN = 13;
const LINE_FEED = 10;

/**
 * Takes back what a terminal adds to output: it writes every line feed as return and line feed. Exact for a command that
 * left its terminal's output mode as it was. Keeps a return at the end of a chunk until it is known what follows it.
 */
export class NewLines {
  #holdsReturn = false;

  /** The bytes as the command wrote them, as far as they are known. */
  take(bytes: Uint8Array): Uint8Array {
    const out = new Uint8Array(bytes.length + 1);
    let length = 0;
    for (const byte of bytes) {
      if (this.#holdsReturn && byte !== LINE_FEED) out[length++] = RETURN;
      this.#holdsReturn = byte === RETURN;
      if (!this.#holdsReturn) out[length++] = byte;
    }
    return out.subarray(0, length);
  }

  /** What was held when no more comes. */
  end(): Uint8Array {
    const held = this.#holdsReturn ? Uint8Array.of(RETURN) : new Uint8Array(0);
    this.#holdsReturn = false;
    return held;
  }
}
