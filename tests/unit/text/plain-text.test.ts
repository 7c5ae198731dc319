import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lastLines, PlainText, plainText } from '../../../shared/text/plain-text.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const read = (text: string): string => plainText(bytes(text));

/** Feeds the chunks to one stream; all that it gave out. */
function readChunks(chunks: readonly Uint8Array[], maxLine?: number): string {
  const stream = new PlainText(maxLine);
  return chunks.map((chunk) => stream.feed(chunk)).join('') + stream.end();
}

function splitAtEvery(whole: Uint8Array): Uint8Array[][] {
  return Array.from({ length: whole.length + 1 }, (_, at) => [whole.subarray(0, at), whole.subarray(at)]);
}

describe('what a person would see', () => {
  it.each([
    ['plain text as it is', 'one\ntwo', 'one\ntwo'],
    ['CR LF is a newline', 'one\r\ntwo\r\n', 'one\ntwo\n'],
    ['a carriage return overwrites from column 0', 'abcdef\rXY', 'XYcdef'],
    ['a backspace goes one to the left', 'abc\b\bX', 'aXc'],
    ['a backspace stops at column 0', '\b\bab', 'ab'],
    ['bold by overstriking', 'N\bNA\bAM\bM', 'NAM'],
    ['erase to the end of the line', 'abcdef\rXY\x1b[K', 'XY'],
    ['erase to the beginning', 'abcdef\b\b\x1b[1K', '     f'],
    ['erase the whole line', 'abcdef\r\x1b[2KXY', 'XY'],
    ['erase below, as zsh does it', '%      \r \r\r\x1b[0m\x1b[J$ ls', '$ ls'],
    ['a column moved to', 'abcdef\x1b[1GX\x1b[3GY', 'XbYdef'],
    ['a move to the right pads', 'a\x1b[3Cb', 'a   b'],
    ['a move to the left', 'abc\x1b[2DX', 'aXc'],
    ['characters deleted', 'abcdef\r\x1b[2P', 'cdef'],
    ['characters inserted', 'abc\r\x1b[2@XY', 'XYabc'],
    ['characters blanked', 'abc\r\x1b[2X', '  c'],
    ['tabs stay, other controls go', 'a\tb\x07\x00\x0e\x7fc', 'a\tbc'],
    ['a form feed ends a line', 'a\fb', 'a\nb'],
    ['colours go', '\x1b[1;38;2;1;2;3mred\x1b[0m', 'red'],
    ['private modes go', '\x1b[?2004h\x1b[?25l\x1b[>4;2mx', 'x'],
    ['a private erase is not the plain one', 'abc\r\x1b[?2Kx', 'xbc'],
    ['moves to other lines are ignored', 'a\x1b[2A\x1b[5;7Hb', 'ab'],
    ['a title by BEL', '\x1b]0;title\x07x', 'x'],
    ['a link by ST', '\x1b]8;;http://a\x1b\\link\x1b]8;;\x1b\\', 'link'],
    ['DCS, SOS, PM, APC', '\x1bPq#1\x07~\x1b\\a\x1bXs\x1b\\b\x1b^p\x1b\\c\x1b_k\x1b\\d', 'abcd'],
    ['two-byte sequences', '\x1b7\x1b(B\x1b=\x1b#8a\x1bcb', 'ab'],
    ['C1 forms', 'a\u009b31mb\u009d0;t\u009cc\u0090d\u009ce\u0085f', 'abce\nf'],
    ['a sequence broken off by another', '\x1b[31\x1b[0mx', 'x'],
    ['a sequence cancelled', '\x1b[31\x18x\x1b]0;t\x1ay', 'xy'],
    ['a newline inside of a sequence acts', 'a\x1b[3\n1mb', 'a\nb'],
    ['a character that a sequence cannot hold', 'a\x1b[3é\x1b🚂b', 'aé🚂b'],
    ['an unfinished sequence does not leak', 'a\x1b[31', 'a'],
    ['an unfinished title does not leak', 'a\x1b]0;secret', 'a'],
    ['a byte order mark is text', '\ufeffa', '\ufeffa'],
    ['an astral character is one cell', '🚂🚃\rab', 'ab'],
    ['half of the astral characters overwritten', '🚂🚃\ra', 'a🚃'],
  ])('%s', (_, input, expected) => {
    expect(read(input)).toBe(expected);
  });

  it('shows a progress bar of 1,000 redraws as one line', () => {
    const bar = Array.from({ length: 1000 }, (_, i) => `\r${'#'.repeat(i / 25).padEnd(40)} ${i}`);
    expect(read(`${bar.join('')}\r\n`)).toBe(`${'#'.repeat(39)}  999\n`);
  });

  it('replaces invalid bytes', () => {
    expect(plainText(Uint8Array.of(0x61, 0xff, 0x62, 0xe2, 0x82))).toBe('a\ufffdb\ufffd');
  });
});

describe('chunks', () => {
  it.each([
    ['3 and 4 byte characters', 'x€ü🚂日本\n🚃€'],
    ['a CSI', 'ab\x1b[1;31mcd\r\x1b[2Ke'],
    ['an OSC with BEL and with ST', 'a\x1b]0;tït🚂le\x07b\x1b]8;;x\x1b\\c'],
    ['string sequences', 'a\x1bPq€\x1b\\b\x1b_x\u009cc'],
    ['C1', 'a\u009b31mb\u009d0;x\u009cc'],
    ['CR LF', 'one\r\ntwo\r\r\n\r\nthree\b\bX\r'],
  ])('gives the same wherever %s is split', (_, text) => {
    const whole = bytes(text);
    for (const chunks of splitAtEvery(whole)) expect(readChunks(chunks)).toBe(plainText(whole));
    expect(readChunks([...whole].map((byte) => Uint8Array.of(byte)))).toBe(plainText(whole));
  });

  const pieces = fc.constantFrom(
    'a', 'bc', ' ', '€', '🚂', '\u0301', '\n', '\r', '\r\n', '\b', '\t', '\x07', '\x1b', '\x1b[', '\x1b[K', '\x1b[1K',
    '\x1b[2K', '\x1b[3G', '\x1b[2C', '\x1b[D', '\x1b[2P', '\x1b[2@', '\x1b[X', '\x1b[31m', '\x1b]0;t', '\x1b\\',
    '\x1bP', '\u009b', '\u009c', '\x18', ';', '1',
  ); // biome-ignore format: a table
  const stream = fc.oneof(
    { weight: 4, arbitrary: fc.array(pieces, { maxLength: 60 }).map((parts) => bytes(parts.join(''))) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 80 }) },
  );
  const chunked = fc.tuple(stream, fc.array(fc.nat(200), { maxLength: 12 })).map(([whole, cuts]) => {
    const at = [0, ...cuts.map((cut) => Math.min(cut, whole.length)).sort((a, b) => a - b), whole.length];
    return { whole, chunks: at.slice(1).map((end, i) => whole.subarray(at[i], end)) };
  });

  it('gives the same for any chunking', () => {
    fc.assert(
      fc.property(chunked, fc.integer({ min: 2, max: 400 }), ({ whole, chunks }, maxLine) => {
        expect(readChunks(chunks, maxLine)).toBe(readChunks([whole], maxLine));
      }),
      { numRuns: 2000 },
    );
  });

  it('gives what only grows once, however often the partial line is taken', () => {
    const grows = fc.array(
      fc.constantFrom('a', 'bc', '€', '🚂', ' ', '\t', '\n', '\r\n', '\x1b[1m', '\x07'),
      {
        maxLength: 60,
      },
    );
    fc.assert(
      fc.property(grows, fc.array(fc.nat(60)), (parts, cuts) => {
        const taking = new PlainText();
        let text = '';
        parts.forEach((part, i) => {
          text += taking.feed(bytes(part));
          if (cuts.includes(i)) text += taking.take();
        });
        text += taking.end();
        expect(text).toBe(read(parts.join('')));
      }),
    );
  });

  it('never lets a sequence leak', () => {
    const noise = fc.array(
      fc.constantFrom('\x1b[31m', '\x1b]0;t\x07', '\x1bPq\x1b\\', 'x', '\x1b[?25l', '\u009b0m'),
    );
    fc.assert(
      fc.property(noise, (parts) => {
        expect(read(parts.join(''))).toMatch(/^x*$/);
      }),
    );
  });
});

describe('the partial line', () => {
  it('is shown without being given out', () => {
    const stream = new PlainText();
    expect(stream.feed(bytes('one\ntw'))).toBe('one\n');
    expect(stream.partial()).toBe('tw');
    expect(stream.partial()).toBe('tw');
    expect(stream.feed(bytes('o\n'))).toBe('two\n');
  });

  it('is continued when it grew after it was taken', () => {
    const stream = new PlainText();
    stream.feed(bytes('Password: '));
    expect(stream.take()).toBe('Password: ');
    expect(stream.take()).toBe('');
    expect(stream.feed(bytes('ok\nnext'))).toBe('ok\n');
    expect(stream.end()).toBe('next');
  });

  it('follows whole, as new text, when it was redrawn after it was taken', () => {
    const stream = new PlainText();
    stream.feed(bytes('10%'));
    expect(stream.take()).toBe('10%');
    stream.feed(bytes('\r20%'));
    expect(stream.take()).toBe('\n20%');
    expect(stream.feed(bytes('\r30%\r\n'))).toBe('\n30%\n');
  });

  it('is not given again when it was only redrawn as it was', () => {
    const stream = new PlainText();
    stream.feed(bytes('10%'));
    stream.take();
    stream.feed(bytes('\r10%'));
    expect(stream.take()).toBe('');
  });

  it('gives nothing while it is erased, and the next drawing after that', () => {
    const stream = new PlainText();
    stream.feed(bytes('| working'));
    stream.take();
    stream.feed(bytes('\r\x1b[K'));
    expect(stream.take()).toBe('');
    expect(stream.feed(bytes('done\n'))).toBe('\ndone\n');
  });

  it('gives a line over the limit out in pieces, without a newline between', () => {
    const stream = new PlainText(100);
    const line = 'abcdefghij'.repeat(35);
    const given = [...line].map((char) => stream.feed(bytes(char))).join('');
    expect(given).toBe(line.slice(0, 300));
    expect(stream.partial()).toBe(line.slice(300));
    expect(given + stream.feed(bytes('\n'))).toBe(`${line}\n`);
  });
});

describe('lastLines', () => {
  it('gives the last lines that are not blank', () => {
    expect(lastLines('one\n\ntwo  \n  \nthree\n\n', 2)).toEqual(['two', 'three']);
    expect(lastLines('one', 5)).toEqual(['one']);
    expect(lastLines('\none\n', 5)).toEqual(['one']);
    expect(lastLines('', 5)).toEqual([]);
    expect(lastLines('\n\n', 5)).toEqual([]);
  });
});
