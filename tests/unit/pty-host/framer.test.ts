import { expect, it } from 'vitest';
import { createFramer, framePrefix } from '../../../electron/pty-host/framer.ts';
import { MAX_FRAME_BYTES } from '../../../shared/protocol/frame.ts';

const frames: [number, Uint8Array][] = [
  [0, Uint8Array.of(1, 2, 3)],
  [7, new Uint8Array(0)],
  [4_000_000_000, Uint8Array.from({ length: 300 }, (_, i) => i & 255)],
];
const wire = Buffer.concat(frames.flatMap(([stream, bytes]) => [framePrefix(stream, bytes.length), bytes]));

function read(parts: readonly Uint8Array[]): [number, Uint8Array][] {
  const got: [number, Uint8Array][] = [];
  const feed = createFramer((stream, frame) => got.push([stream, frame]));
  for (const part of parts) feed(part);
  return got;
}

it('cuts the same frames wherever the chunks are cut', () => {
  for (let a = 0; a <= wire.length; a++) {
    expect(read([wire.subarray(0, a), wire.subarray(a)])).toEqual(frames);
  }
  expect(read(Array.from(wire, (_, at) => wire.subarray(at, at + 1)))).toEqual(frames);
});

it('gives each frame a buffer of exactly its own size', () => {
  for (const [, frame] of read([wire])) expect(frame.buffer.byteLength).toBe(frame.length);
});

it('does not share memory with the chunk', () => {
  const chunk = Uint8Array.from(wire);
  const got = read([chunk]);
  chunk.fill(255);
  expect(got).toEqual(frames);
});

it('throws at a frame above the limit, before it makes room for it', () => {
  const feed = createFramer(() => {});
  expect(() => feed(framePrefix(1, MAX_FRAME_BYTES + 1))).toThrow(RangeError);
  expect(() => createFramer(() => {}, 10)(framePrefix(1, 11))).toThrow(RangeError);
});
