import { expect, it } from 'vitest';
import { type FrameSink, type OutputSource, Viewer } from '../../../electron/pty-host/viewer.ts';
import { VIEWER_HIGH_BYTES, VIEWER_LOW_BYTES } from '../../../shared/limits.ts';
import type { LogPart } from '../../../shared/model/log-part.ts';
import { decodeFrame, type Frame, FrameType } from '../../../shared/protocol/frame.ts';
import { until } from '../../support/host.ts';

class Source implements OutputSource {
  readonly generation = 42;
  content = Buffer.alloc(0);
  isFinal = false;
  isGone = false;
  reads = 0;

  get bytes(): number {
    return this.content.length;
  }

  /** Up to here nothing is kept. */
  gapEnd = 0;

  read(offset: number, length: number): Promise<LogPart> {
    this.reads++;
    const from = Math.max(offset, this.gapEnd);
    return this.isGone
      ? Promise.reject(new Error('gone'))
      : Promise.resolve({ from, bytes: this.content.subarray(from, from + length) });
  }

  grow(viewer: Viewer, bytes: Buffer): void {
    const offset = this.bytes;
    this.content = Buffer.concat([this.content, bytes]);
    viewer.onWritten(offset, bytes);
  }
}

class Sink implements FrameSink {
  frames: Frame[] = [];
  isCongested = false;

  post(frame: Uint8Array): void {
    this.frames.push(decodeFrame(frame));
  }

  get data(): Buffer {
    return Buffer.concat(this.frames.filter(({ type }) => type === FrameType.data).map(({ bytes }) => bytes));
  }

  get types(): number[] {
    return this.frames.map(({ type }) => type);
  }
}

const pattern = (size: number) => Buffer.from(Array.from({ length: size }, (_, i) => (i * 7) & 255));

it('gives new bytes without reading them back', () => {
  const source = new Source();
  const sink = new Sink();
  const viewer = new Viewer(source, sink, { generation: 42, offset: 0 });
  source.grow(viewer, Buffer.from('one'));
  source.grow(viewer, Buffer.from('two'));
  expect(sink.frames.map(({ offset }) => offset)).toEqual([0, 3]);
  expect(sink.data.toString()).toBe('onetwo');
  expect(source.reads).toBe(0);
});

it('goes on from a known place, and begins anew from any other', async () => {
  const source = new Source();
  source.content = Buffer.from('0123456789');
  const places = [
    { from: { generation: 42, offset: 4 }, first: FrameType.data, data: '456789' },
    { from: { generation: 41, offset: 4 }, first: FrameType.reset, data: '0123456789' },
    { from: { generation: 42, offset: 11 }, first: FrameType.reset, data: '0123456789' },
    { from: { generation: 42, offset: -1 }, first: FrameType.reset, data: '0123456789' },
    { from: { generation: 42, offset: 1.5 }, first: FrameType.reset, data: '0123456789' },
    { from: null, first: FrameType.reset, data: '0123456789' },
  ];
  for (const { from, first, data } of places) {
    const sink = new Sink();
    new Viewer(source, sink, from);
    await until('the data', () => (sink.data.toString() === data ? true : undefined));
    expect(sink.types[0]).toBe(first);
  }
});

it('never has more than the window on the way, and goes on below the low mark', async () => {
  const source = new Source();
  const sink = new Sink();
  const viewer = new Viewer(source, sink, { generation: 42, offset: 0 });
  const all = pattern(2 * VIEWER_HIGH_BYTES);
  for (let at = 0; at < all.length; at += 50_000) source.grow(viewer, all.subarray(at, at + 50_000));
  expect(sink.data.length).toBe(VIEWER_HIGH_BYTES);
  viewer.ack(VIEWER_HIGH_BYTES - VIEWER_LOW_BYTES); // exactly at the low mark: not below
  await Promise.resolve();
  expect(sink.data.length).toBe(VIEWER_HIGH_BYTES);
  let acked = VIEWER_HIGH_BYTES - VIEWER_LOW_BYTES;
  await until('the rest', () => {
    expect(sink.data.length - acked).toBeLessThanOrEqual(VIEWER_HIGH_BYTES);
    acked = sink.data.length;
    viewer.ack(acked);
    return acked === all.length ? true : undefined;
  });
  expect(sink.data.equals(all)).toBe(true);
});

it('an ack of what was never sent, or of nonsense, opens nothing', () => {
  const source = new Source();
  const sink = new Sink();
  const viewer = new Viewer(source, sink, { generation: 42, offset: 0 });
  source.grow(viewer, pattern(VIEWER_HIGH_BYTES + 1_000));
  expect(sink.data.length).toBe(VIEWER_HIGH_BYTES);
  viewer.ack(Number.NaN);
  viewer.ack(-5);
  expect(sink.data.length).toBe(VIEWER_HIGH_BYTES);
  viewer.ack(Number.POSITIVE_INFINITY); // all that was sent, and not a byte more
  return until('the rest', () => (sink.data.length === VIEWER_HIGH_BYTES + 1_000 ? true : undefined));
});

it('waits while the way is congested', async () => {
  const source = new Source();
  const sink = new Sink();
  const viewer = new Viewer(source, sink, { generation: 42, offset: 0 });
  sink.isCongested = true;
  source.grow(viewer, Buffer.from('later'));
  expect(sink.frames).toEqual([]);
  sink.isCongested = false;
  viewer.pump();
  await until('the data', () => (sink.data.toString() === 'later' ? true : undefined));
});

it('tells the exit once, after the last byte', async () => {
  const source = new Source();
  const sink = new Sink();
  const viewer = new Viewer(source, sink, { generation: 42, offset: 0 });
  source.content = pattern(VIEWER_HIGH_BYTES + 10);
  viewer.pump();
  source.isFinal = true;
  viewer.pump();
  await until('the window', () => (sink.data.length === VIEWER_HIGH_BYTES ? true : undefined));
  expect(sink.types).not.toContain(FrameType.exit);
  viewer.ack(VIEWER_HIGH_BYTES);
  await until('the exit', () => (sink.types.includes(FrameType.exit) ? true : undefined));
  viewer.pump();
  expect(sink.types.filter((type) => type === FrameType.exit)).toHaveLength(1);
  expect(sink.frames.at(-1)?.offset).toBe(VIEWER_HIGH_BYTES + 10);
  expect(sink.data.length).toBe(VIEWER_HIGH_BYTES + 10);
});

it('shows a gap when the log is gone, and goes on behind it', async () => {
  const source = new Source();
  source.content = Buffer.from('lost');
  source.isGone = true;
  const sink = new Sink();
  const viewer = new Viewer(source, sink, { generation: 42, offset: 0 });
  await until('the reset', () => (sink.types.includes(FrameType.reset) ? true : undefined));
  expect(sink.frames[0]?.offset).toBe(4);
  source.grow(viewer, Buffer.from('new'));
  expect(sink.frames.at(-1)).toMatchObject({ type: FrameType.data, offset: 4 });
});

it('sends nothing after it is closed', () => {
  const source = new Source();
  const sink = new Sink();
  const viewer = new Viewer(source, sink, { generation: 42, offset: 0 });
  viewer.close();
  source.grow(viewer, Buffer.from('x'));
  expect(sink.frames).toEqual([]);
});

it('tells of a gap by a reset at the offset behind it', async () => {
  const source = new Source();
  source.content = pattern(1_000);
  source.gapEnd = 600;
  source.isFinal = true;
  const sink = new Sink();
  new Viewer(source, sink, { generation: 42, offset: 100 });
  await until('the end', () => (sink.types.includes(FrameType.exit) ? true : undefined));
  expect(sink.frames.map(({ type, offset }) => [type, offset])).toEqual([
    [FrameType.reset, 600],
    [FrameType.data, 600],
    [FrameType.exit, 1_000],
  ]);
  expect(sink.data.equals(source.content.subarray(600))).toBe(true);
});
