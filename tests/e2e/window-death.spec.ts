import fs from 'node:fs';
import { expect, test } from '@playwright/test';
import { endHost, removeFolder, temporaryFolder, until } from '../support/host.ts';
import { findCommand, regions, send, snapshot, terminalText } from '../support/window.ts';
import { AppWindow } from '../support/window-over-cdp.ts';

let userData = '';
const opened: AppWindow[] = [];
const launch = () => {
  const it = AppWindow.launch({ userData, settings: { theme: 'dark' } });
  opened.push(it);
  return it;
};

test.beforeEach(() => {
  userData = temporaryFolder('window');
});
test.afterEach(async () => {
  for (const it of opened.splice(0)) {
    await it.kill();
    if (fs.existsSync(it.hostFolder)) endHost(it.hostFolder);
  }
  await removeFolder(userData);
});

test('a page whose process dies is loaded again, with what runs and a word about it', async () => {
  const it = launch();
  await it.connect();
  await send(it.page, 'echo yard-$((1+1)); exec sleep 600');
  const { command } = await findCommand(it.page, ({ cmd }) => cmd.startsWith('echo yard-'));
  await expect.poll(() => terminalText(it.page, command.id)).toContain('yard-2');
  const renderer = it.rendererPid();
  process.kill(renderer, 'SIGKILL');
  await until('another renderer', () => (it.findRenderer(renderer) !== null ? true : undefined));
  await it.connect();
  await expect(it.page.getByRole('alert').filter({ hasText: 'The window failed' })).toBeVisible();
  await expect(regions(it.page).jobs.getByRole('row', { name: /echo yard-/ })).toBeVisible();
  await expect.poll(() => terminalText(it.page, command.id)).toContain('yard-2');
  expect((await snapshot(it.page)).commands.map(({ state }) => state)).toEqual(['running']);
});

test('a second start on the same folder hands over to the first and ends', async () => {
  const first = launch();
  await first.connect();
  expect(await launch().end()).toEqual({ code: 0, signal: null });
  expect(first.hasEnded).toBe(false);
  await expect(regions(first.page).chat).toBeVisible();
});
