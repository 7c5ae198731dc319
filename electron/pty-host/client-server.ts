import type net from 'node:net';
import type { CommandResources } from '../../shared/model/resources.ts';
import type { HostEvent } from '../../shared/protocol/host.ts';
import { ClientConnection, type ClientConnectionOptions } from './client-connection.ts';
import { listenPrivately } from './private-socket.ts';

type Options = Omit<ClientConnectionOptions, 'onTrusted' | 'onWatchChanged' | 'onClose'> & {
  /** A client came or went, or wants something else to be told. */
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
        onWatchChanged: () => options.onClientsChanged(),
        onClose: () => {
          clients.#clients.delete(client);
          options.onClientsChanged();
        },
      });
      clients.#clients.add(client);
    });
    return clients;
  }

  /** A client of this version is connected. Those of others only visit. */
  get hasOwnClients(): boolean {
    return [...this.#clients].some((client) => client.isOwn);
  }

  broadcast(event: HostEvent): void {
    for (const client of this.#clients) if (client.isTrusted) client.tell(event);
  }

  /** Somebody wants to know what commands use. */
  get watchResources(): boolean {
    return [...this.#clients].some((client) => client.watchesResources);
  }

  tellResources(resources: readonly CommandResources[]): void {
    for (const client of this.#clients) if (client.watchesResources) client.tellResources(resources);
  }

  /** No new clients, and none of the old. */
  close(): void {
    this.#server?.close();
    for (const client of this.#clients) client.close();
  }
}
