import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makeReadout, unreadRange } from '../../../electron/supervisor/readout.ts';
import { UNREAD_WINDOW_BYTES } from '../../../shared/limits.ts';

const encode = (text: string) => new TextEncoder().encode(text);

describe('readouts', () => {
  test('each byte reaches exactly one of them, whatever the cuts', () => {
    const text = fc
      .array(fc.constantFrom('a', 'ä', '漢', '😀', '\n', ' ', 'xyz'), { maxLength: 60 })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, fc.array(fc.nat(300), { maxLength: 8 }), (whole, cuts) => {
        const log = encode(whole);
        const ends = [...cuts.map((cut) => Math.min(cut, log.length)).sort((a, b) => a - b), log.length];
        let cursor = 0;
        let given = '';
        ends.forEach((end, index) => {
          const { from, to } = unreadRange(cursor, end);
          const readout = makeReadout(cursor, from, log.subarray(from, to), index === ends.length - 1, 8_192);
          expect(readout.droppedBytes).toBe(0);
          given += readout.text;
          cursor = readout.cursor;
        });
        expect(given).toBe(whole);
        expect(cursor).toBe(log.length);
      }),
    );
  });

  test('an escape sequence that is cut anywhere never leaks', () => {
    const whole = encode('a\x1b[31mred\x1b[0m\x1b]0;title\x07b\x1bPdcs\x1b\\c');
    for (let cut = 0; cut <= whole.length; cut++) {
      const first = makeReadout(0, 0, whole.subarray(0, cut), false, 8_192);
      const second = makeReadout(first.cursor, first.cursor, whole.subarray(first.cursor), true, 8_192);
      expect(first.text + second.text).toBe('aredbc');
    }
  });

  test('what is older than the unread window is dropped and counted', () => {
    const log = encode('x'.repeat(UNREAD_WINDOW_BYTES + 1_000));
    const { from, to } = unreadRange(0, log.length);
    const readout = makeReadout(0, from, log.subarray(from, to), true, 1);
    expect(from).toBe(1_000);
    expect(readout.cursor).toBe(log.length);
    expect(readout.newBytes).toBe(log.length);
    expect(readout.isTruncated).toBe(true);
    // All readouts plus dropped bytes are the captured text; the marker line is not part of it.
    const kept = readout.text.replaceAll(/[^x]/g, '').length;
    expect(kept + readout.droppedBytes).toBe(log.length);
  });
});
