import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  type OpenStream,
  type RelayPort,
  relayStream,
  type StreamListener,
} from '../../../electron/ipc/relay-stream.ts';
import { encodeFrame, FrameType } from '../../../shared/protocol/frame.ts';

const request = { commandId: 'c_0123456789abcdef', from: null };
const frame = (offset: number): Uint8Array => encodeFrame(FrameType.data, 1, offset, Uint8Array.of(1, 2, 3));

let page: MessagePort;
let main: MessagePort;
let received: unknown[];
let posted: Uint8Array[];
let closes: number;
let host: StreamListener;

beforeEach(() => {
  ({ port1: main, port2: page } = new MessageChannel());
  received = [];
  posted = [];
  closes = 0;
  page.on('message', (data) => received.push(data));
});
afterEach(async () => {
  page.close();
  main.close();
  await settled();
});

/** Node's port as Electron's: it gives the data within an event, and waits for start. */
function electronPort(port: MessagePort): RelayPort {
  let onMessage: (event: { data: unknown }) => void = () => {};
  return {
    on: (event: 'message' | 'close', listener: (event: { data: unknown }) => void) => {
      if (event === 'close') port.on('close', () => listener({ data: null }));
      else onMessage = listener;
    },
    start: () => port.on('message', (data) => onMessage({ data })),
    postMessage: (message) => port.postMessage(message),
    close: () => port.close(),
  };
}
const open: OpenStream = async (_, listener) => {
  host = listener;
  return { post: (one) => posted.push(one), close: () => { closes += 1; } }; // biome-ignore format: short
};
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));

it('passes frames both ways as they come', async () => {
  page.postMessage(frame(1));
  await relayStream(electronPort(main), request, open);
  host.onFrame(frame(2));
  host.onFrame(frame(3));
  page.postMessage(frame(4));
  await expect
    .poll(() => [received, posted])
    .toEqual([
      [frame(2), frame(3)],
      [frame(1), frame(4)],
    ]);
});

it('drops what is no frame', async () => {
  await relayStream(electronPort(main), request, open);
  for (const wrong of ['text', null, { length: 20 }, new Uint8Array(15), new Uint8Array(2 * 1024 * 1024), [1]]) page.postMessage(wrong); // biome-ignore format: a table
  page.postMessage(frame(1));
  await expect.poll(() => posted).toEqual([frame(1)]);
});

it('ends the stream, once, when the page closes its port', async () => {
  await relayStream(electronPort(main), request, open);
  page.close();
  await expect.poll(() => closes).toBe(1);
  host.onFrame(frame(1));
  host.onClose();
  await settled();
  expect(closes).toBe(1);
});

it('closes the port when the host ends the stream', async () => {
  await relayStream(electronPort(main), request, open);
  const closed = new Promise((resolve) => page.once('close', () => resolve('closed')));
  host.onFrame(frame(1));
  host.onClose();
  expect(await closed).toBe('closed');
  expect(received).toEqual([frame(1)]);
});

it('gives null, and closes the port, when the stream cannot be opened', async () => {
  expect(await relayStream(electronPort(main), request, async () => null)).toBe(null);
});

it('ends a stream that was opened for a page that has gone', async () => {
  const opening = relayStream(electronPort(main), request, async (one, listener) => {
    page.close();
    await settled();
    return open(one, listener);
  });
  expect(await opening).toBe(null);
  expect(closes).toBe(1);
});

it('ends both by what it resolves to', async () => {
  const end = await relayStream(electronPort(main), request, open);
  const closed = new Promise((resolve) => page.once('close', () => resolve('closed')));
  end?.();
  end?.();
  expect(await closed).toBe('closed');
  expect(closes).toBe(1);
});
