import {
  BYTES_PER_TOKEN,
  COMPLETION_TAIL_BYTES,
  COMPLETION_TAIL_LINES,
  PREVIEW_CODE_POINTS,
  PREVIEW_HEAD_CODE_POINTS,
  PREVIEW_TAIL_CODE_POINTS,
} from '../limits.ts';
import { countPoints, headOfBytes, tailOfBytes, tailOfPoints, unitsOfPoints, utf8Length } from './utf8.ts';

/**
 * Stands for the left out middle: 47 code points with its newlines, so that a cut preview has exactly 12,000.
 */
export const PREVIEW_MARKER = '\n[... the middle of the output is cut out ...]\n';
/** The tail is trimmed only now and then: small pieces would cost a walk over all of it each. */
const TRIM_ABOVE_UNITS = 64 * 1024;
const ELLIPSIS = '…';

export interface Preview {
  readonly text: string;
  readonly isTruncated: boolean;
  /** Bytes of the whole text in UTF-8. */
  readonly originalBytes: number;
  /** Bytes of it that the preview shows; the marker is not counted. */
  readonly visibleBytes: number;
}

/** A preview of a text that comes in pieces, in constant memory. Pieces are cut between code points. */
export class PreviewBuilder {
  /** The first code points: all of them, up to the size of a whole preview. */
  #head = '';
  #headPoints = 0;
  /** At least the last code points, when there are more than a whole preview holds. */
  #tail = '';
  #isTruncated = false;
  #bytes = 0;

  add(text: string): void {
    this.#bytes += utf8Length(text);
    let rest = text;
    if (!this.#isTruncated) {
      const room = PREVIEW_CODE_POINTS - this.#headPoints;
      const units = unitsOfPoints(text, room);
      const taken = text.slice(0, units);
      this.#head += taken;
      this.#headPoints += countPoints(taken);
      rest = text.slice(units);
      if (rest === '') return;
      this.#isTruncated = true;
      this.#tail = this.#head;
    }
    this.#tail += rest;
    if (this.#tail.length > TRIM_ABOVE_UNITS) this.#tail = tailOfPoints(this.#tail, PREVIEW_TAIL_CODE_POINTS);
  }

  result(): Preview {
    if (!this.#isTruncated) {
      return { text: this.#head, isTruncated: false, originalBytes: this.#bytes, visibleBytes: this.#bytes };
    }
    const head = this.#head.slice(0, unitsOfPoints(this.#head, PREVIEW_HEAD_CODE_POINTS));
    const tail = tailOfPoints(this.#tail, PREVIEW_TAIL_CODE_POINTS);
    return {
      text: head + PREVIEW_MARKER + tail,
      isTruncated: true,
      originalBytes: this.#bytes,
      visibleBytes: utf8Length(head) + utf8Length(tail),
    };
  }
}

/**
 * The preview of a complete output (behaviour.md, section 4): up to 12,000 code points whole, above that the
 * first 6,000, the marker, and the last 5,953.
 */
export function preview(text: string): Preview {
  const builder = new PreviewBuilder();
  builder.add(text);
  return builder.result();
}

export interface TokenCut {
  readonly text: string;
  readonly isTruncated: boolean;
  /** Bytes of UTF-8 that are not shown. */
  readonly omittedBytes: number;
}

/**
 * Cuts a readout to a number of tokens, each counted as four bytes of UTF-8: head and tail stay, a line
 * between them says how many bytes are missing. The line is within the tokens too, unless they are too few to
 * hold it: then it is all that is given.
 */
export function truncateToTokens(text: string, maxTokens: number): TokenCut {
  const budget = maxTokens * BYTES_PER_TOKEN;
  const bytes = utf8Length(text);
  if (bytes <= budget) return { text, isTruncated: false, omittedBytes: 0 };
  const room = Math.max(0, budget - omission(bytes).length);
  const head = headOfBytes(text, Math.floor(room / 2));
  const tail = tailOfBytes(text, room - utf8Length(head));
  const omittedBytes = bytes - utf8Length(head) - utf8Length(tail);
  return { text: head + omission(omittedBytes) + tail, isTruncated: true, omittedBytes };
}

const omission = (bytes: number): string => `\n[... ${bytes} bytes left out ...]\n`;

/**
 * The end of an output that a completion carries: the last 50 lines and at most 4,096 bytes of UTF-8, cut at
 * a character. When something was cut it begins with an ellipsis, on its own line if the cut is between
 * lines.
 */
export function completionTail(text: string): string {
  const whole = text.trimEnd();
  let start = whole.length;
  for (let lines = 0; lines < COMPLETION_TAIL_LINES && start > 0; lines += 1) {
    start = whole.lastIndexOf('\n', start - 1);
    if (start < 0) break;
  }
  const lines = whole.slice(Math.max(0, start + 1));
  const prefix = start > 0 ? `${ELLIPSIS}\n` : '';
  if (utf8Length(prefix) + utf8Length(lines) <= COMPLETION_TAIL_BYTES) return prefix + lines;
  const tail = tailOfBytes(lines, COMPLETION_TAIL_BYTES - utf8Length(ELLIPSIS));
  return ELLIPSIS + tail;
}
