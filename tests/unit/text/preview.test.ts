import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  completionTail,
  PREVIEW_MARKER,
  PreviewBuilder,
  preview,
  truncateToTokens,
} from '../../../shared/text/preview.ts';
import { headOfBytes, tailOfBytes, utf8Length } from '../../../shared/text/utf8.ts';

const encoded = (text: string): number => new TextEncoder().encode(text).length;
const points = (text: string): string[] => Array.from(text);
const text = fc.string({ unit: fc.constantFrom('a', 'é', '€', '🚂', '\n'), maxLength: 300 });

describe('preview', () => {
  it('has a marker of 47 code points in one line', () => {
    expect(points(PREVIEW_MARKER)).toHaveLength(47);
    expect(PREVIEW_MARKER).toMatch(/^\n[^\n]+\n$/);
  });

  it.each(['x', '🚂', '€'])('shows 12,000 code points of %s whole', (char) => {
    const whole = char.repeat(12_000);
    const bytes = encoded(whole);
    expect(preview(whole)).toEqual({
      text: whole,
      isTruncated: false,
      originalBytes: bytes,
      visibleBytes: bytes,
    });
  });

  it.each(['x', '🚂'])('cuts 12,001 code points of %s to exactly 12,000', (char) => {
    const whole = `H${char.repeat(11_999)}T`;
    const cut = preview(whole);
    expect(points(cut.text)).toHaveLength(12_000);
    expect(cut.text).toBe(`H${char.repeat(5_999)}${PREVIEW_MARKER}${char.repeat(5_952)}T`);
    expect(cut).toMatchObject({ isTruncated: true, originalBytes: encoded(whole) });
    expect(cut.visibleBytes).toBe(encoded(cut.text) - encoded(PREVIEW_MARKER));
  });

  it('is the same when it is built of pieces', () => {
    const piece = fc.string({ unit: fc.constantFrom('a', '€', '🚂'), maxLength: 4_000 });
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const builder = new PreviewBuilder();
        for (const part of pieces) builder.add(part);
        expect(builder.result()).toEqual(preview(pieces.join('')));
      }),
      { numRuns: 50 },
    );
    const builder = new PreviewBuilder();
    for (let i = 0; i < 40; i += 1) builder.add(`${i} ${'x'.repeat(10_000)}`);
    expect(builder.result().text.endsWith('x'.repeat(5_953))).toBe(true);
  });
});

describe('truncateToTokens', () => {
  it('leaves alone what fits: four bytes a token, rounded up', () => {
    expect(truncateToTokens('x'.repeat(400), 100)).toEqual({
      text: 'x'.repeat(400),
      isTruncated: false,
      omittedBytes: 0,
    });
    expect(truncateToTokens('x'.repeat(401), 100).isTruncated).toBe(true);
    expect(truncateToTokens('🚂'.repeat(100), 100).isTruncated).toBe(false);
  });

  it('keeps head and tail, names what is missing, and stays within the tokens', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 12, max: 60 }), (whole, tokens) => {
        const cut = truncateToTokens(whole, tokens);
        expect(Math.ceil(encoded(cut.text) / 4)).toBeLessThanOrEqual(tokens);
        if (!cut.isTruncated) {
          expect(cut.text).toBe(whole);
          return;
        }
        const marker = `\n[... ${cut.omittedBytes} bytes left out ...]\n`;
        const [head = '', tail = ''] = cut.text.split(marker);
        expect(whole.startsWith(head) && whole.endsWith(tail)).toBe(true);
        expect(encoded(head) + encoded(tail) + cut.omittedBytes).toBe(encoded(whole));
        expect(cut.text).not.toContain('\ufffd');
      }),
    );
  });

  it('gives the marker alone when the tokens cannot hold more', () => {
    expect(truncateToTokens('x'.repeat(500), 1)).toEqual({
      text: '\n[... 500 bytes left out ...]\n',
      isTruncated: true,
      omittedBytes: 500,
    });
  });
});

describe('completionTail', () => {
  const lines = (count: number): string =>
    Array.from({ length: count }, (_, i) => `line ${i + 1}`).join('\n');

  it('is the text when that is short', () => {
    expect(completionTail('one\n\ntwo\n\n')).toBe('one\n\ntwo');
    expect(completionTail('')).toBe('');
    expect(completionTail(lines(50))).toBe(lines(50));
  });

  it('is the last 50 lines', () => {
    expect(completionTail(lines(51)).split('\n')).toEqual(['…', ...lines(51).split('\n').slice(1)]);
  });

  it('is at most 4,096 bytes, cut at a character', () => {
    expect(completionTail('x'.repeat(4096))).toBe('x'.repeat(4096));
    expect(completionTail('x'.repeat(4097))).toBe(`…${'x'.repeat(4093)}`);
    for (let lead = 0; lead < 4; lead += 1) {
      const cut = completionTail(`${'🚂'.repeat(1100)}${'x'.repeat(lead)}`);
      expect(cut).toMatch(/^…🚂+x*$/u);
      expect(encoded(cut)).toBeLessThanOrEqual(4096);
      expect(encoded(cut)).toBeGreaterThan(4092);
    }
  });
});

describe('utf8', () => {
  it('counts and cuts as an encoder would', () => {
    const any = fc.string({ unit: 'binary', maxLength: 60 });
    fc.assert(
      fc.property(any, fc.nat(80), (whole, bytes) => {
        expect(utf8Length(whole)).toBe(encoded(whole));
        const head = headOfBytes(whole, bytes);
        const tail = tailOfBytes(whole, bytes);
        expect(whole.startsWith(head) && whole.endsWith(tail)).toBe(true);
        expect(Math.max(encoded(head), encoded(tail))).toBeLessThanOrEqual(bytes);
        const next = points(whole.slice(head.length))[0];
        if (next !== undefined) expect(encoded(head + next)).toBeGreaterThan(bytes);
        const before = points(whole.slice(0, whole.length - tail.length)).at(-1);
        if (before !== undefined) expect(encoded(before + tail)).toBeGreaterThan(bytes);
      }),
    );
  });

  it('counts a lone surrogate as the replacement character', () => {
    expect(utf8Length('a\ud800b')).toBe(encoded('a\ud800b'));
  });
});
