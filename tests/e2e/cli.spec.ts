// The command line and the window: one window, one session a folder, and everything that lives in one list.
import { execFile, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { electronPath, rootFlags } from '../../build/electron-runtime.mjs';
import { makeGate } from '../support/gate.ts';
import { endHost } from '../support/host.ts';
import { type LaunchedApp, launchApp } from '../support/launch-app.ts';
import { findCommand, regions, snapshot } from '../support/window.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const CLI = path.join(ROOT, 'out/main/cli.js');

interface Answer {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

function execute(args: readonly string[], env: NodeJS.ProcessEnv, cwd = ROOT): Promise<Answer> {
  return new Promise((resolve) => {
    execFile(electronPath(), args, { cwd, env }, (error, stdout, stderr) => {
      const status = error === null ? 0 : Number(error.code ?? -1);
      resolve({ status, stdout, stderr });
    });
  });
}

const plain = (): NodeJS.ProcessEnv => {
  const { ELECTRON_RUN_AS_NODE: _, ...env } = process.env;
  return env;
};

/** The program itself, as a desktop entry or a person starts it. */
const program = (userData: string, args: readonly string[], cwd?: string, env = plain()) =>
  execute([...rootFlags, `--user-data-dir=${userData}`, ROOT, ...args], env, cwd);

/** What the installed `switchyard` does: the program as Node. */
const commandLine = (userData: string, args: readonly string[], cwd?: string) =>
  execute([CLI, ...args], { ...plain(), ELECTRON_RUN_AS_NODE: '1', SWITCHYARD_DATA_DIR: userData }, cwd);

const openFolder = async ({ page }: LaunchedApp): Promise<string | undefined> => {
  const id = await page.evaluate(() => {
    const view = JSON.parse(localStorage.getItem('switchyard.view') ?? '{}');
    return view.state?.openSessionId as string | undefined;
  });
  return (await snapshot(page)).sessions.find((session) => session.id === id)?.workspace;
};

const sessionsOf = async ({ page }: LaunchedApp, folder: string) =>
  (await snapshot(page)).sessions.filter(({ workspace }) => workspace === folder).length;

test('a folder is opened by the first start and by those that follow, without piling up sessions', async () => {
  const folders = ['one', 'two'].map((name) => fs.mkdtempSync(path.join(os.tmpdir(), `switchyard-${name}-`)));
  const [one = '', two = ''] = folders;
  const it = await launchApp({ args: [one] });
  try {
    await expect.poll(() => openFolder(it)).toBe(one);

    // A second program hands over and ends; the folder is meant where it was started.
    expect(await program(it.userData, ['.'], two)).toMatchObject({ status: 0 });
    await expect.poll(() => openFolder(it)).toBe(two);
    expect(await commandLine(it.userData, [one])).toMatchObject({ status: 0, stderr: '' });
    await expect.poll(() => openFolder(it)).toBe(one);
    expect(await commandLine(it.userData, ['.'], two)).toMatchObject({ status: 0, stderr: '' });
    await expect.poll(() => openFolder(it)).toBe(two);
    expect([await sessionsOf(it, one), await sessionsOf(it, two)]).toEqual([1, 1]);

    expect(await commandLine(it.userData, ['--new-session', one])).toMatchObject({ status: 0 });
    await expect.poll(() => sessionsOf(it, one)).toBe(2);
    await expect.poll(() => openFolder(it)).toBe(one);

    // Only shown, and nothing is opened.
    expect(await commandLine(it.userData, [])).toMatchObject({ status: 0, stderr: '' });
    expect((await program(it.userData, [path.join(one, 'gone')])).status).toBe(0);
    await expect(it.page.getByRole('alert')).toContainText('gone is not a folder');
    expect(await commandLine(it.userData, [path.join(one, 'gone')])).toMatchObject({ status: 2 });
    expect(await openFolder(it)).toBe(one);
    expect(it.errors).toEqual([]);
  } finally {
    await it.close();
    for (const folder of folders) fs.rmSync(folder, { recursive: true });
  }
});

test('what runs in a terminal is shown in the window, and stopped from either', async () => {
  const gate = makeGate();
  const it = await launchApp();
  const env = { ...plain(), ELECTRON_RUN_AS_NODE: '1', SWITCHYARD_DATA_DIR: it.userData };
  const running = spawn(electronPath(), [CLI, 'run', '--', `echo from outside; ${gate.loop}`], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = new Promise((resolve) => running.once('exit', resolve));
  try {
    const { command, session } = await findCommand(it.page, ({ cmd }) => cmd.startsWith('echo from outside'));
    expect(session.title).toBe('terminal');
    await expect(regions(it.page).jobs).toContainText('echo from outside');
    const jobs = await commandLine(it.userData, ['jobs']);
    expect(jobs.stdout).toMatch(/^\w{4}\s+running\s.*terminal\s+echo from outside/m);
    await it.page.evaluate(
      (commandId) => window.switchyard.invoke('command.stop', { commandId }),
      command.id,
    );
    expect(await ended).toBe(143);
    expect(await commandLine(it.userData, ['jobs'])).toMatchObject({ stdout: 'No commands are running.\n' });
    // All that is run in a folder is in one session.
    expect(await commandLine(it.userData, ['run', '--', 'echo again'])).toMatchObject({ stdout: 'again\n' });
    const again = await findCommand(it.page, ({ cmd }) => cmd === 'echo again');
    expect(again.session.id).toBe(session.id);
  } finally {
    gate.open();
    running.kill();
    await it.close();
    gate.release();
  }
});

test('without a display the program does what the command line does', async () => {
  const data = fs.mkdtempSync(path.join(os.tmpdir(), 'switchyard-headless-'));
  const { DISPLAY: _display, WAYLAND_DISPLAY: _wayland, ...env } = plain();
  try {
    const { version } = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
    expect(await program(data, ['--version'], ROOT, env)).toMatchObject({
      status: 0,
      stdout: `${version}\n`,
    });
    expect(await program(data, ['jobs'], ROOT, env)).toMatchObject({ stdout: 'No commands are running.\n' });
    expect(await program(data, ['stop'], ROOT, env)).toMatchObject({ status: 2 });
    const line = 'echo hi; env | grep -c ^ELECTRON_; exit 3';
    expect(await program(data, ['run', '--', line], ROOT, env)).toMatchObject({
      status: 3,
      stdout: 'hi\n0\n',
    });
    expect(fs.existsSync(path.join(data, 'host/commands'))).toBe(true);
    // The window itself says what is missing.
    const opened = await execute([CLI, '.'], { ...env, ELECTRON_RUN_AS_NODE: '1' });
    expect(opened).toMatchObject({ status: 1, stderr: expect.stringContaining('no display') });
  } finally {
    endHost(path.join(data, 'host'));
    fs.rmSync(data, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
});

test('a signal to the program reaches what does the work in its place: nothing of it stays, and the command runs on', async () => {
  const data = fs.mkdtempSync(path.join(os.tmpdir(), 'switchyard-headless-'));
  const gate = makeGate();
  try {
    const words = ['run', '--', `echo begun; ${gate.loop}`];
    const child = spawn(electronPath(), [...rootFlags, `--user-data-dir=${data}`, ROOT, ...words], {
      env: plain(),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    child.stderr.on('data', (chunk) => {
      said += chunk;
    });
    // `close`: nobody holds its streams any more.
    const closed = new Promise((resolve) => child.once('close', resolve));
    await new Promise((resolve) => child.stdout.once('data', resolve));
    child.kill('SIGTERM');
    expect(await closed).toBe(143);
    expect(said).toContain('The command runs on.');
    expect(await program(data, ['jobs'])).toMatchObject({ stdout: expect.stringContaining('echo begun') });
  } finally {
    gate.release();
    endHost(path.join(data, 'host'));
    fs.rmSync(data, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
});
