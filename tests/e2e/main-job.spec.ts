import { expect, type Page, test } from '@playwright/test';
import { type Gate, makeGate } from '../support/gate.ts';
import { type LaunchedApp, launchApp } from '../support/launch-app.ts';
import { card, findCommand, regions, SHORT_LIMITS, send, terminalText } from '../support/window.ts';

/** Long enough for six looks at a quiet command under the short limits, on a busy machine. */
const HANDOFF_MS = 30_000;

/** Runs a test on an app of its own with a closed gate, and leaves nothing behind. */
async function withApp(play: (it: LaunchedApp, gate: Gate) => Promise<void>): Promise<void> {
  const gate = makeGate();
  const it = await launchApp({ settings: { theme: 'dark', limits: SHORT_LIMITS } });
  try {
    await play(it, gate);
    expect(it.errors, 'nothing was written to the console as an error').toEqual([]);
  } finally {
    gate.open();
    await it.close();
    gate.release();
  }
}

const mainJob = (gate: Gate) => `echo live-$((40+2)); ${gate.loop}; printf background-finished; exit 7`;
const MAIN_JOB = /^Command: echo live-/;

const only = (page: Page) => findCommand(page, (command) => command.cmd.startsWith('echo live-'));

/** The end of the main job: one wake, the truth about it, and the output whole. */
async function expectOneWake(page: Page, how: RegExp): Promise<void> {
  const { chat } = regions(page);
  await expect(chat.getByText(/^Resumed: /)).toHaveCount(1);
  await expect(chat.getByRole('log').getByText(how).last()).toBeVisible();
  await expect.poll(async () => (await only(page)).session.status).toBe('idle');
  // Exactly once, also when one waits for a second one: every backstop look has its chance.
  await page.waitForFunction(async () => {
    const answer = await window.switchyard.invoke('events.subscribe', {});
    return (
      answer.ok &&
      answer.value.sessions.every((session) => session.wait === null && session.status === 'idle')
    );
  });
  await expect(chat.getByText(/^Resumed: /)).toHaveCount(1);
}

test('a quiet command is handed off, the chat is free meanwhile, and it wakes exactly once', async () => {
  await withApp(async ({ page }, gate) => {
    const { chat, jobs } = regions(page);
    await send(page, mainJob(gate));
    await expect(card(page, MAIN_JOB)).toBeVisible();

    // Its output is live in a pane.
    await expect.poll(async () => terminalText(page, (await only(page)).command.id)).toContain('live-42');

    // The quiet guard hands it off, and nobody is asked anything.
    const banner = chat.getByRole('status').filter({ hasText: /^Suspended\./ });
    await expect(banner).toBeVisible({ timeout: HANDOFF_MS });
    await expect(page.getByRole('dialog')).toHaveCount(0);
    const asleep = await only(page);
    expect(asleep.session.status).toBe('suspended');
    expect(asleep.command.placement).toBe('background');
    await expect(card(page, MAIN_JOB).getByText('In background')).toBeVisible();

    // A second message is answered while it still runs, and the wait stays armed.
    await send(page, 'echo answered-$((6*7))');
    await expect(chat.getByRole('log').getByText('echo answered-$((6*7)) exited 0')).toBeVisible();
    await expect(banner).toBeVisible();
    const answered = await only(page);
    expect(answered.session.wait?.generation).toBe(asleep.session.wait?.generation);
    expect(answered.command.state).toBe('running');

    // While it sleeps no request is spent.
    gate.open();
    await expect(card(page, MAIN_JOB).getByText('Exited 7')).toBeVisible();
    await expectOneWake(page, /exited 7 after/);
    await expect(chat.getByRole('log').getByText('background-finished').last()).toBeVisible();
    await expect(jobs.getByRole('row', { name: MAIN_JOB_ROW }).getByText('Exited 7')).toBeVisible();
    const woken = await only(page);
    expect(woken.command.exitCode).toBe(7);
    expect(woken.session.requests).toBe(answered.session.requests + 1);

    // A later read returns exactly that output.
    await send(page, `/output ${woken.command.id}`);
    const output = chat.getByRole('log').locator('pre').last();
    await expect(output).toHaveText('live-42\nbackground-finished');
  });
});

test('Detach frees the chat at once, and the end wakes it exactly once', async () => {
  await withApp(async ({ page }, gate) => {
    const { chat } = regions(page);
    await send(page, mainJob(gate));
    await card(page, MAIN_JOB).getByRole('button', { name: 'Detach' }).click();
    await expect(
      chat.getByRole('log').getByText(/goes on in the background: the user moved it/),
    ).toBeVisible();
    await expect(chat.getByRole('status').filter({ hasText: /^Suspended\./ })).toBeVisible();
    const asleep = await only(page);
    expect(asleep.command.state).toBe('running');
    await send(page, 'echo answered-$((6*7))');
    await expect(chat.getByRole('log').getByText('echo answered-$((6*7)) exited 0')).toBeVisible();
    await expect.poll(async () => (await only(page)).session.status).toBe('suspended');
    const answered = await only(page);
    expect(answered.session.wait).toEqual(asleep.session.wait);
    gate.open();
    await expectOneWake(page, /exited 7 after/);
    expect((await only(page)).session.requests).toBe(answered.session.requests + 1);
  });
});

test('Stop ends a suspended command with its tree, and the end wakes the chat exactly once', async () => {
  await withApp(async ({ page }, gate) => {
    const { chat, jobs } = regions(page);
    await send(page, mainJob(gate));
    await card(page, MAIN_JOB).getByRole('button', { name: 'Detach' }).click();
    await expect(chat.getByRole('status').filter({ hasText: /^Suspended\./ })).toBeVisible();
    await jobs.getByRole('row', { name: MAIN_JOB_ROW }).getByRole('button', { name: 'Stop' }).click();
    await expect(card(page, MAIN_JOB).getByText('Stopped', { exact: true })).toBeVisible();
    await expectOneWake(page, /was stopped after/);
    const { command } = await only(page);
    expect(command.by).toBe('user');
    expect(command.descendants).toEqual([]);
  });
});

test('what is typed into a pane goes to the command', async () => {
  await withApp(async ({ page }) => {
    await send(page, 'echo live-$((1+1)); read -r line; echo "got [$line]"');
    const pane = page.getByRole('region', { name: /^Terminal: echo live-/ });
    await expect.poll(async () => terminalText(page, (await only(page)).command.id)).toContain('live-2');
    await pane.getByRole('textbox', { name: 'Terminal input' }).focus();
    await page.keyboard.type('hello there');
    await page.keyboard.press('Enter');
    await expect
      .poll(async () => terminalText(page, (await only(page)).command.id))
      .toContain('got [hello there]');
    await expect(card(page, /^Command: echo live-/).getByText('Exited 0')).toBeVisible();
  });
});

test('help explains the built-in agent, and a first example runs at a press', async () => {
  await withApp(async ({ page }) => {
    const { chat } = regions(page);
    await chat.getByRole('button', { name: 'Run', exact: true }).first().click();
    await expect(card(page, /^Command: for i in 1 2 3/)).toBeVisible();
    await send(page, 'help');
    await expect(chat.getByRole('log').getByText('built-in agent').first()).toBeVisible();
  });
});

const MAIN_JOB_ROW = /echo live-/;
