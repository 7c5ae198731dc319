import { contextBridge, ipcRenderer } from 'electron';
import type { Bridge } from '../shared/contract/bridge.ts';
import { CHANNELS } from '../shared/contract/channels.ts';
import type { NumberedEvent } from '../shared/model/event.ts';

// the one piece of the DOM that electron/ sees; the library itself stays out of this project
declare const window: {
  readonly location: { readonly origin: string };
  postMessage(message: unknown, origin: string, transfer: unknown[]): void;
};

// A port cannot cross the context bridge: it is handed over as a window message. The page listens before it
// asks.
ipcRenderer.on(CHANNELS.stream, (event, key: string) => {
  window.postMessage({ kind: CHANNELS.stream, key }, window.location.origin, [...event.ports]);
});

const bridge: Bridge = {
  invoke: (name, input) => ipcRenderer.invoke(CHANNELS.call, name, input),
  subscribe: (listener) => {
    const receive = (_: unknown, event: NumberedEvent): void => listener(event);
    ipcRenderer.on(CHANNELS.event, receive);
    return () => {
      ipcRenderer.off(CHANNELS.event, receive);
    };
  },
  openStream: (key, request) => ipcRenderer.send(CHANNELS.openStream, key, request),
};

contextBridge.exposeInMainWorld('switchyard', Object.freeze(bridge));
