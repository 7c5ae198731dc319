import { describe, expect, it } from 'vitest';
import { screenText } from '../../../electron/agent/screen-text.ts';
import { hasScreenMoves } from '../../../shared/text/screen-moves.ts';

const encode = (text: string) => new TextEncoder().encode(text);
const draw = (text: string, cols?: number) => screenText(encode(text), cols);

describe('moves between lines', () => {
  it.each([
    '\x1b[A', '\x1b[12A', '\x1b[2B', '\x1b[F', '\x1b[E', '\x1b[H', '\x1b[5;10H', '\x1b[3f', '\x1b[4d', '\x1b[2J',
    '\x1b[3J', '\x1bM', '\x1b8', '\x1bc', '\x1b[u', '\x1b[2;10r', '\x1b[3L', '\x1b[M', '\x1b[S', '\x1b[T',
    '\x1b[?1049h', '\x1b[?47l', '\x1b[?1;1047h', '\u009bA', '\x1b[3\r\nA', '\x1b]0;t\x1b[A', '\x1b[31\x1b[A',
  ])('%j is one', (text) => {
    expect(hasScreenMoves(encode(`some text ${text} more`))).toBe(true);
  }); // biome-ignore format: a table

  it.each([
    'plain', '\r\n', '\b', '\x1b[K', '\x1b[J', '\x1b[31;1m', '\x1b[3C', '\x1b[2D', '\x1b[5G', '\x1b[2P', '\x1b[@',
    '\x1b7', '\x1b(B', '\x1b=', '\x1b[?25l', '\x1b[?2004h', '\x1b[>4;2m', '\x1b[>1u', '\x1b]0;[A\x07', '\x1b#8',
    '\x1b[', '\x1b', '\x1b[1', 'ä\x9b'.normalize(), '\x1b[ü A',
  ])('%j is none', (text) => {
    expect(hasScreenMoves(encode(text))).toBe(false);
  }); // biome-ignore format: a table
});

describe('what a person would see of them', () => {
  it.each([
    ['lines drawn over', 'a\r\nb\r\nc\r\n\x1b[3A\x1b[2KA\r\n\x1b[2KB\r\n', 'A\nB\nc'],
    ['blanks at the ends are cut', 'a   \r\n  b  \r\n\x1b[A\x1b[B', 'a\n  b\n'],
    ['clear screen', 'old\r\nold\r\n\x1b[H\x1b[2Jnew', 'new'],
    ['clear screen and scrollback', `${'old\r\n'.repeat(100)}\x1b[H\x1b[2J\x1b[3Jnew\r\n`, 'new\n'],
    ['reset', 'old\r\n\x1bcnew', 'new'],
    ['a place on the screen', '\x1b[3;5Hx\x1b[1;1Hy', 'y\n\n    x'],
    ['reverse index', 'a\r\nb\x1bM\rA', 'A\nb'],
    ['saved and restored', 'a\x1b7\r\nb\x1b8c', 'ac\nb'],
    [
      'the alternate screen, once left, is gone',
      '$ vim\r\n\x1b[?1049h\x1b[Hfile\r\n~\x1b[?1049l$ ',
      '$ vim\n$',
    ],
    ['the alternate screen, while in it', '$ vim\r\n\x1b[?1049h\x1b[H\x1b[2Jfile\r\n~', '$ vim\nfile\n~'],
    ['left without having entered it', '\x1b[Hfile\r\n~\x1b[?1049l$ ls', '$ ls'],
    [
      'a status line below a scroll region',
      '\x1b[1;33r\x1b[34;1H50 %\x1b[1;1Ha\r\nb',
      `a\nb${'\n'.repeat(32)}50 %`,
    ],
    ['a character repeated', 'a\x1b[3b\x1b[A', 'aaaa'],
  ])('%s', async (_, input, expected) => {
    expect(await draw(input)).toBe(expected);
  });

  it('a long line is one line, with its blanks and its wide characters', async () => {
    const line = `${'x'.repeat(15)}     ${'漢'.repeat(31)} end`;
    expect(await draw(`\x1b[H${line}\r\nnext`, 20)).toBe(`${line}\nnext`);
    expect(await draw(`\x1b[H${'漢'.repeat(20)}\r\nnext`, 11)).toBe(`${'漢'.repeat(20)}\nnext`);
  });

  it('the lines that scrolled off before the first move stay, all of them', async () => {
    const lines = Array.from({ length: 5_000 }, (_, i) => `line ${i}`);
    const text = await draw(`${lines.join('\r\n')}\r\n\x1b[2A\x1b[2Kdrawn over\r\n\r\n`);
    lines.splice(4_998, 1, 'drawn over');
    expect(text).toBe(`${lines.join('\n')}\n`);
  });

  it('so do those that scroll off later, and when there are too many it is told', async () => {
    const some = Array.from({ length: 3_000 }, (_, i) => `line ${i}`).join('\r\n');
    expect(await draw(`\x1b[H${some}`)).toBe(some.replaceAll('\r', ''));
    const text = await draw(`\x1b[H${'z\r\n'.repeat(20_000)}`);
    expect(text).toMatch(/^\[\.\.\. the beginning is left out \.\.\.\]\nz\n/);
  });

  it('20 frames of three lines come to three lines, wherever the frames are cut', async () => {
    const frame = (i: number) =>
      `\x1b[3F\x1b[J${[1, 2, 3].map((n) => `#${n} ${'='.repeat(i)}> ${i}\r\n`).join('')}`;
    const all = Array.from({ length: 20 }, (_, i) => frame(i)).join('');
    expect(await draw(`a\r\nb\r\nc\r\n${all}`)).toBe(
      [1, 2, 3].map((n) => `#${n} ${'='.repeat(19)}> 19\n`).join(''),
    );
  });

  it('10,001 redraws of one line are one line', async () => {
    const bar = Array.from({ length: 10_001 }, (_, i) => `\r${'#'.repeat(i / 500)} ${i}`).join('');
    expect(await draw(`\x1b[H${bar}`)).toBe(`${'#'.repeat(20)} 10000`);
  });

  it.each(['S', 'T', 'L', 'M', 'I', 'Z', 'b', '@', 'P', 'X', 'C', 'B', 'd', 'G'])(
    'a number without end in front of %s does not hold up the app',
    async (final) => {
      const began = performance.now();
      expect(await draw(`text\x1b[2147483647${final}\x1b[H\x1b[Kend`)).toContain('end');
      expect(performance.now() - began).toBeLessThan(1_000);
    },
  );
});
