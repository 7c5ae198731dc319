import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as it came over the wire. */
export interface WireRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
  /** The parsed body; undefined where there is none. */
  readonly body: WireBody | undefined;
}

/** A body of which tests read what they know to be there. */
export type WireBody = Readonly<Record<string, unknown>>;

export interface WireAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
  /** Bytes written at a time. Default: all at once. */
  readonly piece?: number;
  /** After the body: the connection is broken, or left open without a word. Default: a proper end. */
  readonly ending?: 'cut' | 'hang';
}

/** What is answered to the nth request. */
export type WireStep = (request: WireRequest) => WireAnswer | Promise<WireAnswer>;

/** A model service on loopback that follows a script and counts what it is asked. Beyond its script it answers 418. */
export class ScriptedServer {
  readonly requests: WireRequest[] = [];
  /** Connections that the client has ended before the answer was over. */
  abandoned = 0;
  readonly #steps: WireStep[];
  readonly #server: http.Server;

  private constructor(steps: readonly WireStep[]) {
    this.#steps = [...steps];
    this.#server = http.createServer((request, response) => {
      this.#answer(request, response).catch(() => response.destroy());
    });
  }

  static async start(...steps: WireStep[]): Promise<ScriptedServer> {
    const server = new ScriptedServer(steps);
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Adds what is answered next. */
  goOn(...steps: WireStep[]): void {
    this.#steps.push(...steps);
  }

  /** The body of the nth request. */
  body(index: number): WireBody {
    const body = this.requests.at(index)?.body;
    if (!body) throw new Error(`request ${index} has no body`);
    return body;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString('utf8');
    const wire: WireRequest = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      text,
      body: text === '' ? undefined : (JSON.parse(text) as WireBody),
    };
    this.requests.push(wire);
    response.on('close', () => {
      if (!response.writableFinished) this.abandoned++;
    });
    const step = this.#steps[this.requests.length - 1];
    const answer: WireAnswer = step ? await step(wire) : { status: 418, body: 'not in the script' };
    response.writeHead(answer.status ?? 200, { 'content-type': 'text/event-stream', ...answer.headers });
    response.flushHeaders();
    request.socket.setNoDelay(true);
    const bytes = Buffer.from(answer.body);
    const piece = answer.piece ?? Math.max(1, bytes.length);
    for (let at = 0; at < bytes.length; at += piece) {
      response.write(bytes.subarray(at, at + piece));
      // Each piece is a write of its own on the socket.
      if (answer.piece) await new Promise((resolve) => setImmediate(resolve));
    }
    if (answer.ending === 'hang') return;
    if (answer.ending !== 'cut') response.end();
    // What was written has to be on its way first.
    else setTimeout(() => request.socket.destroy(), 20);
  }
}
