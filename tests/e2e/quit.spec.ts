import fs from 'node:fs';
import type { ElectronApplication } from '@playwright/test';
import { expect, type Page, test } from '@playwright/test';
import { type Gate, makeGate } from '../support/gate.ts';
import { type LaunchedApp, launchApp } from '../support/launch-app.ts';
import { findCommand, regions, send, snapshot, terminalText } from '../support/window.ts';

const LEAVE = 0;
const STOP = 1;
const CANCEL = 2;
/** The app ends within this, whatever it waits for. */
const QUIT_MS = 10_000;

/** Answers the app's own question, and notes that it was asked. */
async function answerQuit(
  app: ElectronApplication,
  response: number,
  checkboxChecked = false,
): Promise<void> {
  await app.evaluate(
    ({ dialog }, answer) => {
      const asked: string[] = [];
      Object.assign(globalThis, { asked });
      dialog.showMessageBox = async (...args: unknown[]) => {
        const box = args.at(-1) as { message: string; detail: string };
        asked.push(`${box.message}\n${box.detail}`);
        return answer;
      };
    },
    { response, checkboxChecked },
  );
}

const asked = (app: ElectronApplication) =>
  app.evaluate(() => (globalThis as unknown as { asked?: string[] }).asked ?? []);

/** Asks the app to quit as its menu does, and resolves when the process has ended. */
async function quit(it: LaunchedApp): Promise<void> {
  const child = it.app.process();
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  it.app.evaluate(({ app }) => app.quit()).catch(() => {});
  await Promise.race([
    ended,
    new Promise((_, reject) => setTimeout(() => reject(new Error('the app did not end')), QUIT_MS)),
  ]);
}

async function withGate(
  play: (gate: Gate, open: (userData?: string) => Promise<LaunchedApp>) => Promise<void>,
): Promise<void> {
  const gate = makeGate();
  const opened: LaunchedApp[] = [];
  try {
    await play(gate, async (userData) => {
      const it = await launchApp(userData === undefined ? { settings: { theme: 'dark' } } : { userData });
      opened.push(it);
      return it;
    });
  } finally {
    gate.open();
    for (const it of opened.reverse()) await it.close();
    gate.release();
  }
}

async function startJob(page: Page, gate: Gate): Promise<string> {
  await send(page, `echo yard-$((1+1)); ${gate.loop}; echo done; exit 3`);
  const { command } = await findCommand(page, ({ cmd }) => cmd.startsWith('echo yard-'));
  await expect.poll(() => terminalText(page, command.id)).toContain('yard-2');
  return command.id;
}

test('with live commands quitting asks: cancel keeps the app, leave lets them run on, and the next start takes them up', async () => {
  await withGate(async (gate, open) => {
    const first = await open();
    const id = await startJob(first.page, gate);
    await answerQuit(first.app, CANCEL);
    await first.app.evaluate(({ app }) => app.quit());
    await expect.poll(() => asked(first.app)).toHaveLength(1);
    expect((await asked(first.app))[0]).toMatch(/^1 command is running\necho yard-/);
    await expect(regions(first.page).chat).toBeVisible();

    await answerQuit(first.app, LEAVE);
    await quit(first);
    const second = await open(first.userData);
    await expect(second.page.getByText('1 command ran on while Switchyard was closed.')).toBeVisible();
    const { commands } = await snapshot(second.page);
    expect(commands.find((command) => command.id === id)?.state).toBe('running');
    // Its pane has what it wrote before the quit, and its end wakes the session.
    await regions(second.page)
      .jobs.getByRole('row', { name: /echo yard-/ })
      .getByRole('button', { name: 'Show' })
      .click();
    await expect.poll(() => terminalText(second.page, id)).toContain('yard-2');
    gate.open();
    await expect(regions(second.page).chat.getByText(/^Resumed: .* exited 3/)).toHaveCount(1);
  });
});

test('stop all and quit ends the commands, and a remembered answer is not asked for again', async () => {
  await withGate(async (gate, open) => {
    const first = await open();
    const id = await startJob(first.page, gate);
    await answerQuit(first.app, STOP, true);
    await quit(first);
    expect(JSON.parse(fs.readFileSync(`${first.userData}/settings.json`, 'utf8'))).toMatchObject({
      onQuit: 'stop',
    });
    const second = await open(first.userData);
    const { commands } = await snapshot(second.page);
    expect(commands.find((command) => command.id === id)).toMatchObject({ state: 'stopped', by: 'quit' });
    await startJob(second.page, gate);
    await answerQuit(second.app, CANCEL);
    await quit(second);
  });
});

test('a signal asks nobody: commands run on', async () => {
  await withGate(async (gate, open) => {
    const first = await open();
    const id = await startJob(first.page, gate);
    const child = first.app.process();
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    child.kill('SIGTERM');
    await ended;
    const second = await open(first.userData);
    const { commands } = await snapshot(second.page);
    expect(commands.find((command) => command.id === id)?.state).toBe('running');
  });
});
