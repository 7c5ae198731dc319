import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { RequestOptions } from '@modelcontextprotocol/sdk/shared/protocol.js';
import { type CallToolResult, ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { removeFolder, TestHost, temporaryFolder, until } from './host.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const BUNDLE = [process.execPath, path.join(ROOT, 'out/main/mcp.js')] as const;

export type ToolResult = Record<string, unknown>;

export interface TestClientOptions {
  readonly name?: string;
  /** Folders that the client names as roots; undefined: it cannot name any. */
  readonly roots?: readonly string[];
  readonly cwd?: string;
  /** The server's data folder, if not that of the test. */
  readonly data?: string;
  /** How the server is started, if not as the bundle itself. */
  readonly command?: readonly [program: string, ...args: string[]];
}

/** A data folder whose host the test looks at from beside. */
export class McpTest {
  readonly data: string;
  readonly host: TestHost;
  readonly #clients: TestClient[] = [];

  private constructor(data: string, host: TestHost) {
    this.data = data;
    this.host = host;
  }

  static async start(): Promise<McpTest> {
    const data = temporaryFolder('mcp');
    return new McpTest(data, await TestHost.start({ folder: path.join(data, 'host') }));
  }

  /** Starts a server and connects an SDK client to it. */
  async connect(options: TestClientOptions = {}): Promise<TestClient> {
    const client = await TestClient.connect(this.data, options);
    this.#clients.push(client);
    return client;
  }

  /** Starts a server that the test talks to line by line. */
  raw(options: Pick<TestClientOptions, 'cwd' | 'command'> = {}): RawServer {
    return new RawServer(this.data, options);
  }

  /** What the host knows of a command. */
  async found(id: string) {
    const listed = await this.host.client.list();
    return listed.ok ? listed.value.find((command) => command.id === id) : undefined;
  }

  /** Resolves with the first command whose text holds `text`. */
  foundBy(text: string) {
    return until(`a command with ${text}`, async () => {
      const listed = await this.host.client.list();
      return listed.ok ? listed.value.find((command) => command.cmd.includes(text)) : undefined;
    });
  }

  async close(): Promise<void> {
    for (const client of this.#clients) await client.close();
    await this.host.close();
    await removeFolder(this.data);
  }
}

/** A plain MCP client. */
export class TestClient {
  readonly client: Client;
  #roots: readonly string[];

  private constructor({ name = 'plain-client', roots }: TestClientOptions) {
    const capabilities = roots ? { roots: { listChanged: true } } : {};
    this.client = new Client({ name, version: '1' }, { capabilities });
    this.#roots = roots ?? [];
    if (roots)
      this.client.setRequestHandler(ListRootsRequestSchema, () => ({
        roots: this.#roots.map((folder) => ({ uri: pathToFileURL(folder).href })),
      }));
  }

  static async connect(folder: string, options: TestClientOptions): Promise<TestClient> {
    const { data = folder, cwd = folder, command = BUNDLE } = options;
    const [program, ...args] = command;
    const connected = new TestClient(options);
    const server = { command: program, args: [...args, '--data-dir', data], cwd };
    await connected.client.connect(new StdioClientTransport(server));
    return connected;
  }

  async changeRoots(roots: readonly string[]): Promise<void> {
    this.#roots = roots;
    await this.client.sendRootsListChanged();
  }

  /** The whole answer; both of its places must hold the same. */
  async answer(name: string, input: object = {}, options: CallOptions = {}): Promise<CallToolResult> {
    const params = { name, arguments: { ...input } };
    const result = (await this.client.callTool(params, undefined, options)) as CallToolResult;
    const [content] = result.content;
    if (content?.type !== 'text') throw new Error('the answer has no text');
    const text = JSON.stringify(JSON.parse(content.text));
    if (text !== JSON.stringify(result.structuredContent))
      throw new Error(`${text} is not the structured content`);
    return result;
  }

  /** The result of a call that must succeed. */
  async call(name: string, input: object = {}, options: CallOptions = {}): Promise<ToolResult> {
    const result = await this.answer(name, input, options);
    if (result.isError) throw new Error(`${name}: ${JSON.stringify(result.structuredContent)}`);
    return result.structuredContent as ToolResult;
  }

  /** The error of a call that must be refused. */
  async refusal(name: string, input: object = {}): Promise<{ code: string; message: string }> {
    const result = await this.answer(name, input);
    if (!result.isError) throw new Error(`${name} was not refused: ${JSON.stringify(result)}`);
    return (result.structuredContent as { error: { code: string; message: string } }).error;
  }

  /** Starts a command that goes on, and gives its handle. */
  async begin(cmd: string, input: object = {}): Promise<string> {
    const result = await this.call('exec_command', { cmd, yield_time_ms: 250, ...input });
    if (typeof result.session_id !== 'string') throw new Error(`it ended: ${JSON.stringify(result)}`);
    return result.session_id;
  }

  close(): Promise<void> {
    return this.client.close();
  }
}

export type Progress = Parameters<NonNullable<RequestOptions['onprogress']>>[0];
type CallOptions = Pick<RequestOptions, 'signal' | 'timeout' | 'onprogress'>;

export interface RawMessage {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string };
}

/** A server whose very lines the test sees. */
export class RawServer {
  readonly process: ChildProcess;
  /** All of standard output, line by line. */
  readonly lines: string[] = [];
  readonly exited: Promise<number | null>;

  constructor(data: string, { cwd = data, command = BUNDLE }: Pick<TestClientOptions, 'cwd' | 'command'>) {
    const [program, ...args] = command;
    this.process = spawn(program, [...args, '--data-dir', data], { cwd, stdio: ['pipe', 'pipe', 'inherit'] });
    if (this.process.stdout) createInterface(this.process.stdout).on('line', (line) => this.lines.push(line));
    this.exited = new Promise((resolve) => this.process.once('close', resolve));
  }

  send(message: RawMessage): void {
    this.process.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  /** Sends a request and resolves with its answer. */
  async request(id: number, method: string, params: Record<string, unknown> = {}): Promise<RawMessage> {
    this.send({ id, method, params });
    return until(`the answer to ${method}`, () => this.messages().find((message) => message.id === id));
  }

  messages(): RawMessage[] {
    return this.lines.map((line) => JSON.parse(line) as RawMessage);
  }

  async initialize(): Promise<void> {
    const clientInfo = { name: 'raw', version: '1' };
    await this.request(0, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
    this.send({ method: 'notifications/initialized' });
  }
}
