import { type IpcMainEvent, ipcMain, MessageChannelMain, type WebContents } from 'electron';
import { CHANNELS, StreamRequest } from '../../shared/contract/calls.ts';
import { type OpenStream, relayStream } from '../ipc/relay-stream.ts';

const MAX_KEY_LENGTH = 100;

export interface StreamOptions {
  readonly isTrusted: (event: IpcMainEvent) => boolean;
  readonly open: OpenStream;
  readonly log: (line: string) => void;
}

/**
 * Answers the page's requests for the bytes of commands: each gets a port of its own, or a message without
 * one when it is refused. All streams of a page end with it, also when it is reloaded.
 */
export function serveStreams({ isTrusted, open, log }: StreamOptions): void {
  const pages = new WeakMap<WebContents, Set<() => void>>();

  ipcMain.on(CHANNELS.openStream, async (event, key: unknown, input: unknown) => {
    if (!isTrusted(event) || typeof key !== 'string' || key.length > MAX_KEY_LENGTH) return;
    const page = event.sender;
    const request = StreamRequest.safeParse(input);
    if (!request.success) {
      page.postMessage(CHANNELS.stream, key);
      return;
    }
    const streams = streamsOf(page, pages);
    const { port1, port2 } = new MessageChannelMain();
    // the page can be reloaded while the stream is opened
    let close: (() => void) | null = () => port1.close();
    const end = (): void => close?.();
    streams.add(end);
    port1.on('close', () => streams.delete(end));
    try {
      close = await relayStream(port1, request.data, open);
    } catch (error) {
      close = null;
      port1.close();
      log(`the bytes of ${request.data.commandId} could not be opened: ${String(error)}`);
    }
    if (page.isDestroyed()) return;
    page.postMessage(CHANNELS.stream, key, close ? [port2] : []);
  });
}

function streamsOf(page: WebContents, pages: WeakMap<WebContents, Set<() => void>>): Set<() => void> {
  const known = pages.get(page);
  if (known) return known;
  const streams = new Set<() => void>();
  pages.set(page, streams);
  const endAll = (): void => {
    for (const end of streams) end();
    streams.clear();
  };
  page.on('did-start-navigation', ({ isMainFrame, isSameDocument }) => {
    if (isMainFrame && !isSameDocument) endAll();
  });
  page.on('render-process-gone', endAll);
  page.once('destroyed', endAll);
  return streams;
}
