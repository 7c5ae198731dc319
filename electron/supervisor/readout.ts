import { BYTES_PER_TOKEN, UNREAD_WINDOW_BYTES } from '../../shared/limits.ts';
import { completeLength, firstCharacter } from '../../shared/text/boundary.ts';
import { preview, truncateToTokens } from '../../shared/text/preview.ts';
import { modelText } from './model-text.ts';
import type { RenderScreen } from './ports.ts';

/** Text that a readout gives, and what became of every byte up to its new cursor. */
export interface Readout {
  readonly text: string;
  readonly isTruncated: boolean;
  /** Bytes that no readout gives: older than the unread window, or cut out of this text. */
  readonly droppedBytes: number;
  /** Bytes of the log that this readout covers, dropped ones included. */
  readonly newBytes: number;
  /** Offset up to which the log has been given. */
  readonly cursor: number;
}

/** The part of the log that a readout from `cursor` may give when the log reaches `end`. */
export function unreadRange(cursor: number, end: number): { from: number; to: number } {
  const to = Math.max(cursor, end);
  return { from: Math.max(cursor, to - UNREAD_WINDOW_BYTES), to };
}

/**
 * Turns the unread bytes of a log into a readout. A character or escape sequence that is not whole yet stays unread,
 * so the cursor always stands between two of them and nothing has to be remembered from one readout to the next.
 *
 * @param cursor where the last readout ended
 * @param from offset of `bytes` in the log, as `unreadRange` gave it
 * @param isEnd no more will follow: what is not whole is given as it is
 */
export async function makeReadout(
  cursor: number,
  from: number,
  bytes: Uint8Array,
  isEnd: boolean,
  maxTokens: number,
  renderScreen: RenderScreen,
): Promise<Readout> {
  const begin = from > cursor ? firstCharacter(bytes) : 0;
  const rest = bytes.subarray(begin);
  const used = isEnd ? rest.length : completeLength(rest);
  const { text: whole, binaryBytes } = await modelText(rest.subarray(0, used), renderScreen);
  const text = isEnd ? shownEnd(whole, maxTokens) : truncateToTokens(whole, maxTokens);
  const end = from + begin + used;
  return {
    text: text.text,
    isTruncated: text.isTruncated || binaryBytes > 0,
    droppedBytes: from + begin - cursor + text.omittedBytes + binaryBytes,
    newBytes: end - cursor,
    cursor: end,
  };
}

/** The end of a command is shown as its preview, unless less was asked for: one cut, never a cut of a cut. */
function shownEnd(
  whole: string,
  maxTokens: number,
): { text: string; isTruncated: boolean; omittedBytes: number } {
  const shown = preview(whole);
  const bytes = new TextEncoder().encode(shown.text).length;
  if (bytes > maxTokens * BYTES_PER_TOKEN) return truncateToTokens(whole, maxTokens);
  return {
    text: shown.text,
    isTruncated: shown.isTruncated,
    omittedBytes: shown.originalBytes - shown.visibleBytes,
  };
}
