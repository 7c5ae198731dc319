import { createHash } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a channel offers. */
export interface Offer {
  readonly version: string;
  /** Of the file; by default it is right. */
  readonly sha512?: string;
}

/** A feed of new versions on the loopback. Each version's file is a script that notes that it was started. */
export class UpdateServer {
  readonly url: string;
  /** Paths in the order in which they were asked for. */
  readonly asked: string[] = [];
  readonly #server: http.Server;
  readonly #offers = new Map<string, Offer>();
  readonly #textOf: (version: string) => string;

  private constructor(server: http.Server, textOf: (version: string) => string) {
    this.#server = server;
    this.#textOf = textOf;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    server.on('request', (request, response) => this.#answer(request, response));
  }

  static async start(textOf: (version: string) => string): Promise<UpdateServer> {
    const server = http.createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new UpdateServer(server, textOf);
  }

  /** What the channel has from now on; null: it is not there. */
  offer(channel: 'latest' | 'beta', offer: Offer | null): void {
    if (offer === null) this.#offers.delete(channel);
    else this.#offers.set(channel, offer);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(request: http.IncomingMessage, response: http.ServerResponse): void {
    const { pathname } = new URL(request.url ?? '/', this.url);
    this.asked.push(pathname);
    const [, channel] = /^\/(latest|beta)-linux.*\.yml$/.exec(pathname) ?? [];
    const [, version] = /^\/Switchyard-(.+)\.AppImage$/.exec(pathname) ?? [];
    const offer = channel === undefined ? undefined : this.#offers.get(channel);
    if (offer !== undefined) response.end(this.#describe(offer));
    else if (version !== undefined) response.end(this.#textOf(version));
    else response.writeHead(404).end();
  }

  #describe({ version, sha512 }: Offer): string {
    const text = this.#textOf(version);
    const hash = sha512 ?? createHash('sha512').update(text).digest('base64');
    const file = `Switchyard-${version}.AppImage`;
    return [
      `version: ${version}`,
      'files:',
      `  - url: ${file}`,
      `    sha512: ${hash}`,
      `    size: ${Buffer.byteLength(text)}`,
      `path: ${file}`,
      `sha512: ${hash}`,
      "releaseDate: '2026-01-01T00:00:00.000Z'",
      '',
    ].join('\n');
  }
}
