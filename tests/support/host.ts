import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HostProgram } from '../../electron/host-client/find-or-start.ts';
import { HostClient, type HostStream, type StreamPosition } from '../../electron/host-client/host-client.ts';
import { hostFiles, versionOfPidFile } from '../../electron/pty-host/host-paths.ts';
import { programVersion } from '../../electron/pty-host/program-version.ts';
import { DEFAULT_COLS, DEFAULT_LIMITS, DEFAULT_ROWS } from '../../shared/limits.ts';
import type { CommandId } from '../../shared/model/ids.ts';
import { decodeFrame, encodeFrame, type Frame, FrameType } from '../../shared/protocol/frame.ts';
import type { ExitRecord, HostEvent, HostLimits, Spawned, SpawnRequest } from '../../shared/protocol/host.ts';
import { built } from './built.ts';

export { built };

const root = path.resolve(import.meta.dirname, '../..');

/** The version of the app, and so of its host. */
export const appVersion = programVersion(path.join(root, 'out/main'));

/** The limits that a host has by itself. */
export const hostLimits: HostLimits = {
  totalLogBytes: DEFAULT_LIMITS.totalLogBytes,
  logExpiryMs: DEFAULT_LIMITS.logExpiryMs,
  freeSpaceFloorBytes: DEFAULT_LIMITS.freeSpaceFloorBytes,
};

/** Nothing that a test waits for takes this long, unless it never comes. */
const LIMIT_MS = 15_000;

export interface TestHostOptions {
  /** null: commands are held by scanning. */
  readonly runner?: string | null;
  readonly idleExitMs?: number;
  /** Of the app and its host, with the script of a host of that version. */
  readonly version?: string;
  readonly script?: string;
  /** Folder of the host; a fresh one by default, which `close` removes. */
  readonly folder?: string;
}

/** A host in a folder of its own, with one client. */
export class TestHost {
  readonly folder: string;
  readonly client: HostClient;
  readonly events: HostEvent[] = [];
  readonly #ownFolder: boolean;
  readonly #wakers = new Set<() => void>();

  private constructor(folder: string, ownFolder: boolean, client: HostClient) {
    this.folder = folder;
    this.#ownFolder = ownFolder;
    this.client = client;
    client.onEvent((event) => {
      this.events.push(event);
      for (const wake of this.#wakers) wake();
    });
  }

  static async start(options: TestHostOptions = {}): Promise<TestHost> {
    const folder = options.folder ?? temporaryFolder('host');
    const client = await connect(folder, options);
    return new TestHost(folder, options.folder === undefined, client);
  }

  /** A specification of `cmd` that a test can change. */
  spec(cmd: string, changes: Partial<SpawnRequest> = {}): SpawnRequest {
    return {
      id: newId(),
      owner: 's_0000000000000000',
      ownerName: '',
      cmd,
      shell: '/bin/bash',
      cwd: this.folder,
      env: { PATH: process.env.PATH ?? '/usr/bin:/bin', HISTFILE: '/dev/null' },
      tty: true,
      cols: DEFAULT_COLS,
      rows: DEFAULT_ROWS,
      deadlineMs: null,
      stopGraceMs: DEFAULT_LIMITS.stopGraceMs,
      ...changes,
    };
  }

  /** Starts a command that must start. */
  async run(cmd: string, changes: Partial<SpawnRequest> = {}): Promise<TestCommand> {
    const spec = this.spec(cmd, changes);
    const result = await this.client.spawn(spec);
    if (!result.ok) throw new Error(`spawn of ${cmd}: ${result.error.message}`);
    return new TestCommand(this, spec, result.value);
  }

  /** The first event, past or future, for which `pick` gives something. */
  async event<T>(what: string, pick: (event: HostEvent) => T | undefined): Promise<T> {
    let from = 0;
    return this.until(what, () => {
      for (; from < this.events.length; from++) {
        const found = pick(this.events[from] as HostEvent);
        if (found !== undefined) return found;
      }
      return undefined;
    });
  }

  /** What `look` gives, asked again at each event of the host, and now and then in between. */
  async until<T>(what: string, look: () => T | undefined | Promise<T | undefined>): Promise<T> {
    return until(what, look, (wake) => {
      this.#wakers.add(wake);
      return () => this.#wakers.delete(wake);
    });
  }

  /** Ends the host, and with it every command that it has. */
  async close(): Promise<void> {
    this.client.dispose();
    endHost(this.folder);
    if (this.#ownFolder) await removeFolder(this.folder);
  }
}

/** A command of a test. */
export class TestCommand {
  readonly id: CommandId;
  readonly pid: number;
  readonly generation: number;
  readonly spec: SpawnRequest;
  readonly #host: TestHost;

  constructor(host: TestHost, spec: SpawnRequest, spawned: Spawned) {
    this.#host = host;
    this.id = spec.id;
    this.pid = spawned.pid;
    this.generation = spawned.generation;
    this.spec = spec;
  }

  get folder(): string {
    return path.join(this.#host.folder, 'commands', this.id);
  }

  exited(): Promise<ExitRecord> {
    return this.#host.event(`the end of ${this.spec.cmd}`, (event) =>
      event.type === 'exited' && event.id === this.id ? event.exit : undefined,
    );
  }

  /** The log as it is on the disk. */
  log(): Buffer {
    return fs.readFileSync(path.join(this.folder, 'output.log'));
  }

  /** Resolves with the log once it holds the text. */
  sees(text: string): Promise<string> {
    return this.#host.until(`"${text}" from ${this.spec.cmd}`, () => {
      const log = this.log().toString('latin1');
      return log.includes(text) ? log : undefined;
    });
  }

  meta(): { runnerPid: number | null; startTime: number | null; marker: string; pid: number | null } {
    return JSON.parse(fs.readFileSync(path.join(this.folder, 'meta.json'), 'utf8'));
  }
}

/** What a viewer has got. It acks nothing by itself. */
export class TestViewer {
  readonly frames: Frame[] = [];
  readonly stream: HostStream;
  readonly #wakers = new Set<() => void>();
  readonly #isAcking: boolean;
  #parts: Uint8Array[] = [];
  received = 0;

  constructor(client: HostClient, id: CommandId, from: StreamPosition | null, isAcking = true) {
    this.#isAcking = isAcking;
    this.stream = client.openStream(id, from, (bytes) => this.#onFrame(decodeFrame(bytes)));
  }

  /** All bytes, in order. */
  get bytes(): Buffer {
    return Buffer.concat(this.#parts);
  }

  ack(offset: number): void {
    this.stream.post(encodeFrame(FrameType.ack, 0, offset));
  }

  until<T>(what: string, look: () => T | undefined): Promise<T> {
    return until(what, look, (wake) => {
      this.#wakers.add(wake);
      return () => this.#wakers.delete(wake);
    });
  }

  /** Resolves with the offset of the exit frame. */
  exit(): Promise<number> {
    return this.until(
      'the exit frame',
      () => this.frames.find(({ type }) => type === FrameType.exit)?.offset,
    );
  }

  #onFrame(frame: Frame): void {
    this.frames.push(frame);
    if (frame.type === FrameType.data) {
      this.#parts.push(frame.bytes);
      this.received += frame.bytes.length;
      if (this.#isAcking) this.ack(frame.offset + frame.bytes.length);
    }
    for (const wake of this.#wakers) wake();
  }
}

/** How the host of the folder is started: the built one, unless another version is named. */
export function hostProgram(folder: string, options: Omit<TestHostOptions, 'folder'> = {}): HostProgram {
  const { runner = built.runner, idleExitMs, version = appVersion, script = built.host } = options;
  const base = { folder, version, program: built.program, script, runner };
  return idleExitMs === undefined ? base : { ...base, idleExitMs };
}

/** Connects to the host of the folder, and starts it when there is none. */
export function connect(folder: string, options: Omit<TestHostOptions, 'folder'> = {}): Promise<HostClient> {
  return HostClient.connect(hostProgram(folder, options));
}

/**
 * Makes, in `folder`, the host's program as another version of the app has it: the built one with another number in its
 * package.json, and if wanted another text. Returns its script.
 */
export function programOfVersion(
  folder: string,
  version: string,
  change: (text: string) => string = (text) => text,
): string {
  const from = path.dirname(built.host);
  const to = path.join(folder, 'out/main');
  fs.mkdirSync(to, { recursive: true });
  for (const name of fs.readdirSync(from).filter((file) => /^(pty-host|chunk-.*)\.js$/.test(file)))
    fs.writeFileSync(path.join(to, name), change(fs.readFileSync(path.join(from, name), 'utf8')));
  fs.writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ type: 'module', version }));
  if (!fs.existsSync(path.join(folder, 'node_modules')))
    fs.symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
  return path.join(to, 'pty-host.js');
}

/** Kills the hosts of the folder that live. Their runners end what they ran. */
export function endHost(folder: string): void {
  for (const name of fs.existsSync(folder) ? fs.readdirSync(folder) : []) {
    const version = versionOfPidFile(name);
    const pid = version === null ? null : hostPid(folder, version);
    // The number is the host's only as long as the process is one.
    if (pid !== null && readText(`/proc/${pid}/comm`) === 'switchyard-pty\n') process.kill(pid, 'SIGKILL');
  }
}

/** From the host's pid file; null when it has none. */
export function hostPid(folder: string, version: string = appVersion): number | null {
  const text = readText(hostFiles.pid(folder, version));
  return text === '' ? null : Number(text);
}

/** The kernel's start time; null when there is no such process, or it is a zombie. */
export function startTime(pid: number): number | null {
  const text = readText(`/proc/${pid}/stat`);
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return text === '' || fields[0] === 'Z' || fields[0] === 'X' ? null : Number(fields[19]);
}

/** Of these processes, known by pid and start time, those that live. */
export function living(processes: readonly { pid: number; start: number | null }[]): number[] {
  return processes
    .filter(({ pid, start }) => start !== null && startTime(pid) === start)
    .map(({ pid }) => pid);
}

/** What `testkit emit` writes. */
export function emitted(size: number): Buffer {
  const bytes = Buffer.alloc(size);
  for (let i = 0; i < size; i++) bytes[i] = 97 + ((i + Math.floor(i / 26)) % 26);
  return bytes;
}

/** An id as the supervisor makes them. */
export function newId(): CommandId {
  return `c_${Array.from(randomBytes(16), (byte) => (byte % 36).toString(36)).join('')}`;
}

export function temporaryFolder(name: string): string {
  return fs.mkdtempSync(path.join(os.tmpdir(), `switchyard-${name}-`));
}

/** Removes a folder in which a process that is just ending may still write. */
export async function removeFolder(folder: string): Promise<void> {
  await fs.promises.rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
}

/** Runs `task` for 0 to count-1, at most `width` at a time. */
export async function inParallel(
  count: number,
  width: number,
  task: (index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) await task(next++);
  };
  await Promise.all(Array.from({ length: width }, worker));
}

/** What `look` gives, asked again when woken and every 20 ms. Rejects, naming `what`, when nothing comes. */
export async function until<T>(
  what: string,
  look: () => T | undefined | Promise<T | undefined>,
  subscribe?: (wake: () => void) => () => void,
): Promise<T> {
  let wake = () => {};
  const leave = subscribe?.(() => wake());
  try {
    for (const end = performance.now() + LIMIT_MS; performance.now() < end; ) {
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const found = await look();
      if (found !== undefined) return found;
      await Promise.race([woken, sleep(20)]);
    }
  } finally {
    leave?.();
  }
  throw new Error(`waited in vain for ${what}`);
}

function readText(file: string): string {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
