import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { screenText } from '../../../electron/agent/screen-text.ts';
import { makeReadout, unreadRange } from '../../../electron/supervisor/readout.ts';
import { UNREAD_WINDOW_BYTES } from '../../../shared/limits.ts';

const encode = (text: string) => new TextEncoder().encode(text);
const read = (cursor: number, from: number, bytes: Uint8Array, isEnd: boolean, maxTokens = 8_192) =>
  makeReadout(cursor, from, bytes, isEnd, maxTokens, screenText);

/** All readouts of a log that is read at these places, and at its end. */
async function readAll(log: Uint8Array, cuts: readonly number[]) {
  const ends = [...cuts.map((cut) => Math.min(cut, log.length)).sort((a, b) => a - b), log.length];
  let cursor = 0;
  let given = '';
  let dropped = 0;
  for (const [index, end] of ends.entries()) {
    const { from, to } = unreadRange(cursor, end);
    const readout = await read(cursor, from, log.subarray(from, to), index === ends.length - 1);
    given += readout.text;
    dropped += readout.droppedBytes;
    cursor = readout.cursor;
  }
  return { given, dropped, cursor };
}

describe('readouts', () => {
  test('each byte reaches exactly one of them, whatever the cuts', async () => {
    const text = fc
      .array(fc.constantFrom('a', 'ä', '漢', '😀', '\n', ' ', 'xyz'), { maxLength: 60 })
      .map((parts) => parts.join(''));
    await fc.assert(
      fc.asyncProperty(text, fc.array(fc.nat(300), { maxLength: 8 }), async (whole, cuts) => {
        const log = encode(whole);
        expect(await readAll(log, cuts)).toEqual({ given: whole, dropped: 0, cursor: log.length });
      }),
    );
  });

  test('an escape sequence that is cut anywhere never leaks', async () => {
    const whole = encode('a\x1b[31mred\x1b[0m\x1b]0;title\x07b\x1bPdcs\x1b\\c');
    for (let cut = 0; cut <= whole.length; cut++)
      expect((await readAll(whole, [cut])).given, `cut at ${cut}`).toBe('aredbc');
  });

  test('titles, strings and what never ends do not leak, whatever the cuts', async () => {
    const secrets = ['\x1b]0;SECRET\x07', '\x1b]8;;SECRET\x1b\\', '\x1bPSECRET\x1b\\', '\x1b_SECRET\x18'];
    const part = fc.constantFrom(
      ...secrets,
      'a',
      'ü',
      '\r\n',
      '\x1b[1m',
      '\x1b[K',
      '\x1b[2A',
      '\x1b[H\x1b[2J',
    );
    const unfinished = fc.constantFrom('', '\x1b]0;SECRET', '\x1bPSECRET', '\x1b[38;5', '\x1b');
    await fc.assert(
      fc.asyncProperty(
        fc.array(part, { maxLength: 20 }),
        unfinished,
        fc.array(fc.nat(150), { maxLength: 5 }),
        async (parts, rest, cuts) => {
          const log = encode(parts.join('') + rest);
          const { given, cursor } = await readAll(log, cuts);
          expect(given).toMatch(/^[aü \n]*$/);
          expect(cursor).toBe(log.length);
        },
      ),
      { numRuns: 300 },
    );
  });

  test('lines that are drawn over are told as they stand', async () => {
    const frames = Array.from(
      { length: 20 },
      (_, i) =>
        `${i > 0 ? '\x1b[3A' : ''}${[1, 2, 3].map((n) => `\x1b[2Klayer ${n}: ${i * 5} %\r\n`).join('')}`,
    );
    const log = encode(`pulling\r\n${frames.join('')}done\r\n`);
    const { given } = await readAll(log, []);
    expect(given).toBe('pulling\nlayer 1: 95 %\nlayer 2: 95 %\nlayer 3: 95 %\ndone\n');
  });

  test('data is a notice with its size, is counted, and the text around it stays', async () => {
    const data = Uint8Array.from({ length: 3_000 }, (_, i) => (i * 197 + (i >> 3)) & 0xff);
    const log = Buffer.concat([encode('begin\r\n'), data, encode('\r\nend\r\n')]);
    const readout = await read(0, 0, log, true);
    const size = Number(/binary output, (\d+) bytes/.exec(readout.text)?.[1]);
    expect(readout.text).toMatch(/^begin\n\[binary output, \d+ bytes, not shown[^\n]*\]\n[^\n]*\nend\n$/);
    expect(size).toBeGreaterThan(2_980);
    expect(readout).toMatchObject({ isTruncated: true, droppedBytes: size, cursor: log.length });
  });

  test('what is older than the unread window is dropped and counted', async () => {
    const log = encode('x'.repeat(UNREAD_WINDOW_BYTES + 1_000));
    const { from, to } = unreadRange(0, log.length);
    const readout = await read(0, from, log.subarray(from, to), true, 1);
    expect(from).toBe(1_000);
    expect(readout.cursor).toBe(log.length);
    expect(readout.newBytes).toBe(log.length);
    expect(readout.isTruncated).toBe(true);
    // All readouts plus dropped bytes are the captured text; the marker line is not part of it.
    const kept = readout.text.replaceAll(/[^x]/g, '').length;
    expect(kept + readout.droppedBytes).toBe(log.length);
  });
});
