import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { createFramer, framePrefix } from '../../electron/pty-host/framer.ts';
import { socketPath } from '../../electron/pty-host/host-paths.ts';
import { type ClientHello, HOST_PROTOCOL, OLDEST_HOST_PROTOCOL } from '../../shared/protocol/host.ts';
import { appVersion } from './host.ts';

/** A bare socket to a host, for what no honest client would do. */
export interface RawClient {
  readonly socket: net.Socket;
  readonly messages: unknown[];
  readonly closed: Promise<void>;
  say(message: unknown): void;
  send(bytes: Uint8Array): void;
}

/** Connects without a word. */
export async function dialHost(folder: string, version: string = appVersion): Promise<RawClient> {
  const socket = net.connect(socketPath(folder, 'host', version));
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  socket.on('error', () => {});
  const messages: unknown[] = [];
  const feed = createFramer((stream, frame) => {
    if (stream === 0) messages.push(JSON.parse(new TextDecoder().decode(frame)));
  });
  socket.on('data', feed);
  const send = (bytes: Uint8Array) => {
    socket.write(framePrefix(0, bytes.length));
    socket.write(bytes);
  };
  return {
    socket,
    messages,
    closed: new Promise((resolve) => socket.once('close', () => resolve())),
    say: (message) => send(new TextEncoder().encode(JSON.stringify(message))),
    send,
  };
}

/** Connects and says hello with the folder's token. */
export async function rawClient(folder: string): Promise<RawClient> {
  const client = await dialHost(folder);
  client.say({ hello: helloOf(fs.readFileSync(path.join(folder, 'token'), 'utf8')) });
  return client;
}

/** What an honest client says first. */
export function helloOf(token: string): ClientHello {
  return { token, protocol: HOST_PROTOCOL, oldest: OLDEST_HOST_PROTOCOL, version: appVersion };
}
