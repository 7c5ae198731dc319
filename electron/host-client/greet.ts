import net from 'node:net';
import { HOST_PROTOCOL, type ProcessSight, type SupervisionLevel } from '../../shared/protocol/host.ts';
import { createFramer, framePrefix } from '../pty-host/framer.ts';
import { socketPath } from '../pty-host/host-paths.ts';

const HELLO_MS = 5_000;
/** The list of many commands is longer than what a client may send. */
const MESSAGE_MAX_BYTES = 64 * 1024 * 1024;

/** There is no host to be had. The message is a sentence for a person. */
export class HostUnavailableError extends Error {
  readonly code = 'host_unavailable';

  constructor(message: string) {
    super(message);
    this.name = 'HostUnavailableError';
  }
}

/** A connection whose host has accepted our token. */
export interface Greeted {
  readonly socket: net.Socket;
  readonly pid: number;
  readonly level: SupervisionLevel;
  readonly sight: ProcessSight;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** From now on frames go to `onFrame`, those first that came already. */
  listen(onFrame: (stream: number, frame: Uint8Array) => void): void;
}

interface Hello {
  readonly pid: number;
  readonly protocol: number;
  readonly level: SupervisionLevel;
  readonly sight: ProcessSight;
  readonly startedAt: number;
}

/**
 * Dials the host of the folder and says hello. Null when nobody answers there, or hangs up before a word: a host that is
 * just ending. Rejects with HostUnavailableError when a host answers with another protocol, or not at all.
 */
export async function greet(folder: string, token: string): Promise<Greeted | null> {
  const socket = await dial(socketPath(folder, 'host.sock'));
  if (socket === null) return null;
  return new Promise((resolve, reject) => {
    const early: [number, Uint8Array][] = [];
    let listener: ((stream: number, frame: Uint8Array) => void) | null = null;
    let isGreeted = false;
    const fail = (message: string) => {
      reject(new HostUnavailableError(message));
      socket.destroy();
    };
    const late = setTimeout(() => fail('The pty host does not answer.'), HELLO_MS);
    const framer = createFramer((stream, frame) => {
      if (isGreeted) {
        if (listener === null) early.push([stream, frame]);
        else listener(stream, frame);
        return;
      }
      clearTimeout(late);
      const { hello } = JSON.parse(new TextDecoder().decode(frame)) as { hello: Hello };
      if (hello.protocol !== HOST_PROTOCOL) {
        fail(`The pty host that runs speaks protocol ${hello.protocol}, and this program ${HOST_PROTOCOL}.`);
        return;
      }
      isGreeted = true;
      resolve({
        socket,
        pid: hello.pid,
        level: hello.level,
        sight: hello.sight,
        startedAt: hello.startedAt,
        listen(onFrame) {
          listener = onFrame;
          for (const [number, bytes] of early.splice(0)) onFrame(number, bytes);
        },
      });
    }, MESSAGE_MAX_BYTES);
    socket.on('data', (chunk: Buffer) => {
      try {
        framer(chunk);
      } catch {
        socket.destroy();
      }
    });
    socket.on('error', () => {}); // close follows
    socket.on('close', () => {
      clearTimeout(late);
      resolve(null);
    });
    sendFrame(
      socket,
      0,
      new TextEncoder().encode(JSON.stringify({ hello: { token, protocol: HOST_PROTOCOL } })),
    );
  });
}

/** Writes one frame with its prefix. */
export function sendFrame(socket: net.Socket, stream: number, frame: Uint8Array): void {
  socket.cork();
  socket.write(framePrefix(stream, frame.length));
  socket.write(frame);
  socket.uncork();
}

function dial(path: string): Promise<net.Socket | null> {
  return new Promise((resolve) => {
    const socket = net.connect(path);
    socket.once('connect', () => {
      socket.removeAllListeners('error');
      resolve(socket);
    });
    socket.once('error', () => resolve(null));
  });
}
