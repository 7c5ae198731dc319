import { MAX_FRAME_BYTES, PREFIX_BYTES } from '../../shared/protocol/frame.ts';

/**
 * Cuts what a socket brings into frames. Each frame has an ArrayBuffer of exactly its own size: structured clone
 * copies the whole buffer under a view, so a view of 30 bytes into a read of 64 KiB would cost 64 KiB a message.
 *
 * The returned function throws RangeError at a frame above `limit` bytes; the stream cannot be read on after that.
 */
export function createFramer(
  onFrame: (stream: number, frame: Uint8Array) => void,
  limit: number = MAX_FRAME_BYTES,
): (chunk: Uint8Array) => void {
  const prefix = new Uint8Array(PREFIX_BYTES);
  const view = new DataView(prefix.buffer);
  let prefixHas = 0;
  let frame: Uint8Array | null = null;
  let frameHas = 0;
  return (chunk) => {
    let at = 0;
    for (;;) {
      if (frame === null) {
        const count = Math.min(PREFIX_BYTES - prefixHas, chunk.length - at);
        prefix.set(chunk.subarray(at, at + count), prefixHas);
        prefixHas += count;
        at += count;
        if (prefixHas < PREFIX_BYTES) return;
        const length = view.getUint32(0, true);
        if (length > limit) throw new RangeError(`a frame of ${length} bytes is over the limit of ${limit}`);
        frame = new Uint8Array(length);
        frameHas = 0;
      }
      const count = Math.min(frame.length - frameHas, chunk.length - at);
      frame.set(chunk.subarray(at, at + count), frameHas);
      frameHas += count;
      at += count;
      if (frameHas < frame.length) return;
      const whole = frame;
      frame = null;
      prefixHas = 0;
      onFrame(view.getUint32(4, true), whole);
    }
  };
}

/** What precedes a frame of `length` bytes of the given stream on the socket. */
export function framePrefix(stream: number, length: number): Uint8Array {
  const prefix = new Uint8Array(PREFIX_BYTES);
  const view = new DataView(prefix.buffer);
  view.setUint32(0, length, true);
  view.setUint32(4, stream, true);
  return prefix;
}
