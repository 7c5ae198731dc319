const ESC = 0x1b;
const C1_CSI = [0xc2, 0x9b];
/** No honest control sequence is longer; a longer one is not looked at. */
const MAX_SEQUENCE = 64;

/** What follows ESC in sequences that act on other lines: up, down, to a row, scroll, insert lines, clear, restore, reset. */
const MOVE = /^(?:[M8c]|\[[\d;:]*[ABEFHLMSTdefru]|\[[123]J)$/;
const ALTERNATE = /^\[\?(?:\d+;)*(?:47|1047|1049)(?:;\d+)*([hl])$/;

/**
 * Whether the output moves between lines (cursor up, to a row, clear screen, alternate screen, scroll regions ...): what a
 * person sees of it only a terminal can tell, the collapse of single lines cannot draw it.
 */
export function hasScreenMoves(bytes: Uint8Array): boolean {
  return firstScreenMove(bytes) >= 0;
}

/** Offset of the first sequence that moves between lines, or -1. */
export function firstScreenMove(bytes: Uint8Array): number {
  for (const { at, text } of sequences(bytes)) if (MOVE.test(text) || ALTERNATE.test(text)) return at;
  return -1;
}

/** Whether the output was cut inside of the alternate screen: it leaves it without having entered it. */
export function beginsInAlternateScreen(bytes: Uint8Array): boolean {
  for (const { text } of sequences(bytes)) {
    const found = ALTERNATE.exec(text);
    if (found) return found[1] === 'l';
  }
  return false;
}

/** Each escape sequence but strings (titles, links), as the characters behind its ESC. A C1 CSI counts as ESC [. */
function* sequences(bytes: Uint8Array): Generator<{ at: number; text: string }> {
  const hasC1 = bytes.includes(C1_CSI[1] as number);
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === ESC) yield { at, text: readSequence(bytes, at + 1) };
    else if (hasC1 && byte === C1_CSI[0] && bytes[at + 1] === C1_CSI[1])
      yield { at, text: readSequence(bytes, at + 2, '[') };
    else if (!hasC1) {
      const next = bytes.indexOf(ESC, at);
      if (next < 0) return;
      at = next - 1;
    }
  }
}

function readSequence(bytes: Uint8Array, from: number, begin = ''): string {
  let text = begin;
  for (let at = from; at < bytes.length && text.length < MAX_SEQUENCE; at++) {
    const byte = bytes[at] as number;
    if (byte === ESC || byte >= 0x7f) break;
    if (byte < 0x20) continue; // acts at once, and the sequence goes on
    text += String.fromCharCode(byte);
    const isOpen = text === '[' || (text.length > 1 ? byte < 0x40 : byte < 0x30);
    if (!isOpen) break;
  }
  return text;
}
