/**
 * What of an output is no text. A terminal's text is UTF-8 without NUL, so those two decide, block by block: data (programs,
 * images, archives) has a NUL in every few bytes, or, when it is compressed, is invalid in almost every second one. A list
 * that is separated by NULs, a stray byte, and a few words in another encoding stay text.
 */
const BLOCK_BYTES = 256;
const NUL_SHARE = 1 / 16;
const INVALID_SHARE = 1 / 4;
/** So many invalid bytes are needed at least: `printf '\xff\xfe'` is a text with two of them. */
const MIN_INVALID = 16;
/** Text between two pieces of data is shown only when there is more of it: strings in a program are no output. */
const MIN_TEXT_BYTES = 4_096;
/** A printable rest of data at the edge of an output is data. */
const EDGE_BYTES = 8;

const NEWLINE = 0x0a;
const OK = 0;
const NUL = 1;
const INVALID = 2;
/** Valid, but nothing that a program writes to a terminal: it belongs to the data beside it. */
const ODD = 3;

export interface OutputPart {
  readonly isBinary: boolean;
  readonly bytes: Uint8Array;
}

/** Cuts an output into text and data, in order. */
export function splitBinary(bytes: Uint8Array): OutputPart[] {
  const parts: OutputPart[] = [];
  const add = (from: number, to: number, isBinary: boolean) => {
    if (to > from) parts.push({ isBinary, bytes: bytes.subarray(from, to) });
  };
  let at = 0;
  for (const [from, to] of findBinary(bytes)) {
    add(at, from, false);
    add(from, to, true);
    at = to;
  }
  add(at, bytes.length, false);
  return parts;
}

/** The line that stands for data in a text for a model. */
export function binaryNotice(size: number): string {
  return `[binary output, ${size} bytes, not shown. The complete output is kept in a file: read_output names it once the command has ended]`;
}

function findBinary(bytes: Uint8Array): [from: number, to: number][] {
  const kinds = classify(bytes);
  const found: [number, number][] = [];
  if (kinds === null) return found;
  for (let at = 0; at < bytes.length; at += BLOCK_BYTES) {
    if (!isBinaryBlock(kinds.subarray(at, at + BLOCK_BYTES))) continue;
    let from = Math.max(0, at - BLOCK_BYTES);
    while (kinds[from] === OK) from++;
    let to = Math.min(bytes.length, at + 2 * BLOCK_BYTES);
    while (kinds[to - 1] === OK) to--;
    const last = found.at(-1);
    if (last && from - last[1] < MIN_TEXT_BYTES) last[1] = Math.max(last[1], to);
    else found.push([from, to]);
  }
  const [first, last] = [found[0], found.at(-1)];
  if (first && first[0] <= EDGE_BYTES && !bytes.subarray(0, first[0]).includes(NEWLINE)) first[0] = 0;
  if (last && bytes.length - last[1] <= EDGE_BYTES && bytes.indexOf(NEWLINE, last[1]) < 0)
    last[1] = bytes.length;
  return found;
}

function isBinaryBlock(kinds: Uint8Array): boolean {
  let nuls = 0;
  let invalid = 0;
  for (const kind of kinds) {
    if (kind === NUL) nuls++;
    else if (kind === INVALID) invalid++;
  }
  return (
    nuls > kinds.length * NUL_SHARE || (invalid >= MIN_INVALID && invalid > kinds.length * INVALID_SHARE)
  );
}

/** What each byte is; null when all are the text that they should be. */
function classify(bytes: Uint8Array): Uint8Array | null {
  let kinds: Uint8Array | null = null;
  for (let at = 0; at < bytes.length; ) {
    const length = characterLength(bytes, at);
    const byte = bytes[at] as number;
    const kind = byte === 0 ? NUL : length === 0 ? INVALID : isOdd(byte) ? ODD : OK;
    if (kind !== OK) {
      kinds ??= new Uint8Array(bytes.length);
      kinds[at] = kind;
    }
    at += Math.max(1, length);
  }
  return kinds;
}

const isOdd = (byte: number) => (byte > 0 && byte < 0x07) || (byte >= 0x0e && byte < 0x1b) || byte === 0x7f;

/** Bytes of the UTF-8 character at `at`, or of its beginning at the end of the bytes; 0 when it is none. */
function characterLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at] as number;
  if (first < 0x80) return 1;
  const length = first >= 0xf5 ? 0 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
  for (let i = 1; i < length && at + i < bytes.length; i++) {
    const next = bytes[at + i] as number;
    const least = i > 1 ? 0x80 : first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
    const most = i > 1 ? 0xbf : first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
    if (next < least || next > most) return 0;
  }
  return length;
}
