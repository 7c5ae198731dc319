import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import type { HostCommand } from '../../shared/protocol/host.ts';
import { removeFolder, type TestCommand, TestHost, temporaryFolder, until } from './host.ts';

/** The bundled command line. */
export const CLI = path.resolve(import.meta.dirname, '../../out/main/cli.js');

export interface Ended {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

export interface StartOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** A `switchyard` that runs beside the test, without a terminal. */
export interface Started {
  readonly process: ChildProcess;
  readonly ended: Promise<Ended>;
  /** What has come of its standard output so far. */
  output(): string;
}

/** A data folder, the host of which the test looks at, and another host that serves as the caller's terminal. */
export class CliTest {
  readonly data: string;
  readonly host: TestHost;
  readonly #terminals: TestHost;

  private constructor(data: string, host: TestHost, terminals: TestHost) {
    this.data = data;
    this.host = host;
    this.#terminals = terminals;
  }

  static async start(): Promise<CliTest> {
    const data = temporaryFolder('cli');
    const host = await TestHost.start({ folder: path.join(data, 'host') });
    return new CliTest(data, host, await TestHost.start());
  }

  begin(args: readonly string[], { cwd = this.data, env = {} }: StartOptions = {}): Started {
    return begin(args, { cwd, env: { SWITCHYARD_DATA_DIR: this.data, ...env } });
  }

  run(args: readonly string[], options: StartOptions = {}): Promise<Ended> {
    return this.begin(args, options).ended;
  }

  /** A shell line in a terminal, where `switchyard` is the command line under test. */
  async inTerminal(line: string, size = { cols: 90, rows: 20 }): Promise<Terminal> {
    const prelude = `export SWITCHYARD_DATA_DIR='${this.data}'; switchyard() { '${process.execPath}' '${CLI}' "$@"; }`;
    return new Terminal(this.#terminals, await this.#terminals.run(`${prelude}; ${line}`, size));
  }

  /** What the host knows of the first command whose text holds `text`, once it does. */
  found(text: string): Promise<HostCommand> {
    return until(`a command with ${text}`, async () => {
      const listed = await this.host.client.list();
      return listed.ok ? listed.value.find(({ cmd }) => cmd.includes(text)) : undefined;
    });
  }

  exitOf(text: string) {
    return until(`the end of ${text}`, async () => (await this.found(text)).exit ?? undefined);
  }

  async close(): Promise<void> {
    await this.#terminals.close();
    await this.host.close();
    await removeFolder(this.data);
  }
}

/** A terminal in which a person types. */
export class Terminal {
  readonly command: TestCommand;
  readonly #host: TestHost;

  constructor(host: TestHost, command: TestCommand) {
    this.#host = host;
    this.command = command;
  }

  async type(keys: string): Promise<void> {
    const written = await this.#host.client.write(this.command.id, keys, 'user');
    if (!written.ok) throw new Error(written.error.message);
  }

  async resize(cols: number, rows: number): Promise<void> {
    const resized = await this.#host.client.resize(this.command.id, cols, rows);
    if (!resized.ok) throw new Error(resized.error.message);
  }

  /** Resolves with all that is shown once it holds the text. */
  sees(text: string): Promise<string> {
    return this.command.sees(text);
  }

  /** Resolves with all that was shown at the end. */
  async end(): Promise<string> {
    await this.command.exited();
    return this.command.log().toString();
  }
}

export function begin(args: readonly string[], { cwd, env = {} }: StartOptions): Started {
  const child = spawn(process.execPath, [CLI, ...args], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout.on('data', (chunk) => stdout.push(chunk));
  child.stderr.on('data', (chunk) => stderr.push(chunk));
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status, signal) =>
      resolve({ status, signal, stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr).toString() }),
    );
  });
  return { process: child, ended, output: () => Buffer.concat(stdout).toString() };
}
