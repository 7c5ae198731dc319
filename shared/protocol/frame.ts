/**
 * One frame of output or input, from the host's batch to xterm.write, never re-encoded:
 *
 *     u8 type | 3 unused | u32 generation | f64 offset | bytes        (little endian)
 *
 * On the socket each frame is preceded by `u32 length | u32 stream`. Stream 0 carries JSON (host.ts).
 */
export const HEADER_BYTES = 16;
export const PREFIX_BYTES = 8;
export const MAX_FRAME_BYTES = 1024 * 1024;

/**
 * To the viewer: `data`, `reset` (begin anew at the offset), `exit` (no more follows the offset).
 * From the viewer: `ack` (parsed up to the offset), `input`, `resize` (generation holds cols << 16 | rows).
 */
export const FrameType = { data: 1, reset: 2, exit: 3, ack: 4, input: 5, resize: 6 } as const;
export type FrameType = (typeof FrameType)[keyof typeof FrameType];

export interface Frame {
  readonly type: number;
  readonly generation: number;
  readonly offset: number;
  readonly bytes: Uint8Array;
}

/** Writes a header at the beginning of `to`, which holds at least HEADER_BYTES. */
export function writeHeader(to: Uint8Array, type: FrameType, generation: number, offset: number): void {
  const view = new DataView(to.buffer, to.byteOffset, HEADER_BYTES);
  view.setUint8(0, type);
  view.setUint32(4, generation, true);
  view.setFloat64(8, offset, true);
}

/** A frame with its own exact buffer: structured clone copies the whole buffer under a view. */
export function encodeFrame(
  type: FrameType,
  generation: number,
  offset: number,
  bytes?: Uint8Array,
): Uint8Array {
  const frame = new Uint8Array(HEADER_BYTES + (bytes?.length ?? 0));
  writeHeader(frame, type, generation, offset);
  if (bytes) frame.set(bytes, HEADER_BYTES);
  return frame;
}

/** Reads a frame without copying its bytes. Throws RangeError when it is shorter than a header. */
export function decodeFrame(frame: Uint8Array): Frame {
  const view = new DataView(frame.buffer, frame.byteOffset, HEADER_BYTES);
  return {
    type: view.getUint8(0),
    generation: view.getUint32(4, true),
    offset: view.getFloat64(8, true),
    bytes: frame.subarray(HEADER_BYTES),
  };
}
