import { describe, expect, it } from 'vitest';
import { binaryNotice, splitBinary } from '../../../shared/text/binary.ts';

const encode = (text: string) => new TextEncoder().encode(text);
/** The sizes of the parts; those of data in brackets. */
const shape = (bytes: Uint8Array) =>
  splitBinary(bytes).map((part) => (part.isBinary ? `[${part.bytes.length}]` : `${part.bytes.length}`));

/** Bytes as a compressed file has them: all values, none more often than others. */
function noise(size: number): Uint8Array {
  let state = 1;
  return Uint8Array.from({ length: size }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 24;
  });
}
/** Bytes as a program has them: small numbers in words of four, and names. */
const program = Uint8Array.from({ length: 8_192 }, (_, i) => (i % 4 === 0 ? (i / 4) & 0x7f : 0));

describe('what is no text', () => {
  it.each([
    ['nothing', new Uint8Array(), []],
    ['text', encode('plain\n'), ['6']],
    ['text in UTF-8', encode('ünï 漢字 🚂\r\n'.repeat(200)), [`${200 * 19}`]],
    ['escape sequences', encode('\x1b[31mred\x1b[0m\x1b]0;t\x07\b\t\r\n'), ['22']],
    ['a few bytes that are not UTF-8', Uint8Array.of(0x61, 0xff, 0xfe, 0x62), ['4']],
    ['a character that is cut at both ends', Uint8Array.of(0x82, 0xac, 0x61, 0xe2, 0x82), ['5']],
    [
      'words in Latin-1',
      Buffer.from('caf\xe9 au lait, d\xe9j\xe0 vu, no\xebl\n'.repeat(50), 'latin1'),
      ['1400'],
    ],
    ['names between NULs', encode('./some/folder/name.txt\0'.repeat(100)), ['2300']],
    ['a NUL alone', encode('\0'), ['[1]']],
    ['NULs and controls', encode('\x7fELF\x02\x01\x01\0\0\0\0'), ['[11]']],
    ['a program', program, ['[8192]']],
    ['noise', noise(100_000), ['[100000]']],
    ['little noise', noise(100), ['[100]']],
    ['UTF-16', Buffer.from('hello world\n', 'utf16le'), ['[24]']],
  ])('%s', (_, bytes, expected) => {
    expect(shape(bytes)).toEqual(expected);
  });

  it('is cut out of the text around it', () => {
    const before = encode('compiling\n'.repeat(900));
    const after = encode('\nlinking\n'.repeat(900));
    const parts = splitBinary(Buffer.concat([before, program, after]));
    expect(parts.map((part) => part.isBinary)).toEqual([false, true, false]);
    expect(Buffer.from(parts[0]?.bytes ?? []).equals(before)).toBe(true);
    expect(Buffer.from(parts[2]?.bytes ?? []).equals(after)).toBe(true);
  });

  it('is one piece with the strings in it', () => {
    const strings = encode('a_name_in_a_symbol_table '.repeat(100));
    expect(shape(Buffer.concat([program, strings, program]))).toEqual([`[${2 * 8_192 + 2_500}]`]);
  });

  it('has a notice of one line with its size', () => {
    expect(binaryNotice(123)).toMatch(/^\[binary output, 123 bytes, [^\n]+\]$/);
  });
});
