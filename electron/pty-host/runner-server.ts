import type net from 'node:net';
import { listenPrivately } from './private-socket.ts';

const HELLO_MS = 2_000;
const LINE_BYTES = 4_096;

/** The control connection of one runner. Its words are in runner/runner.c. */
export interface RunnerConnection {
  say(line: string): void;
  close(): void;
}

/** Calls back with each line of a runner, split into words. */
export interface RunnerListener {
  onHello(connection: RunnerConnection): void;
  onLine(verb: string, words: readonly string[]): void;
}

/** Where runners report. Nobody is listened to before a valid `hello TOKEN PID`, and a token is good for one connection. */
export class RunnerServer {
  readonly path: string;
  readonly #expected = new Map<string, RunnerListener>();
  #server: net.Server | null = null;

  private constructor(path: string) {
    this.path = path;
  }

  /** Rejects with the system's error when the socket cannot be made. */
  static async open(path: string): Promise<RunnerServer> {
    const runners = new RunnerServer(path);
    runners.#server = await listenPrivately(path, (socket) => runners.#greet(socket));
    return runners;
  }

  /** Returns the way out: after it the token is worthless. */
  expect(token: string, listener: RunnerListener): () => void {
    this.#expected.set(token, listener);
    return () => this.#expected.delete(token);
  }

  close(): void {
    this.#server?.close();
  }

  #greet(socket: net.Socket): void {
    let text = '';
    let listener: RunnerListener | undefined;
    const late = setTimeout(() => socket.destroy(), HELLO_MS);
    socket.setEncoding('latin1');
    socket.on('error', () => {}); // close follows
    socket.on('close', () => clearTimeout(late));
    socket.on('data', (chunk: string) => {
      text += chunk;
      for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n')) {
        const [verb = '', ...words] = text.slice(0, end).split(' ');
        text = text.slice(end + 1);
        if (listener !== undefined) {
          listener.onLine(verb, words);
          continue;
        }
        const [token = ''] = words;
        listener = verb === 'hello' ? this.#expected.get(token) : undefined;
        if (listener === undefined) {
          socket.destroy();
          return;
        }
        this.#expected.delete(token);
        clearTimeout(late);
        listener.onHello({
          say: (line) => {
            if (!socket.destroyed) socket.write(`${line}\n`);
          },
          close: () => socket.destroy(),
        });
      }
      if (text.length > LINE_BYTES) socket.destroy();
    });
  }
}
