import type { StreamRequest } from '../../shared/contract/calls.ts';
import { HEADER_BYTES, MAX_FRAME_BYTES } from '../../shared/protocol/frame.ts';

/** The bytes of a command, as the client of the pty host gives them. */
export interface ByteStream {
  /** Sends a frame of the viewer to the host. */
  post(frame: Uint8Array): void;
  close(): void;
}

export interface StreamListener {
  onFrame(frame: Uint8Array): void;
  /** No frame follows: the host is gone, or it ended the stream. */
  onClose(): void;
}

/** Opens the bytes of a command; null when it cannot be done just now. */
export type OpenStream = (request: StreamRequest, listener: StreamListener) => Promise<ByteStream | null>;

/** The part of Electron's MessagePortMain that is needed. */
export interface RelayPort {
  on(event: 'message', listener: (event: { readonly data: unknown }) => void): unknown;
  on(event: 'close', listener: () => void): unknown;
  start(): void;
  postMessage(message: unknown): void;
  close(): void;
}

/**
 * Joins a port of the page with the bytes of a command. Frames are passed on as they come, both ways, and
 * never read: only what is no frame at all is dropped. When one side ends, so does the other. Resolves to the
 * way to end both, or to null when the stream cannot be opened.
 */
export async function relayStream(
  port: RelayPort,
  request: StreamRequest,
  open: OpenStream,
): Promise<(() => void) | null> {
  let stream: ByteStream | null = null;
  let isEnded = false;
  const end = (): void => {
    if (isEnded) return;
    isEnded = true;
    stream?.close();
    port.close();
  };
  port.on('close', end);
  port.on('message', ({ data }) => {
    if (!isEnded && isFrame(data)) stream?.post(data);
  });
  stream = await open(request, {
    onFrame: (frame) => {
      if (!isEnded) port.postMessage(frame);
    },
    onClose: end,
  });
  if (!stream) {
    end();
    return null;
  }
  // the page may have gone, or the host, while the stream was opened
  if (isEnded) {
    stream.close();
    return null;
  }
  // only now, so that what the page sent early waits in the port
  port.start();
  return end;
}

const isFrame = (data: unknown): data is Uint8Array =>
  data instanceof Uint8Array && data.length >= HEADER_BYTES && data.length <= HEADER_BYTES + MAX_FRAME_BYTES;
