// The life of a call over MCP: progress, cancellation, the end of the connection.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Gate, makeGate } from '../../support/gate.ts';
import { hostPid, startTime, until } from '../../support/host.ts';
import { McpTest, type Progress, type TestClient } from '../../support/mcp.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');

let mcp: McpTest;
let client: TestClient;
let gate: Gate;

beforeAll(async () => {
  mcp = await McpTest.start();
  client = await mcp.connect();
});
afterAll(() => mcp.close());
beforeEach(() => {
  gate = makeGate();
});
afterEach(() => gate.release());

const exitOf = (id: string) =>
  until(`the end of ${id}`, async () => (await mcp.found(id))?.exit ?? undefined);

test('a cancelled exec stops the command whose handle nobody was given', async () => {
  const cancel = new AbortController();
  const call = client.call('exec_command', { cmd: `: alone; ${gate.loop}`, yield_time_ms: 30_000 }, cancel);
  const refused = expect(call).rejects.toThrow();
  const { id } = await mcp.foundBy(': alone');
  cancel.abort();
  await refused;
  expect(await exitOf(id)).toMatchObject({ reason: 'stopped', by: 'user' });
  // The connection goes on.
  expect(await client.call('exec_command', { cmd: 'echo on' })).toMatchObject({ output: 'on\n' });
});

test('a cancelled poll stops nothing and takes nothing of the output; a cancelled wait only ends the waiting', async () => {
  const cmd = `${gate.loop}; echo kept; while true; do sleep 0.05; done`;
  const handle = await client.begin(cmd);
  for (const [name, input] of [
    ['write_stdin', { session_id: handle, yield_time_ms: 30_000 }],
    ['wait', { session_ids: [handle], until: { match: 'never' } }],
  ] as const) {
    const cancel = new AbortController();
    let isUnderWay = () => {};
    const underWay = new Promise<void>((resolve) => {
      isUnderWay = resolve;
    });
    const call = client.call(name, input, { signal: cancel.signal, onprogress: isUnderWay });
    const refused = expect(call).rejects.toThrow();
    await underWay;
    cancel.abort();
    await refused;
  }
  gate.open();
  expect(await client.call('wait', { session_ids: [handle], until: { match: 'kept' } })).toMatchObject({
    status: 'matched',
  });
  const poll = await client.call('write_stdin', { session_id: handle });
  expect(poll).toMatchObject({ status: 'running', output: 'kept\n' });
  await client.call('stop_command', { session_id: handle });
});

test('an attached call reports progress at once and then every five seconds, with the last line', async () => {
  const seen: Progress[] = [];
  await client.call(
    'write_stdin',
    { session_id: await client.begin(`${gate.loop}; echo`), yield_time_ms: 250 },
    { onprogress: (progress) => seen.push(progress) },
  );
  expect(seen).toMatchObject([{ progress: 0, message: 'write_stdin is under way' }]);
  seen.length = 0;
  const handle = await client.begin(`echo building; ${gate.loop}`);
  await client.call(
    'wait',
    { session_ids: [handle], deadline_ms: 5_500 },
    { onprogress: (progress) => seen.push(progress) },
  );
  expect(seen).toMatchObject([
    { progress: 0, message: 'building' },
    { progress: 5, message: 'building' },
  ]);
});

test('the server speaks protocol only, and answers an unknown method with "method not found"', async () => {
  const server = mcp.raw();
  // Some clients ask for a newer method before anything else.
  const early = await server.request(90, 'server/discover');
  expect(early.error).toMatchObject({ code: -32601, message: 'Method not found' });
  await server.initialize();
  expect((await server.request(91, 'resources/list')).error?.code).toBe(-32601);
  server.process.stdin?.write('this is no JSON\n\n');
  const called = await server.request(1, 'tools/call', {
    name: 'exec_command',
    arguments: { cmd: 'echo out; echo err >&2' },
  });
  expect(called.result).toMatchObject({ structuredContent: { status: 'completed', output: 'out\nerr\n' } });
  server.process.stdin?.end();
  expect(await server.exited).toBe(0);
  for (const message of server.messages()) expect(message).toMatchObject({ jsonrpc: '2.0' });
});

test('when standard input ends, attached calls are aborted, given handles run on, and the server ends in time', async () => {
  const server = mcp.raw();
  await server.initialize();
  const exec = (cmd: string, yieldMs: number) => ({
    name: 'exec_command',
    arguments: { cmd, yield_time_ms: yieldMs },
  });
  await server.request(1, 'tools/call', exec(`: given; ${gate.loop}; exit 4`, 250));
  const given = await mcp.foundBy(': given');
  server.send({ id: 2, method: 'tools/call', params: exec(`: attached; ${gate.loop}`, 30_000) });
  const attached = await mcp.foundBy(': attached');
  server.send({
    id: 3,
    method: 'tools/call',
    params: { name: 'wait', arguments: { session_ids: [given.id] } },
  });
  const began = performance.now();
  server.process.stdin?.end();
  expect(await server.exited).toBe(0);
  expect(performance.now() - began).toBeLessThan(2_000);
  expect(await exitOf(attached.id)).toMatchObject({ reason: 'stopped' });
  expect((await mcp.found(given.id))?.exit).toBeNull();
  gate.open();
  expect(await exitOf(given.id)).toMatchObject({ reason: 'exited', exitCode: 4 });
});

test('npm runs it from another folder: nothing but protocol comes out, commands start there with the PATH of the user', async () => {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(mcp.data, 'elsewhere-')));
  const server = mcp.raw({ cwd: folder, command: ['npm', 'run', '-s', 'mcp', '--prefix', ROOT, '--'] });
  await server.initialize();
  const called = await server.request(1, 'tools/call', {
    name: 'exec_command',
    arguments: { cmd: 'pwd; echo $PATH; env | grep -i ^npm_' },
  });
  const result = called.result?.structuredContent as { output: string } | undefined;
  const [cwd, searched, ...rest] = (result?.output ?? '').trim().split('\n');
  expect(cwd).toBe(folder);
  expect(searched).not.toContain('node_modules/.bin');
  expect(rest).toEqual([]);
  server.process.stdin?.end();
  expect(await server.exited).toBe(0);
  for (const message of server.messages()) expect(message).toMatchObject({ jsonrpc: '2.0' });
});

test('what the set-up says, and what it runs, goes to standard error', () => {
  const script = `
    import { keepOutputClean, run, say } from '${pathToFileURL(path.join(ROOT, 'build/console.mjs')).href}';
    keepOutputClean();
    say('said');
    await run('echo', ['echoed']);`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script]);
  expect([String(stdout), String(stderr)]).toEqual(['', 'said\nechoed\n']);
});

test('the server starts a host where there is none, and leaves it running', async () => {
  const data = path.join(mcp.data, 'fresh');
  const fresh = await mcp.connect({ data });
  expect(await fresh.call('exec_command', { cmd: 'echo here' })).toMatchObject({ output: 'here\n' });
  const pid = hostPid(path.join(data, 'host')) ?? 0;
  await fresh.close();
  expect(startTime(pid)).not.toBeNull();
  process.kill(pid, 'SIGTERM');
  await until('the end of the host', () => (startTime(pid) === null ? true : undefined));
});
