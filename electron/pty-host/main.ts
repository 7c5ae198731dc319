// The pty host, a program of its own:  node pty-host.js FOLDER VERSION RUNNER|- [IDLE_EXIT_MS]
// It owns the terminals and outlives the app: it ends when nothing lives and no client of its version is connected.
import fs from 'node:fs';
import { HOST_IDLE_EXIT_MS } from '../../shared/limits.ts';
import { OTHER_VERSION_STATUS } from '../../shared/protocol/host.ts';
import { ClientServer } from './client-server.ts';
import { Host } from './host.ts';
import { HostLog } from './host-log.ts';
import {
  hostFiles,
  prepareSocketFolder,
  removeSocketFolder,
  socketPath,
  versionOfPidFile,
} from './host-paths.ts';
import { OwnerLock } from './owner-lock.ts';
import { programVersion } from './program-version.ts';

/** At most this long after SIGTERM: a session that ends does not wait for ever. */
const SHUTDOWN_MS = 6_000;

// Another process named "node" would be hit by an agent's "pkill node".
process.title = 'switchyard-pty';
// Commands get exactly the environment that they are given; what made this process a host is nobody's business.
for (const name of Object.keys(process.env)) {
  if (/^(ELECTRON_|NODE_OPTIONS$|SWITCHYARD_)/.test(name)) delete process.env[name];
}

const [folder, version, runner = '-', idleExit] = process.argv.slice(2);
if (folder === undefined || version === undefined) {
  process.stderr.write('usage: pty-host FOLDER VERSION RUNNER|- [IDLE_EXIT_MS]\n');
  process.exit(2);
}
const log = new HostLog(hostFiles.log(folder, version));
// One command's trouble must not end all the others: what was not foreseen is noted, and the host goes on.
process.on('uncaughtException', (error) => log.add('uncaught', error));
process.on('unhandledRejection', (error) => log.add('unhandled', error));
process.on('SIGHUP', () => {});

try {
  refuseOtherVersion(version);
  await serve(
    folder,
    version,
    runner === '-' ? null : runner,
    idleExit === undefined ? HOST_IDLE_EXIT_MS : Number(idleExit),
  );
} catch (error) {
  log.add('the host could not start', error);
  process.exit(1);
}

async function serve(
  folder: string,
  version: string,
  runner: string | null,
  idleExitMs: number,
): Promise<void> {
  const lock = await OwnerLock.acquire(hostFiles.owner(folder, version));
  if (lock === null) process.exit(0); // a living host of this version has the folder
  await clearAwayDead(folder);
  const token = fs.readFileSync(hostFiles.token(folder), 'utf8').trim();
  if (token.length < 32) throw new Error('the token is too short');
  prepareSocketFolder(folder, version);

  const startedAt = Date.now();
  const report = (what: string, error: unknown) => log.add(what, error);
  let clients: ClientServer | null = null;
  let idleTimer: NodeJS.Timeout | null = null;
  let isEnding = false;

  const host = await Host.open({
    folder,
    version,
    runner,
    report,
    emit: (event) => clients?.broadcast(event),
    emitResources: (resources) => clients?.tellResources(resources),
    onLivingChanged: () => considerEnding(),
  });
  clients = await ClientServer.open(socketPath(folder, 'host', version), {
    host,
    version,
    token,
    startedAt,
    report,
    quitIfIdle: () => {
      if (!host.isIdle) return false;
      setImmediate(() => {
        if (host.isIdle) end(); // after the answer went out, and unless a command came in between
      });
      return true;
    },
    onClientsChanged: () => {
      host.watchResources(clients?.watchResources ?? false);
      considerEnding();
    },
  });
  fs.writeFileSync(hostFiles.pid(folder, version), `${process.pid}\n`, { mode: 0o600 });
  considerEnding();

  process.on('SIGTERM', shutDown);
  process.on('SIGINT', shutDown);

  function considerEnding(): void {
    if (idleTimer !== null) clearTimeout(idleTimer);
    idleTimer = null;
    if (!host.isIdle) return;
    if (isEnding) end();
    else if (clients?.hasOwnClients === false) idleTimer = setTimeout(end, idleExitMs);
  }

  /** Stops what lives, so that each end is seen and recorded, and ends. */
  function shutDown(): void {
    if (isEnding) return;
    isEnding = true;
    setTimeout(end, SHUTDOWN_MS);
    host.stopAll();
    considerEnding();
  }

  /** The lock is released last: whoever gets it finds nothing of ours. */
  function end(): void {
    clients?.close();
    host.close();
    removeHostFiles(folder, version);
    lock?.release();
    process.exit(0);
  }
}

/** Removes what hosts of other versions left that were killed. Their locks are held meanwhile: nobody starts there. */
async function clearAwayDead(folder: string): Promise<void> {
  for (const version of fs.readdirSync(folder).flatMap((name) => versionOfPidFile(name) ?? [])) {
    const lock = await OwnerLock.acquire(hostFiles.owner(folder, version));
    if (lock === null) continue; // it lives
    removeHostFiles(folder, version);
    lock.release();
  }
}

/** The log stays. */
function removeHostFiles(folder: string, version: string): void {
  for (const file of [
    hostFiles.pid(folder, version),
    socketPath(folder, 'host', version),
    socketPath(folder, 'runner', version),
  ])
    fs.rmSync(file, { force: true });
  removeSocketFolder(folder, version);
}

/** After an update of the app what is still of the version before cannot start its own host any more: it is not there. */
function refuseOtherVersion(version: string): void {
  const onDisk = programVersion(import.meta.dirname);
  if (onDisk === version) return;
  log.add(`The program on the disk is version ${onDisk} now, and this is ${version}. Restart Switchyard.`);
  process.exit(OTHER_VERSION_STATUS);
}
