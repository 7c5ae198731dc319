const ESC = 0x1b;

/**
 * How much of `bytes` can be turned into text without splitting a UTF-8 character or an escape sequence at the end.
 * What lies behind it is the beginning of something whose rest has not come yet.
 */
export function completeLength(bytes: Uint8Array): number {
  const atEscape = unfinishedEscape(bytes);
  return atEscape >= 0 ? atEscape : bytes.length - unfinishedCharacter(bytes);
}

/** Where text may begin in `bytes` that were cut at any place: behind the rest of a character that began earlier. */
export function firstCharacter(bytes: Uint8Array): number {
  let at = 0;
  while (at < 3 && at < bytes.length && ((bytes[at] as number) & 0xc0) === 0x80) at++;
  return at;
}

/** Bytes at the end that begin a character and do not complete it. */
function unfinishedCharacter(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] as number;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) {
      const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return length > back ? back : 0;
    }
  }
  return 0;
}

/** Offset of an escape sequence that is not finished at the end of `bytes`, or -1. */
function unfinishedEscape(bytes: Uint8Array): number {
  let at = bytes.indexOf(ESC);
  while (at >= 0) {
    const end = escapeEnd(bytes, at);
    if (end < 0) return at;
    at = bytes.indexOf(ESC, end);
  }
  return -1;
}

/** Offset behind the escape sequence at `at`, or -1 when it goes on beyond the bytes. */
function escapeEnd(bytes: Uint8Array, at: number): number {
  const kind = bytes[at + 1];
  if (kind === undefined) return -1;
  if (kind === 0x5b /* CSI */) {
    for (let i = at + 2; i < bytes.length; i++) {
      const byte = bytes[i] as number;
      if (byte < 0x20 || byte >= 0x7f) return i; // broken off
      if (byte >= 0x40) return i + 1;
    }
    return -1;
  }
  if (
    kind === 0x5d ||
    kind === 0x50 ||
    kind === 0x58 ||
    kind === 0x5e ||
    kind === 0x5f /* OSC DCS SOS PM APC */
  ) {
    for (let i = at + 2; i < bytes.length; i++) {
      const byte = bytes[i] as number;
      if (byte === 0x07 && kind === 0x5d) return i + 1;
      if (byte === 0x18 || byte === 0x1a) return i + 1; // CAN, SUB
      if (byte === ESC) return bytes[i + 1] === undefined ? -1 : bytes[i + 1] === 0x5c ? i + 2 : i;
    }
    return -1;
  }
  if (kind >= 0x20 && kind <= 0x2f) {
    for (let i = at + 2; i < bytes.length; i++) if ((bytes[i] as number) >= 0x30) return i + 1;
    return -1;
  }
  return at + 2;
}
