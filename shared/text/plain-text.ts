import { MAX_COLS } from '../limits.ts';

/**
 * Code points of one unfinished line that are held; a longer line is given out in pieces. It bounds the
 * memory to four bytes for each. What was given out as a piece can no longer be redrawn.
 */
const MAX_LINE_CODE_POINTS = 256 * 1024;

/** Where the parser is inside an escape sequence. `string` ends only by ST, `osc` by BEL too. */
type State = 'ground' | 'escape' | 'intermediate' | 'csi' | 'osc' | 'string';

const BEL = 0x07;
const BS = 0x08;
const TAB = 0x09;
const LF = 0x0a;
const FF = 0x0c;
const CR = 0x0d;
const CAN = 0x18;
const SUB = 0x1a;
const ESC = 0x1b;
const SPACE = 0x20;
const DEL = 0x7f;

const isPrintable = (unit: number): boolean => (unit >= SPACE && unit < DEL) || unit >= 0xa0 || unit === TAB;

/**
 * Turns the bytes of a terminal into the text that a person would read there, as a stream.
 *
 * - One UTF-8 decoder for the whole stream: a character split over chunks survives, invalid bytes become
 *   U+FFFD.
 * - Escape sequences are removed, at whatever byte they are split. A string sequence (OSC, DCS, ...) is
 *   dropped up to its end however long it is; nothing of it is stored.
 * - A line is drawn into cells: CR goes to column 0, BS one to the left, later characters overwrite, and so
 *   do the sequences that act within a line (erase, insert, delete, move to a column). CR LF is a newline.
 *   Moves to other lines are ignored. A cell is a code point: a wide character counts as one.
 * - Tabs stay. Other control characters are dropped, but VT and FF, which end a line as they do on a
 *   terminal.
 *
 * `feed` gives the lines that were finished; `take` gives what there is of the unfinished one. All that both
 * gave out, put together, holds each character once: a line that only grew after `take` is continued. If it
 * was redrawn, the new drawing follows whole, after a newline of its own, as new text.
 *
 * The result does not depend on how the bytes are cut into chunks. Memory is constant.
 */
export class PlainText {
  readonly #maxLine: number;
  #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  #state: State = 'ground';
  /** Of a CSI: its first parameter, and whether anything makes it another sequence than the plain one. */
  #parameter = 0;
  #isFirstParameter = true;
  #isPlainCsi = true;

  #cells = new Uint32Array(256);
  #length = 0;
  #column = 0;
  /** What `take` gave out of the line under construction. */
  #given = '';
  #out = '';

  constructor(maxLineCodePoints: number = MAX_LINE_CODE_POINTS) {
    this.#maxLine = maxLineCodePoints;
  }

  /**
   * Reads bytes; returns the lines that they finished, each with its newline (and pieces of an overlong one).
   */
  feed(bytes: Uint8Array): string {
    this.#read(this.#decoder.decode(bytes, { stream: true }));
    return this.#flush();
  }

  /** The unfinished line as it looks now, whole. Changes nothing. */
  partial(): string {
    return this.#line();
  }

  /** Gives out the unfinished line, without what an earlier `take` gave of it. */
  take(): string {
    const line = this.#line();
    const text = this.#since(line);
    if (line !== '') this.#given = line;
    return text;
  }

  /**
   * Ends the stream: the unfinished line, and U+FFFD for a cut character. An unfinished sequence is dropped.
   */
  end(): string {
    this.#read(this.#decoder.decode());
    const text = this.#flush() + this.take();
    this.#startLine();
    this.#state = 'ground';
    return text;
  }

  #flush(): string {
    const text = this.#out;
    this.#out = '';
    return text;
  }

  #line(): string {
    let text = '';
    for (let at = 0; at < this.#length; at += 8192) {
      const part = this.#cells.subarray(at, Math.min(at + 8192, this.#length));
      text += Reflect.apply(String.fromCodePoint, null, part);
    }
    return text;
  }

  #since(line: string): string {
    if (line.startsWith(this.#given)) return line.slice(this.#given.length);
    return line === '' ? '' : `\n${line}`;
  }

  #startLine(): void {
    this.#length = 0;
    this.#column = 0;
    this.#given = '';
  }

  #endLine(): void {
    this.#out += `${this.#since(this.#line())}\n`;
    this.#startLine();
  }

  #read(text: string): void {
    let at = 0;
    while (at < text.length) {
      if (this.#state !== 'ground') {
        const point = text.codePointAt(at) ?? 0;
        this.#step(point);
        at += point > 0xffff ? 2 : 1;
        continue;
      }
      if (this.#length === 0 && this.#column === 0 && this.#given === '') at = this.#readWholeLines(text, at);
      const from = at;
      while (at < text.length && isPrintable(text.charCodeAt(at))) at += 1;
      if (at > from) this.#print(text, from, at);
      if (at < text.length) {
        this.#control(text.charCodeAt(at));
        at += 1;
      }
    }
  }

  /** The fast way for lines without any drawing: they go through as they are. Returns where it stopped. */
  #readWholeLines(text: string, from: number): number {
    let end = from;
    let hasCr = false;
    for (let at = from; at < text.length; at += 1) {
      const unit = text.charCodeAt(at);
      if (unit === LF) end = at + 1;
      else if (unit === CR && text.charCodeAt(at + 1) === LF) hasCr = true;
      else if (!isPrintable(unit)) break;
    }
    if (end === from) return from;
    const lines = text.slice(from, end);
    this.#out += hasCr ? lines.replaceAll('\r\n', '\n') : lines;
    return end;
  }

  #print(text: string, from: number, to: number): void {
    let at = from;
    while (at < to) {
      const point = text.codePointAt(at) ?? SPACE;
      at += point > 0xffff ? 2 : 1;
      if (this.#column >= this.#maxLine) {
        this.#out += this.#since(this.#line());
        this.#startLine();
      }
      this.#reserve(this.#column + 1);
      if (this.#column > this.#length) this.#cells.fill(SPACE, this.#length, this.#column);
      this.#cells[this.#column] = point;
      this.#column += 1;
      if (this.#column > this.#length) this.#length = this.#column;
    }
  }

  #reserve(size: number): void {
    if (size <= this.#cells.length) return;
    const larger = new Uint32Array(Math.max(size, this.#cells.length * 2));
    larger.set(this.#cells.subarray(0, this.#length));
    this.#cells = larger;
  }

  /** A control character outside of sequences, C1 forms included. */
  #control(unit: number): void {
    if (unit === ESC) this.#state = 'escape';
    else if (unit >= LF && unit <= FF) this.#endLine();
    else if (unit === CR) this.#column = 0;
    else if (unit === BS) this.#column = Math.max(0, this.#column - 1);
    else if (unit >= 0x80) this.#escape(unit - 0x40);
  }

  /** One code point inside a sequence, by the states of a VT500 (and of xterm). */
  #step(point: number): void {
    if (point === ESC) this.#state = 'escape';
    else if (point === CAN || point === SUB) this.#state = 'ground';
    else if (point >= 0x80 && point < 0xa0) this.#escape(point - 0x40);
    else if (this.#state === 'string') return;
    else if (this.#state === 'osc') {
      if (point === BEL) this.#state = 'ground';
    } else if (point === TAB) this.#print('\t', 0, 1);
    // a control character acts at once, in the middle of a sequence too
    else if (point < SPACE) this.#control(point);
    else if (point === DEL) return;
    else if (point >= 0xa0) {
      // no sequence may hold it: it ends the sequence and is text
      this.#state = 'ground';
      this.#print(String.fromCodePoint(point), 0, 1);
    } else if (this.#state === 'csi') this.#stepCsi(point);
    else if (point < 0x30) this.#state = 'intermediate';
    else if (this.#state === 'escape') this.#escape(point);
    else this.#state = 'ground';
  }

  /** The final byte of a two-byte sequence, or the C1 character that stands for it. */
  #escape(final: number): void {
    this.#state = 'ground';
    switch (String.fromCharCode(final)) {
      case '[':
        this.#state = 'csi';
        this.#parameter = 0;
        this.#isFirstParameter = true;
        this.#isPlainCsi = true;
        return;
      case ']':
        this.#state = 'osc';
        return;
      case 'P':
      case 'X':
      case '^':
      case '_':
        this.#state = 'string';
        return;
      case 'D':
      case 'E':
        this.#endLine();
        return;
      default:
        return;
    }
  }

  #stepCsi(unit: number): void {
    if (unit >= 0x40) {
      this.#state = 'ground';
      if (this.#isPlainCsi) this.#draw(String.fromCharCode(unit), this.#parameter);
    } else if (unit >= 0x30 && unit <= 0x39) {
      if (this.#isFirstParameter) this.#parameter = Math.min(this.#parameter * 10 + unit - 0x30, MAX_COLS);
    } else if (unit === 0x3a || unit === 0x3b) this.#isFirstParameter = false;
    else this.#isPlainCsi = false;
  }

  /** The sequences that act within the line; `value` is 0 when it was not given. */
  #draw(final: string, value: number): void {
    const count = Math.max(1, value);
    // without a width a move to the right must end somewhere
    const farthest = Math.min(Math.max(this.#length, MAX_COLS), this.#maxLine);
    const end = Math.min(this.#column + count, this.#length);
    switch (final) {
      case 'J':
      case 'K':
        if (value === 0) this.#length = Math.min(this.#length, this.#column);
        else if (value === 1) this.#cells.fill(SPACE, 0, Math.min(this.#column + 1, this.#length));
        else if (value === 2) this.#length = 0;
        return;
      case 'G':
      case '`':
        this.#column = Math.min(count - 1, farthest);
        return;
      case 'C':
        this.#column = Math.min(this.#column + count, farthest);
        return;
      case 'D':
        this.#column = Math.max(0, this.#column - count);
        return;
      case 'X':
        this.#cells.fill(SPACE, Math.min(this.#column, this.#length), end);
        return;
      case 'P':
        if (this.#column >= this.#length) return;
        this.#cells.copyWithin(this.#column, end, this.#length);
        this.#length -= end - this.#column;
        return;
      case '@': {
        if (this.#column >= this.#length) return;
        const inserted = Math.min(count, this.#maxLine - this.#length);
        this.#reserve(this.#length + inserted);
        this.#cells.copyWithin(this.#column + inserted, this.#column, this.#length);
        this.#cells.fill(SPACE, this.#column, this.#column + inserted);
        this.#length += inserted;
        return;
      }
      default:
        return;
    }
  }
}

/** The text of complete bytes, by the rules of {@link PlainText}. */
export function plainText(bytes: Uint8Array): string {
  const stream = new PlainText();
  const lines = stream.feed(bytes);
  return lines + stream.end();
}

/** The last `count` lines of a text that are not blank, without the blanks at their ends. */
export function lastLines(text: string, count: number): string[] {
  const lines: string[] = [];
  let end = text.length;
  while (end >= 0 && lines.length < count) {
    const start = end === 0 ? 0 : text.lastIndexOf('\n', end - 1) + 1;
    const line = text.slice(start, end).trimEnd();
    if (line !== '') lines.unshift(line);
    end = start - 1;
  }
  return lines;
}
