import type net from 'node:net';
import type { HostEvent } from '../../shared/protocol/host.ts';
import { ClientConnection, type ClientConnectionOptions } from './client-connection.ts';
import { listenPrivately } from './private-socket.ts';

type Options = Omit<ClientConnectionOptions, 'onTrusted' | 'onClose'> & {
  /** A client came or went. */
  onClientsChanged(): void;
};

/** Where clients connect. */
export class ClientServer {
  readonly #clients = new Set<ClientConnection>();
  #server: net.Server | null = null;

  private constructor() {}

  /** Rejects with the system's error when the socket cannot be made. */
  static async open(path: string, options: Options): Promise<ClientServer> {
    const clients = new ClientServer();
    clients.#server = await listenPrivately(path, (socket) => {
      const client: ClientConnection = new ClientConnection(socket, {
        ...options,
        onTrusted: () => options.onClientsChanged(),
        onClose: () => {
          clients.#clients.delete(client);
          options.onClientsChanged();
        },
      });
      clients.#clients.add(client);
    });
    return clients;
  }

  get hasClients(): boolean {
    return [...this.#clients].some((client) => client.isTrusted);
  }

  broadcast(event: HostEvent): void {
    for (const client of this.#clients) if (client.isTrusted) client.tell(event);
  }

  /** No new clients, and none of the old. */
  close(): void {
    this.#server?.close();
    for (const client of this.#clients) client.close();
  }
}
