import { expect, it } from 'vitest';
import { makeReadout, unreadRange } from '../../../electron/supervisor/readout.ts';
import { readNewest } from '../../../electron/supervisor/unread.ts';

const plain = async (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/** A log of which only some parts are there, read at most `most` bytes at a time. */
function logOf(text: string, kept: readonly [from: number, to: number][], most = Number.MAX_SAFE_INTEGER) {
  return {
    readLogRange: async (_id: string, from: number, to: number) => {
      const part = kept.find(([, end]) => end > from);
      const begin = Math.max(from, part?.[0] ?? from);
      const end = Math.min(to, part?.[1] ?? begin, begin + most);
      return begin >= to
        ? { from: Math.max(from, to), bytes: new Uint8Array(0) }
        : { from: begin, bytes: new TextEncoder().encode(text.slice(begin, end)) };
    },
  };
}

const text = 'abcdefghijklmnopqrstuvwxyz';
const newest = async (kept: [number, number][], from: number, to: number, most?: number) => {
  const part = await readNewest(logOf(text, kept, most), 'c', from, to);
  return [part.from, new TextDecoder().decode(part.bytes)];
};

it('a whole log is read whole, however it comes', async () => {
  expect(await newest([[0, 26]], 3, 20)).toEqual([3, text.slice(3, 20)]);
  expect(await newest([[0, 26]], 3, 20, 4)).toEqual([3, text.slice(3, 20)]);
});

it('of a log with a gap what begins behind the last one is read', async () => {
  const kept: [number, number][] = [
    [0, 4],
    [10, 15],
    [20, 26],
  ];
  expect(await newest(kept, 2, 26)).toEqual([20, 'uvwxyz']);
  expect(await newest(kept, 5, 12)).toEqual([10, 'kl']);
  expect(await newest(kept, 5, 8)).toEqual([8, '']);
});

it('a readout over a gap counts what is gone, once, and ends where the log does', async () => {
  const read = async (cursor: number, end: number) => {
    const { from, to } = unreadRange(cursor, end);
    const part = await readNewest(
      logOf(text, [
        [0, 4],
        [10, 26],
      ]),
      'c',
      from,
      to,
    );
    return makeReadout(cursor, part.from, part.bytes, false, 1_000, plain);
  };
  expect(await read(2, 20)).toMatchObject({ text: 'klmnopqrst', droppedBytes: 8, newBytes: 18, cursor: 20 });
  expect(await read(2, 7)).toMatchObject({ text: 'cd', droppedBytes: 0, cursor: 4 });
  expect(await read(4, 7)).toMatchObject({ text: '', droppedBytes: 3, newBytes: 3, cursor: 7 });
  expect(await read(7, 12)).toMatchObject({ text: 'kl', droppedBytes: 3, cursor: 12 });
});

it('a log that is gone counts as dropped', async () => {
  const host = { readLogRange: () => Promise.reject(new Error('ENOENT')) };
  const part = await readNewest(host, 'c', 5, 20);
  const readout = await makeReadout(5, part.from, part.bytes, true, 1_000, plain);
  expect(readout).toMatchObject({ text: '', droppedBytes: 15, newBytes: 15, cursor: 20 });
});
