import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { createFramer, framePrefix } from '../../electron/pty-host/framer.ts';
import { HOST_PROTOCOL } from '../../shared/protocol/host.ts';

/** A bare socket to a host, for what no honest client would do. */
export interface RawClient {
  readonly socket: net.Socket;
  readonly messages: unknown[];
  readonly closed: Promise<void>;
  say(message: unknown): void;
  send(bytes: Uint8Array): void;
}

/** Connects without a word. */
export async function dialHost(folder: string): Promise<RawClient> {
  const socket = net.connect(path.join(folder, 'host.sock'));
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
  const token = fs.readFileSync(path.join(folder, 'token'), 'utf8');
  client.say({ hello: { token, protocol: HOST_PROTOCOL } });
  return client;
}
