import headless, { type Terminal } from '@xterm/headless';
import { DEFAULT_COLS, DEFAULT_ROWS } from '../../shared/limits.ts';
import { plainText } from '../../shared/text/plain-text.ts';
import { beginsInAlternateScreen, firstScreenMove } from '../../shared/text/screen-moves.ts';

/** More than a readout holds is not drawn: its beginning is left out. */
const MAX_BYTES = 256 * 1024;
/** A line of 120 cells costs 1.4 KB as long as the terminal lives. */
const MAX_LINES = 10_000;
/** The terminal lets others run between two pieces. */
const PIECE_BYTES = 1_024;
const MAX_SCREENS = 4_096;
const MAX_CELL_UNITS = 16;
const LEFT_OUT = '[... the beginning is left out ...]\n';
const ENTER_ALTERNATE = '\x1b[?1049h';
const NEWLINE = 0x0a;
const ERASE_ALL = 3;

/**
 * What a person would see of an output that moves between lines: the lines that scrolled off and the screen, without the
 * blanks at their ends, long lines unbroken. Of the alternate screen only what stands there at the end is told, behind the
 * text before it; once it was left nothing of it remains.
 */
export async function screenText(bytes: Uint8Array, cols: number = DEFAULT_COLS): Promise<string> {
  const bounded = bytes.length > MAX_BYTES ? bytes.subarray(bytes.length - MAX_BYTES) : bytes;
  const isInside = beginsInAlternateScreen(bounded);
  const drawnFrom = isInside ? 0 : firstDrawn(bounded);
  const terminal = new headless.Terminal({
    cols,
    rows: DEFAULT_ROWS,
    scrollback: MAX_LINES,
    allowProposedApi: true,
    logLevel: 'off',
  });
  try {
    let isErased = false;
    refuseEndlessWork(terminal);
    terminal.parser.registerCsiHandler({ final: 'J' }, ([what]) => {
      isErased ||= what === ERASE_ALL;
      return false;
    });
    terminal.parser.registerEscHandler({ final: 'c' }, () => {
      isErased = true;
      return false;
    });
    if (isInside) terminal.write(ENTER_ALTERNATE);
    await drawAll(terminal, bounded.subarray(drawnFrom));
    const { normal, active } = terminal.buffer;
    const isCut = bounded !== bytes || normal.length >= MAX_LINES + DEFAULT_ROWS;
    const before = isErased ? '' : plainText(bounded.subarray(0, drawnFrom));
    const alternate = active === normal || active.type === 'normal' ? '' : bufferText(active);
    return (isCut ? LEFT_OUT : '') + before + withBreak(bufferText(normal), alternate) + alternate;
  } finally {
    terminal.dispose();
  }
}

/** Lines that have scrolled off before the first move can no longer be drawn over: they need no terminal. */
function firstDrawn(bytes: Uint8Array): number {
  let at = Math.max(0, firstScreenMove(bytes));
  for (let lines = 0; lines <= DEFAULT_ROWS && at > 0; lines++) at = bytes.lastIndexOf(NEWLINE, at - 1);
  return at <= 0 ? 0 : at + 1;
}

function drawAll(terminal: Terminal, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES)
      terminal.write(bytes.subarray(at, at + PIECE_BYTES));
    terminal.write('', resolve);
  });
}

/**
 * What costs a whole screen is drawn so often and no more, and what is done as often as a number says (up to 2^31 times)
 * only within the size of the screen, beyond which it draws nothing new: no output may hold up the app.
 */
function refuseEndlessWork(terminal: Terminal): void {
  const first = (params: readonly (number | number[])[]) => Number(params[0] ?? 0);
  let screens = 0;
  const isTooMuch = () => ++screens > MAX_SCREENS;
  for (const final of ['S', 'T', 'L', 'M'])
    terminal.parser.registerCsiHandler({ final }, (params) => first(params) > terminal.rows || isTooMuch());
  terminal.parser.registerCsiHandler({ final: 'J' }, isTooMuch);
  terminal.parser.registerEscHandler({ final: 'c' }, isTooMuch);
  terminal.parser.registerEscHandler({ intermediates: '#', final: '8' }, () => true); // a test picture
  for (const final of ['I', 'Z'])
    terminal.parser.registerCsiHandler({ final }, (params) => first(params) > terminal.cols);
  // Repeats a cell, which may hold any number of combining marks.
  terminal.parser.registerCsiHandler({ final: 'b' }, (params) => {
    const { active } = terminal.buffer;
    const cell = active.getLine(active.baseY + active.cursorY)?.getCell(Math.max(0, active.cursorX - 1));
    return first(params) > terminal.cols || (cell?.getChars().length ?? 0) > MAX_CELL_UNITS;
  });
}

type Buffer = Terminal['buffer']['active'];

/** The lines of a buffer up to the last that is not blank; with a newline when the cursor stands below it. */
function bufferText(buffer: Buffer): string {
  const lines: string[] = [];
  let isBelow = false;
  for (let row = 0; row < buffer.length; row++) {
    const line = buffer.getLine(row);
    if (!line) break;
    const goesOn = buffer.getLine(row + 1)?.isWrapped === true;
    // A wide character that did not fit leaves an empty cell at the end of a line that goes on.
    const end = goesOn && line.getCell(line.length - 1)?.getChars() === '' ? line.length - 1 : line.length;
    const text = line.translateToString(!goesOn, 0, end);
    if (line.isWrapped && lines.length > 0) lines.push((lines.pop() ?? '') + text);
    else lines.push(text);
    if (text.trim() !== '') isBelow = false;
    else if (!line.isWrapped && row === buffer.baseY + buffer.cursorY) isBelow = true;
  }
  const text = lines
    .map((line) => line.trimEnd())
    .join('\n')
    .trimEnd();
  return isBelow && text !== '' ? `${text}\n` : text;
}

const withBreak = (text: string, next: string) =>
  text === '' || next === '' || text.endsWith('\n') ? text : `${text}\n`;
