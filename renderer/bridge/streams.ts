import type { StreamRequest } from '../../shared/contract/calls.ts';
import { CHANNELS } from '../../shared/contract/channels.ts';

const waiting = new Map<string, (port: MessagePort | null) => void>();
let count = 0;

/** Listens for the ports of opened streams. Called once, before the first stream is asked for. */
export function receiveStreams(): void {
  window.addEventListener('message', (event) => {
    if (event.source !== window || event.origin !== window.location.origin) return;
    const data: unknown = event.data;
    if (typeof data !== 'object' || data === null) return;
    const { kind, key } = data as { kind?: unknown; key?: unknown };
    if (kind !== CHANNELS.stream || typeof key !== 'string') return;
    waiting.get(key)?.(event.ports[0] ?? null);
    waiting.delete(key);
  });
}

/** Opens the bytes of a command. Null when it was refused, for instance while the pty host is away. */
export function openStream(request: StreamRequest): Promise<MessagePort | null> {
  const key = `stream-${++count}`;
  return new Promise((resolve) => {
    waiting.set(key, resolve);
    window.switchyard.openStream(key, request);
  });
}
