import net from 'node:net';
import { z } from 'zod';
import {
  type ClientHello,
  commonProtocol,
  HOST_PROTOCOL,
  HostHello,
  OLDEST_HOST_PROTOCOL,
  type ProcessSight,
  type SupervisionLevel,
} from '../../shared/protocol/host.ts';
import { createFramer, framePrefix } from '../pty-host/framer.ts';
import { socketPath } from '../pty-host/host-paths.ts';

const HelloFrame = z.object({ hello: HostHello });
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

/** The program on the disk is of another version: no host of this one can be started any more. */
export class OtherVersionError extends HostUnavailableError {}

/** A host answers, and no protocol is common with it. */
export class ForeignProtocolError extends HostUnavailableError {}

/** A connection whose host has accepted our token. */
export interface Greeted {
  readonly socket: net.Socket;
  readonly pid: number;
  /** Of the host. */
  readonly version: string;
  readonly level: SupervisionLevel;
  readonly sight: ProcessSight;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** From now on frames go to `onFrame`, those first that came already. */
  listen(onFrame: (stream: number, frame: Uint8Array) => void): void;
}

/**
 * Dials the host of a version in the folder and says hello for a client of version `own`. Null when nobody answers there,
 * or hangs up before a word: a host that is just ending. Rejects with HostUnavailableError when a host is there and does
 * not answer, or (ForeignProtocolError) speaks no protocol that we do.
 */
export async function greet(
  folder: string,
  token: string,
  version: string,
  own: string,
): Promise<Greeted | null> {
  const socket = await dial(socketPath(folder, 'host', version));
  if (socket === null) return null;
  return new Promise((resolve, reject) => {
    const early: [number, Uint8Array][] = [];
    let listener: ((stream: number, frame: Uint8Array) => void) | null = null;
    let isGreeted = false;
    const fail = (error: HostUnavailableError) => {
      reject(error);
      socket.destroy();
    };
    const silent = 'The process that runs the terminals does not answer.';
    const late = setTimeout(() => fail(new HostUnavailableError(silent)), HELLO_MS);
    const spoken = { protocol: HOST_PROTOCOL, oldest: OLDEST_HOST_PROTOCOL };
    const framer = createFramer((stream, frame) => {
      if (isGreeted) {
        if (listener === null) early.push([stream, frame]);
        else listener(stream, frame);
        return;
      }
      clearTimeout(late);
      const said = HelloFrame.safeParse(JSON.parse(new TextDecoder().decode(frame)));
      if (!said.success || commonProtocol(said.data.hello, spoken) === null) {
        const theirs = said.success ? `up to ${said.data.hello.protocol}` : 'that is not known';
        fail(
          new ForeignProtocolError(
            `The pty host ${version} speaks a protocol ${theirs}, and this program ${HOST_PROTOCOL}.`,
          ),
        );
        return;
      }
      const { hello } = said.data;
      isGreeted = true;
      resolve({
        socket,
        pid: hello.pid,
        version: hello.version,
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
    const hello: ClientHello = { token, ...spoken, version: own };
    sendFrame(socket, 0, new TextEncoder().encode(JSON.stringify({ hello })));
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
