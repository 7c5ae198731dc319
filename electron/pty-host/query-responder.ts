const ESC = 0x1b;
/** Longer than any query that is answered. */
const MOST_BYTES = 16;

const encoder = new TextEncoder();
const decoder = new TextDecoder('latin1');

/** What a terminal without a screen says to what programs ask: it is alive, at the upper left, and a VT220. */
const ANSWERS: readonly (readonly [query: RegExp, answer: string])[] = [
  // biome-ignore lint/suspicious/noControlCharactersInRegex: queries are control sequences
  [/^\x1b\[\??6n/, '\x1b[1;1R'],
  // biome-ignore lint/suspicious/noControlCharactersInRegex: queries are control sequences
  [/^\x1b\[5n/, '\x1b[0n'],
  // biome-ignore lint/suspicious/noControlCharactersInRegex: queries are control sequences
  [/^\x1b\[0?c/, '\x1b[?62;22c'],
];

/**
 * Answers the queries of a program that nobody watches: without an answer it would wait, some for ever. A viewer's
 * terminal answers by itself, and better; so bytes go here only while there is none.
 */
export class QueryResponder {
  /** The beginning of a sequence that goes on in the next bytes. */
  #begun = '';

  /** What is to be typed in answer to these bytes; null in nearly every case. */
  feed(bytes: Uint8Array): Uint8Array | null {
    if (this.#begun === '' && bytes.indexOf(ESC) < 0) return null;
    const text = this.#begun + decoder.decode(bytes);
    this.#begun = '';
    let answer = '';
    for (let at = text.indexOf('\x1b'); at >= 0; at = text.indexOf('\x1b', at + 1)) {
      const rest = text.slice(at, at + MOST_BYTES);
      answer += ANSWERS.find(([query]) => query.test(rest))?.[1] ?? '';
      // biome-ignore lint/suspicious/noControlCharactersInRegex: queries are control sequences
      if (at + rest.length === text.length && /^\x1b(\[[?\d;]*)?$/.test(rest)) this.#begun = rest;
    }
    return answer === '' ? null : encoder.encode(answer);
  }

  /** Somebody watches now: what was begun is theirs to answer. */
  reset(): void {
    this.#begun = '';
  }
}
