// switchyard jobs, stop and mcp, and what is said to whoever is wrong.
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { begin, CLI, CliTest } from '../../support/cli.ts';
import { type Gate, makeGate } from '../../support/gate.ts';
import { startTime, temporaryFolder } from '../../support/host.ts';
import { TestClient } from '../../support/mcp.ts';

let cli: CliTest;
let gate: Gate;
beforeAll(async () => {
  cli = await CliTest.start();
});
afterAll(() => cli.close());
beforeEach(() => {
  gate = makeGate();
});
afterEach(() => gate.release());

test('without a host nothing runs, and none is started', async () => {
  const data = temporaryFolder('none');
  try {
    const env = { SWITCHYARD_DATA_DIR: data };
    const jobs = await begin(['jobs'], { env }).ended;
    expect(jobs).toMatchObject({ status: 0, stdout: Buffer.from('No commands are running.\n') });
    expect(await begin(['jobs', '--json'], { env }).ended).toMatchObject({ stdout: Buffer.from('[]\n') });
    expect(await begin(['stop', 'abcd'], { env }).ended).toMatchObject({ status: 2 });
    expect(fs.readdirSync(data)).toEqual([]);
  } finally {
    fs.rmSync(data, { recursive: true });
  }
});

test('jobs shows commands of everybody; stop ends one with its whole tree, and no other', async () => {
  const one = await cli.host.run(
    `: one; setsid sh -c '${gate.loop.replaceAll("'", "'\\''")}' & ${gate.loop}`,
    {
      ownerName: 'Build the yard',
    },
  );
  const other = await cli.host.run(`: other; ${gate.loop}`);
  const lines = (await cli.run(['jobs'])).stdout.toString().split('\n');
  expect(lines.find((line) => line.includes(': one'))).toMatch(/^\w{4}\s+running\s+\d+ s\s+Build the yard\s/);
  expect(lines.find((line) => line.includes(': other'))).toBeDefined();

  const listed = JSON.parse((await cli.run(['jobs', '--json'])).stdout.toString());
  const { short } = listed.find((job: { id: string }) => job.id === one.id);
  const start = startTime(one.pid);
  expect(await cli.run(['stop', short])).toMatchObject({
    status: 0,
    stdout: expect.toSatisfy((bytes: Buffer) => bytes.toString().startsWith('Stopped: : one')),
  });
  expect(startTime(one.pid)).not.toBe(start);
  expect(await one.exited()).toMatchObject({ reason: 'stopped', by: 'user', survivors: [] });
  const after = (await cli.run(['jobs'])).stdout.toString();
  expect(after).not.toContain(': one');
  expect(after).toContain(': other');
  expect(await cli.run(['stop', `c_${other.id.slice(2)}`])).toMatchObject({ status: 0 });
});

test('an ID that means nothing, or several, stops nothing', async () => {
  const ids = ['c_zzzz000000000000', 'c_zzzz111111111111'];
  for (const id of ids) await cli.host.run(`: twin; ${gate.loop}`, { id });
  const ambiguous = await cli.run(['stop', 'zzzz']);
  expect(ambiguous).toMatchObject({ status: 2, stderr: expect.stringContaining('zzzz0 or zzzz1') });
  const unknown = await cli.run(['stop', 'zzzz0', 'nonsense']);
  expect(unknown).toMatchObject({ status: 2, stderr: expect.stringContaining('nonsense') });
  for (const id of ids) expect((await cli.found(': twin')).id && id).toBeTruthy();
  const listed = await cli.host.client.list();
  const twins = listed.ok ? listed.value.filter(({ cmd }) => cmd.startsWith(': twin')) : [];
  expect(twins.map(({ stopping, exit }) => [stopping, exit])).toEqual([
    [null, null],
    [null, null],
  ]);
  expect(await cli.run(['stop', 'zzzz0', 'zzzz1'])).toMatchObject({ status: 0 });
});

test('mcp serves the same tools', async () => {
  const client = await TestClient.connect(cli.data, { command: [process.execPath, CLI, 'mcp'] });
  try {
    expect(await client.call('exec_command', { cmd: 'echo by mcp' })).toMatchObject({ output: 'by mcp\n' });
  } finally {
    await client.close();
  }
});

describe('without any host', () => {
  test('--version is that of package.json, --help is a screenful', async () => {
    const { version } = JSON.parse(fs.readFileSync(path.resolve('package.json'), 'utf8'));
    expect(await begin(['--version'], {}).ended).toMatchObject({ stdout: Buffer.from(`${version}\n`) });
    const help = (await begin(['--help'], {}).ended).stdout.toString().trimEnd().split('\n');
    expect(help.length).toBeLessThanOrEqual(32);
    expect(Math.max(...help.map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  test.each([
    [['--bar'], '--bar'],
    [['jbos'], 'switchyard jbos'],
    [['./nowhere'], 'nowhere'],
    [['package.json'], 'is not a folder'],
    [['run', '--tmeout', '3', '--', 'ls'], '--tmeout'],
  ])('%j is refused', async (args, named) => {
    const ended = await begin(args, {}).ended;
    expect(ended).toMatchObject({ status: 2, stderr: expect.stringContaining(named) });
    expect(ended.stdout).toHaveLength(0);
  });

  test('from a source folder the window is opened by npm start', async () => {
    const ended = await begin(['.'], { cwd: '/usr' }).ended;
    expect(ended).toMatchObject({ status: 1, stderr: expect.stringContaining('npm start -- /usr') });
  });
});
