// The roots of a client are the folders in which its commands may start.
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { McpTest } from '../../support/mcp.ts';

let mcp: McpTest;

beforeAll(async () => {
  mcp = await McpTest.start();
});
afterAll(() => mcp.close());

function makeFolder(name: string): string {
  const folder = path.join(fs.realpathSync(mcp.data), name);
  fs.mkdirSync(path.join(folder, 'inner'), { recursive: true });
  return folder;
}

test('without roots commands start where the server was started, and anywhere they name', async () => {
  const folder = makeFolder('plain');
  const client = await mcp.connect({ cwd: folder });
  expect(await client.call('exec_command', { cmd: 'pwd' })).toMatchObject({ output: `${folder}\n` });
  const inRoot = await client.call('exec_command', { cmd: 'pwd', workdir: '/' });
  expect(inRoot).toMatchObject({ output: '/\n' });
});

test('with roots commands start in the first, and outside all of them they are refused', async () => {
  const [first, second, outside] = ['first', 'second', 'first-outside'].map(makeFolder) as [
    string,
    string,
    string,
  ];
  fs.symlinkSync(outside, path.join(first, 'link'));
  const client = await mcp.connect({ roots: [first, second] });
  const startsIn = async (workdir?: string) =>
    (await client.call('exec_command', { cmd: 'pwd', ...(workdir ? { workdir } : {}) })).output;
  expect(await startsIn()).toBe(`${first}\n`);
  expect(await startsIn('inner')).toBe(`${first}/inner\n`);
  expect(await startsIn(second)).toBe(`${second}\n`);
  for (const workdir of ['/', '..', outside, 'inner/../../first-outside', 'link']) {
    expect(await client.refusal('exec_command', { cmd: 'echo RAN', workdir })).toEqual({
      code: 'invalid_arguments',
      message: expect.stringContaining('workdir:'),
    });
  }

  // The client opens another folder instead.
  await client.changeRoots([outside]);
  expect(await startsIn()).toBe(`${outside}\n`);
  expect(await client.refusal('exec_command', { cmd: 'echo RAN', workdir: first })).toMatchObject({
    code: 'invalid_arguments',
  });
  const { commands } = await client.call('list_commands');
  expect((commands as { command: string }[]).filter(({ command }) => command.includes('RAN'))).toEqual([]);
});
