// The six tools over MCP, as a plain client sees them.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Gate, makeGate } from '../../support/gate.ts';
import { living, startTime, until } from '../../support/host.ts';
import { McpTest, type TestClient } from '../../support/mcp.ts';

let mcp: McpTest;
let client: TestClient;
let gate: Gate;

beforeAll(async () => {
  mcp = await McpTest.start();
  client = await mcp.connect();
  gate = makeGate();
});

afterAll(async () => {
  gate.release();
  await mcp.close();
});

const spawned = () => fs.readdirSync(path.join(mcp.data, 'host/commands')).length;

test('six tools are listed, each with a description and a schema of its input', async () => {
  const { tools } = await client.client.listTools();
  expect(tools.map(({ name }) => name)).toEqual([
    'exec_command',
    'write_stdin',
    'wait',
    'list_commands',
    'read_output',
    'stop_command',
  ]);
  for (const tool of tools) {
    expect(tool.description?.length).toBeGreaterThan(40);
    expect(tool.inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
    expect(tool.outputSchema).toBeUndefined();
  }
  expect(tools[0]?.inputSchema).toMatchObject({
    required: ['cmd'],
    properties: { cmd: { type: 'string' }, tty: { type: 'boolean', default: false } },
  });
});

test('a command that runs on is polled, and its end is told with its exit code', async () => {
  const own = makeGate();
  try {
    const handle = await client.begin(`echo begun; ${own.loop}; echo over; exit 7`);
    expect(await client.call('write_stdin', { session_id: handle, yield_time_ms: 250 })).toMatchObject({
      status: 'running',
      session_id: handle,
      output: '',
      polling: { exit_observed: false },
    });
    own.open();
    const end = await client.call('write_stdin', { session_id: handle });
    const told = end.status === 'running' ? await client.call('write_stdin', { session_id: handle }) : end;
    expect(told).toMatchObject({ status: 'failed', exit_code: 7 });
    expect(told).not.toHaveProperty('session_id');
    expect(`${end.output}${told === end ? '' : told.output}`).toContain('over');
    expect(await client.refusal('write_stdin', { session_id: handle })).toMatchObject({
      code: 'command_ended',
    });
  } finally {
    own.release();
  }
});

test('past a truncation the complete output is read through the artifact', async () => {
  const result = await client.call('exec_command', { cmd: 'seq 1 20000' });
  const end = await endOf(result);
  expect(end).toMatchObject({ status: 'completed', exit_code: 0, truncated: true });
  const artifact = end.artifact as { path: string; sha256: string; size_bytes: number };
  const bytes = fs.readFileSync(artifact.path);
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(artifact.sha256);
  expect(bytes.length).toBe(artifact.size_bytes);
  const numbers = bytes.toString('utf8').trim().split(/\r?\n/);
  expect(numbers).toHaveLength(20_000);
  expect(numbers.at(-1)).toBe('20000');
});

test('the handle of another client is refused, and its command is not touched', async () => {
  const other = await mcp.connect({ name: 'another-client' });
  const handle = await client.begin(`trap 'echo interrupted' INT; ${gate.loop}`, { tty: true });
  const before = await mcp.found(handle);
  for (const [name, input] of [
    ['write_stdin', { session_id: handle, chars: '\u0003' }],
    ['stop_command', { session_id: handle }],
    ['read_output', { session_id: handle }],
    ['wait', { session_ids: [handle] }],
  ] as const) {
    expect(await other.refusal(name, input)).toMatchObject({
      code: 'handle_forbidden',
      message: expect.stringContaining('session_id'),
    });
  }
  expect(await other.call('list_commands')).toEqual({ commands: [] });
  expect(await mcp.found(handle)).toEqual(before);
  expect(await other.refusal('stop_command', { session_id: 'c_nothing' })).toMatchObject({
    code: 'unknown_handle',
  });
});

test('a wait blocks until the port is open', async () => {
  const port = await freePort();
  const script = `setTimeout(() => require('node:http').createServer().listen(${port}, '127.0.0.1'), 400)`;
  const handle = await client.begin(`'${process.execPath}' -e "${script}"`);
  const result = await client.call('wait', { session_ids: [handle], until: { port }, deadline_ms: 20_000 });
  expect(result).toMatchObject({
    status: 'port_open',
    session_id: handle,
    port,
    commands: [{ session_id: handle, status: 'running' }],
  });
  expect(await canConnect(port)).toBe(true);
  expect(await client.call('stop_command', { session_id: handle })).toMatchObject({ status: 'stopped' });
  expect(await canConnect(port)).toBe(false);
});

test('a wait blocks until a line matches, and also finds the line that came with the end', async () => {
  const own = makeGate();
  try {
    const handle = await client.begin(`${own.loop}; echo 'ready in 5 ms'; ${gate.loop}`);
    const waiting = client.call('wait', { session_ids: [handle], until: { match: 'ready in \\d+' } });
    own.open();
    expect(await waiting).toMatchObject({ status: 'matched', session_id: handle, line: 'ready in 5 ms' });
    await client.call('stop_command', { session_id: handle });
  } finally {
    own.release();
  }
  const last = makeGate();
  try {
    // The second line comes too soon after the first for a word of its own, and the end follows at once.
    const handle = await client.begin(`${last.loop}; echo first; sleep 0.002; echo 'done at last'`);
    const waiting = client.call('wait', { session_ids: [handle], until: { match: 'at last' } });
    last.open();
    expect(await waiting).toMatchObject({ status: 'matched', session_id: handle, line: 'done at last' });
  } finally {
    last.release();
  }
});

test('a wait for the exits tells each with exit code and tail, once all have ended; a deadline ends it before', async () => {
  const own = makeGate();
  try {
    const first = await client.begin('sleep 0.4; echo one; exit 3');
    const second = await client.begin(`${own.loop}; echo two`);
    const early = await client.call('wait', { session_ids: [first, second], deadline_ms: 700 });
    expect(early).toMatchObject({
      status: 'deadline',
      commands: [
        { session_id: first, status: 'failed', exit_code: 3, tail: 'one' },
        { session_id: second, status: 'running' },
      ],
    });
    const waiting = client.call('wait', { session_ids: [first, second] });
    own.open();
    expect(await waiting).toMatchObject({
      status: 'ended',
      commands: [
        { session_id: first, status: 'failed', exit_code: 3, tail: 'one' },
        { session_id: second, status: 'completed', exit_code: 0, tail: 'two' },
      ],
    });
    // The wait told of the end and read nothing: the output is still to be had.
    expect(await client.call('write_stdin', { session_id: second })).toMatchObject({ output: 'two\n' });
  } finally {
    own.release();
  }
});

test('a stop leaves nothing of the tree, the child with a session of its own included', async () => {
  const file = path.join(mcp.data, 'pids');
  const handle = await client.begin(`setsid sleep 300 & echo $! $$ > '${file}'; wait`);
  const pids = await until('both pids', () => {
    const numbers = fs.existsSync(file) ? fs.readFileSync(file, 'utf8').trim().split(' ').map(Number) : [];
    return numbers.length === 2 ? numbers : undefined;
  });
  const tree = pids.map((pid) => ({ pid, start: startTime(pid) }));
  expect(living(tree)).toHaveLength(2);
  expect(await client.call('stop_command', { session_id: handle })).toMatchObject({
    status: 'stopped',
    exit_code: null,
    by: 'agent',
  });
  expect(living(tree)).toEqual([]);
});

test('bad input names the parameter, and nothing is spawned', async () => {
  const before = spawned();
  for (const [input, parameter] of [
    [{}, 'cmd'],
    [{ cmd: '  ' }, 'cmd'],
    [{ cmd: 'true', timeout: 5 }, 'timeout'],
    [{ cmd: 'true', tty: 'yes' }, 'tty'],
    [{ cmd: 'true', timeout_ms: 0 }, 'timeout_ms'],
    [{ cmd: 'true', workdir: 5 }, 'workdir'],
  ] as const) {
    expect(await client.refusal('exec_command', input)).toEqual({
      code: 'invalid_arguments',
      message: expect.stringContaining(`${parameter}:`),
    });
  }
  expect(await client.refusal('exec_command', { cmd: 'true', workdir: '/no/such/folder' })).toMatchObject({
    code: 'workdir_missing',
  });
  expect(await client.refusal('wait', { session_ids: [] })).toMatchObject({
    message: expect.stringContaining('session_ids:'),
  });
  expect(await client.refusal('run_command', { cmd: 'true' })).toMatchObject({
    code: 'invalid_arguments',
    message: expect.stringContaining('exec_command'),
  });
  expect(spawned()).toBe(before);
});

/** The end of a command that may still run when the call returns. */
async function endOf(result: Record<string, unknown>): Promise<Record<string, unknown>> {
  if (typeof result.session_id !== 'string') return result;
  await client.call('wait', { session_ids: [result.session_id] });
  return client.call('write_stdin', { session_id: result.session_id });
}

async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as net.AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
