import fs from 'node:fs';
import net from 'node:net';

/**
 * Listens on a unix socket that was never open to others: it is born with mode 0600. A stale file of that name is
 * removed, so the caller must own the folder. Rejects with the system's error.
 */
export function listenPrivately(
  path: string,
  onConnection: (socket: net.Socket) => void,
): Promise<net.Server> {
  return new Promise((resolve, reject) => {
    fs.rmSync(path, { force: true });
    const server = net.createServer(onConnection);
    server.once('error', reject);
    const umask = process.umask(0o177);
    try {
      server.listen(path, () => resolve(server));
    } finally {
      process.umask(umask); // bind happens inside listen(), before it returns
    }
  });
}
