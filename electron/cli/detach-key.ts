/** Ctrl+]. */
const KEY = 0x1d;
const TWICE_WITHIN_MS = 1_000;

/** Notices the key that leaves a command to itself: Ctrl+] typed twice. The first one reaches the command like any other. */
export class DetachKey {
  #lastAt = Number.NEGATIVE_INFINITY;

  /** @param now milliseconds of any clock */
  isTyped(bytes: Uint8Array, now: number): boolean {
    if (bytes.length === 2 && bytes[0] === KEY && bytes[1] === KEY) return true;
    const isKey = bytes.length === 1 && bytes[0] === KEY;
    const isSecond = isKey && now - this.#lastAt <= TWICE_WITHIN_MS;
    this.#lastAt = isKey ? now : Number.NEGATIVE_INFINITY;
    return isSecond;
  }
}
