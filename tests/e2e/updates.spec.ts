// New versions, from a feed on the loopback, with the real updater in the real app as an installation has it.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { type Gate, makeGate } from '../support/gate.ts';
import { type LaunchedApp, launchApp } from '../support/launch-app.ts';
import { makePackagedApp } from '../support/packaged-app.ts';
import { UpdateServer } from '../support/update-server.ts';
import { findCommand, send, snapshot } from '../support/window.ts';

/** An installation, its feed, and what the new version's file did. */
interface Installation {
  readonly server: UpdateServer;
  /** The AppImage that the app believes to run from. */
  readonly image: string;
  /** A line for each start of a new version: which, and whether it is only to settle in. */
  readonly started: () => string[];
  readonly launch: (settings?: object) => Promise<LaunchedApp>;
}

async function withInstallation(play: (it: Installation, gate: Gate) => Promise<void>): Promise<void> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'switchyard-update-'));
  const image = path.join(folder, 'Switchyard.AppImage');
  const starts = path.join(folder, 'starts');
  const server = await UpdateServer.start(
    (version) =>
      `#!/bin/sh\necho ${version} "\${APPIMAGE_EXIT_AFTER_INSTALL-runs}" "\${ELECTRON_RUN_AS_NODE-}" >> '${starts}'\n`,
  );
  const feed = `provider: generic\nurl: ${server.url}\nupdaterCacheDirName: switchyard-updater\n`;
  const gate = makeGate();
  const opened: LaunchedApp[] = [];
  try {
    const program = makePackagedApp(path.join(folder, 'app'), '0.1.0', feed);
    fs.writeFileSync(image, 'the old version', { mode: 0o755 });
    const launch = async (settings: object = {}) => {
      const env = { APPIMAGE: image, XDG_CACHE_HOME: path.join(folder, 'cache') };
      const it = await launchApp({ program, settings: { theme: 'dark', ...settings }, env });
      opened.push(it);
      return it;
    };
    const started = () => (fs.existsSync(starts) ? fs.readFileSync(starts, 'utf8').trim().split('\n') : []);
    await play({ server, image, started, launch }, gate);
  } finally {
    gate.open();
    for (const it of opened) await it.close();
    await server.close();
    gate.release();
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

/** Looks for a new version as the button does, and resolves with what came of it. */
async function check(page: Page) {
  const answer = await page.evaluate(() => window.switchyard.invoke('updates.check', {}));
  if (!answer.ok) throw new Error(answer.error.message);
  await expect.poll(async () => (await snapshot(page)).update.kind).not.toMatch(/^(checking|downloading)$/);
  return (await snapshot(page)).update;
}

async function quitBy(it: LaunchedApp, leave: () => Promise<unknown>): Promise<void> {
  const child = it.app.process();
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  leave().catch(() => {}); // the connection ends with the app
  await ended;
}

test('a new version is found, verified, told, and installed by quitting, while a command runs on', async () => {
  await withInstallation(async ({ server, image, started, launch }, gate) => {
    const it = await launch({ onQuit: 'leave' });
    const { page } = it;
    expect((await snapshot(page)).app.version).toBe('0.1.0');
    await send(page, `echo yard-$((1+1)); ${gate.loop}`);
    const { command } = await findCommand(page, ({ cmd }) => cmd.startsWith('echo yard-'));

    // Nothing there, an older version, one that is not the published one: nothing is taken, and each is said.
    expect(await check(page)).toMatchObject({
      kind: 'failed',
      message: expect.stringContaining('no versions'),
    });
    server.offer('latest', { version: '0.0.9' });
    expect(await check(page)).toMatchObject({ kind: 'idle', checkedAt: expect.any(Number) });
    server.offer('latest', { version: '0.1.1', sha512: Buffer.alloc(64, 1).toString('base64') });
    expect(await check(page)).toMatchObject({
      kind: 'failed',
      message: expect.stringContaining('thrown away'),
    });
    expect(fs.readFileSync(image, 'utf8')).toBe('the old version');

    server.offer('latest', { version: '0.1.1' });
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'Check now' }).click();
    const notice = page.getByRole('dialog').getByRole('status');
    await expect(notice).toContainText('Version 0.1.1 is installed when you quit. Commands run on.');
    expect(await check(page)).toMatchObject({ kind: 'ready', version: '0.1.1' });
    expect(fs.readFileSync(image, 'utf8')).toBe('the old version');

    await quitBy(it, () => it.app.evaluate(({ app }) => app.quit()));
    expect(fs.readFileSync(image, 'utf8')).toContain('echo 0.1.1');
    expect(started()).toEqual(['0.1.1 true']);
    // The command is the host's, and the host is not the app's.
    expect(() => process.kill(command.pid ?? 0, 0)).not.toThrow();
    expect(it.errors).toEqual([]);
  });
});

test('the channel is respected, and Restart now takes the road that asks about commands', async () => {
  await withInstallation(async ({ server, image, started, launch }, gate) => {
    const it = await launch();
    const { page } = it;
    server.offer('latest', { version: '0.1.0' });
    server.offer('beta', { version: '0.2.0-beta.1' });
    expect(await check(page)).toMatchObject({ kind: 'idle' });
    expect(server.asked).not.toContain('/beta-linux.yml');
    await page.evaluate(() =>
      window.switchyard.invoke('settings.update', { updates: { check: true, channel: 'beta' } }),
    );
    expect(await check(page)).toMatchObject({ kind: 'ready', version: '0.2.0-beta.1' });

    await send(page, `echo yard-$((1+1)); ${gate.loop}`);
    await findCommand(page, ({ cmd }) => cmd.startsWith('echo yard-'));
    await it.app.evaluate(({ dialog }) => {
      const asked: string[] = [];
      Object.assign(globalThis, { asked });
      dialog.showMessageBox = async (...args: unknown[]) => {
        asked.push((args.at(-1) as { message: string }).message);
        return { response: asked.length === 1 ? 2 : 0, checkboxChecked: false }; // Cancel, then Leave running
      };
    });
    const asked = () => it.app.evaluate(() => (globalThis as unknown as { asked: string[] }).asked);
    await page.getByRole('button', { name: 'Restart now' }).click();
    await expect.poll(asked).toEqual(['1 command is running']);
    expect(fs.readFileSync(image, 'utf8')).toBe('the old version');

    await quitBy(it, () => page.getByRole('button', { name: 'Restart now' }).click());
    expect(fs.readFileSync(image, 'utf8')).toContain('echo 0.2.0-beta.1');
    await expect.poll(started).toEqual(['0.2.0-beta.1 runs']);
  });
});

test('a signal installs nothing, and a version of the channel that was left is not installed', async () => {
  await withInstallation(async ({ server, image, started, launch }) => {
    server.offer('latest', { version: '0.1.1' });
    server.offer('beta', { version: '0.2.0-beta.1' });
    const signalled = await launch();
    expect(await check(signalled.page)).toMatchObject({ kind: 'ready', version: '0.1.1' });
    await quitBy(signalled, async () => signalled.app.process().kill('SIGTERM'));

    const it = await launch({ updates: { check: false, channel: 'beta' } });
    expect(await check(it.page)).toMatchObject({ kind: 'ready', version: '0.2.0-beta.1' });
    server.offer('latest', null);
    await it.page.evaluate(() =>
      window.switchyard.invoke('settings.update', { updates: { check: false, channel: 'stable' } }),
    );
    expect((await snapshot(it.page)).update).toMatchObject({ kind: 'idle' });
    await quitBy(it, () => it.app.evaluate(({ app }) => app.quit()));
    expect(fs.readFileSync(image, 'utf8')).toBe('the old version');
    expect(started()).toEqual([]);
  });
});

test('a build without a feed says so, and asks nobody', async () => {
  const it = await launchApp();
  try {
    await it.page.getByRole('button', { name: 'Settings' }).click();
    await expect(it.page.getByRole('dialog')).toContainText('This build has no update feed.');
    await expect(it.page.getByRole('button', { name: 'Check now' })).toHaveCount(0);
    expect(it.errors).toEqual([]);
  } finally {
    await it.close();
  }
});
