import { expect, it } from 'vitest';
import { EndMark } from '../../../electron/pty-host/end-mark.ts';
import { MarkFilter } from '../../../electron/pty-host/mark-filter.ts';

const mark = Buffer.from('\x1b]7777;123456;0\x07');
const before = Buffer.from('ab\x1b]7777;12345\x1b\x1b]7777;1234567;0\x07'); // beginnings of marks, and a longer one
const after = Buffer.from('after\x1b]7777;');

function filter(parts: readonly Buffer[]): { bytes: Buffer; markAt: number; marks: number } {
  const out: Uint8Array[] = [];
  let markAt = -1;
  let marks = 0;
  const under = new MarkFilter(
    (bytes) => out.push(Uint8Array.from(bytes)),
    () => {
      markAt = Buffer.concat(out).length;
      marks++;
    },
  );
  under.expect(mark);
  for (const part of parts) under.feed(part);
  under.flush();
  return { bytes: Buffer.concat(out), markAt, marks };
}

it('finds and removes the mark at every pair of cuts', () => {
  const all = Buffer.concat([before, mark, after]);
  let tried = 0;
  for (let a = 0; a <= all.length; a++) {
    for (let b = a; b <= all.length; b++) {
      const { bytes, markAt, marks } = filter([all.subarray(0, a), all.subarray(a, b), all.subarray(b)]);
      expect(bytes.equals(Buffer.concat([before, after])), `cut at ${a} and ${b}`).toBe(true);
      expect([markAt, marks]).toEqual([before.length, 1]);
      tried++;
    }
  }
  expect(tried).toBe(((all.length + 1) * (all.length + 2)) / 2);
});

it('finds it byte by byte', () => {
  const all = Buffer.concat([before, mark, after]);
  const { bytes, markAt } = filter(Array.from(all, (_, at) => all.subarray(at, at + 1)));
  expect(bytes.equals(Buffer.concat([before, after]))).toBe(true);
  expect(markAt).toBe(before.length);
});

it('removes one mark, not a second one that nobody expects', () => {
  const { bytes, marks } = filter([Buffer.concat([mark, mark])]);
  expect(bytes.equals(mark)).toBe(true);
  expect(marks).toBe(1);
});

it('gives out what it held back when nothing more comes', () => {
  const half = mark.subarray(0, 9);
  expect(filter([half]).bytes.equals(half)).toBe(true);
});

it('holds nothing back that cannot be the mark', () => {
  const out: string[] = [];
  const under = new MarkFilter(
    (bytes) => out.push(Buffer.from(bytes).toString()),
    () => {},
  );
  under.expect(mark);
  under.feed(Buffer.from('$ '));
  expect(out).toEqual(['$ ']);
});

it('two marks are different, and hold digits only', () => {
  const one = new EndMark();
  const other = new EndMark();
  expect(one.nonce).toMatch(/^\d{24}$/);
  expect(one.bytes(0).equals(other.bytes(0))).toBe(false);
  expect(one.bytes(0).equals(one.bytes(1))).toBe(false);
});
