import fs from 'node:fs';
import path from 'node:path';
import AxeBuilder from '@axe-core/playwright';
import { expect, type Locator, type Page, test } from '@playwright/test';
import { type LaunchedApp, launchApp } from '../support/launch-app.ts';
import { card, regions, send, snapshot } from '../support/window.ts';

/** Runs a test on an app of its own in which every agent, also the built-in one, asks. */
async function withApp(approvals: 'ask' | 'rules', play: (it: LaunchedApp) => Promise<void>): Promise<void> {
  const it = await launchApp({ settings: { theme: 'dark', approvals } });
  try {
    await play(it);
    expect(it.errors, 'nothing was written to the console as an error').toEqual([]);
  } finally {
    await it.close();
  }
}

const question = (page: Page, cmd: string): Locator =>
  regions(page).chat.getByRole('group', { name: `Approval: ${cmd}`, exact: true });
const runOnce = (page: Page, cmd: string): Locator =>
  question(page, cmd).getByRole('button', { name: 'Run once' });
const chip = (page: Page): Locator => regions(page).chat.getByRole('button', { name: /^Approvals: / });

/** A question takes no yes in its first moment. */
const armed = (button: Locator) => expect(button).toHaveAttribute('data-armed', 'true');

test('a command asks, Enter runs it once, and nothing runs before', async () => {
  await withApp('ask', async ({ page, userData }) => {
    const { chat, sessions, jobs } = regions(page);
    const made = path.join(userData, 'made');
    const cmd = `touch '${made}'; rm -f ~/no-such-file`;
    await expect(chip(page)).toHaveText('Ask always');
    await send(page, cmd);
    await expect(question(page, cmd)).toContainText('Every command is asked for.');
    await expect(question(page, cmd)).toContainText('Asks');
    await expect(runOnce(page, cmd)).toBeFocused();
    await expect(sessions.getByText(/^Asks: touch/)).toBeVisible();
    await expect(jobs.getByRole('row', { name: `Asked: ${cmd}` })).toBeVisible();
    await expect(chat.getByRole('status').filter({ hasText: /^The agent asks to run/ })).toHaveCount(1);
    expect((await snapshot(page)).commands).toEqual([]);
    const { violations } = await new AxeBuilder({ page }).include('.card.ask').setLegacyMode().analyze();
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);

    await armed(runOnce(page, cmd));
    await page.keyboard.press('Enter');
    await expect(card(page, `${cmd}`).getByText('Exited 0')).toBeVisible();
    expect(fs.existsSync(made)).toBe(true);
    await expect(question(page, cmd)).toHaveCount(0);
    await expect(page.getByRole('textbox', { name: 'Message' })).toBeFocused();
  });
});

test('a refusal says so, with its reason, and the command does not run', async () => {
  await withApp('ask', async ({ page }) => {
    const { chat } = regions(page);
    await send(page, 'sudo true');
    await expect(question(page, 'sudo true')).toContainText('Runs as another user.');
    await expect(runOnce(page, 'sudo true')).toBeFocused();
    await page.keyboard.press('Escape');
    const refuse = question(page, 'sudo true').getByRole('button', { name: 'Refuse' });
    await expect(refuse).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(question(page, 'sudo true').getByRole('textbox', { name: 'Reason' })).toBeFocused();
    await page.keyboard.type('not on this machine');
    await page.keyboard.press('Enter');
    await expect(card(page, 'sudo true').getByText('Refused', { exact: true })).toBeVisible();
    await expect(card(page, 'sudo true')).toContainText('not on this machine');
    await expect(
      chat
        .getByRole('log')
        .getByText(/not on this machine/)
        .last(),
    ).toBeVisible();
    expect((await snapshot(page)).commands).toEqual([]);
  });
});

test('"Always allow" makes a rule of the folder, which is shown and can be deleted', async () => {
  await withApp('rules', async ({ page }) => {
    await expect(chip(page)).toHaveText('Ask unless allowed');
    await send(page, 'git --version');
    await question(page, 'git --version')
      .getByRole('button', { name: 'Always allow git --version here' })
      .hover();
    await armed(runOnce(page, 'git --version'));
    await question(page, 'git --version')
      .getByRole('button', { name: 'Always allow git --version here' })
      .click();
    await expect(card(page, /^Command: git --version$/).getByText('Exited 0')).toBeVisible();
    await send(page, 'git --version 2>&1');
    await expect(card(page, 'git --version 2>&1').getByText('Exited 0')).toBeVisible();
    await send(page, 'git --version; echo more');
    await expect(question(page, 'git --version; echo more')).toBeVisible();

    await chip(page).click();
    const panel = page.getByRole('dialog', { name: 'Approvals' });
    await expect(panel.getByRole('radio', { name: /^Ask unless allowed/ })).toBeChecked();
    await panel.getByRole('button', { name: 'Delete the rule git --version (exactly)' }).click();
    await expect(panel.getByText(/^Nothing yet/)).toBeVisible();
    await panel.getByRole('radio', { name: /^Run freely/ }).click();
    await page.keyboard.press('Escape');
    await expect(chip(page)).toHaveText('Runs freely');
    // What is asked stays asked: a mode is no answer.
    await expect(question(page, 'git --version; echo more')).toBeVisible();
    await page.getByRole('button', { name: 'Stop turn' }).click();
    await expect(card(page, 'git --version; echo more')).toContainText('The turn was stopped');
    await send(page, 'echo free');
    await expect(card(page, 'echo free').getByText('Exited 0')).toBeVisible();
  });
});

test('what is being written goes on, and no key of it is a yes', async () => {
  await withApp('ask', async ({ page }) => {
    const box = page.getByRole('textbox', { name: 'Message' });
    await send(page, 'echo asked');
    await expect(runOnce(page, 'echo asked')).toBeFocused();
    // The first letter goes to where messages are written, and takes the focus there.
    await page.keyboard.type('wait, not yet');
    await expect(box).toBeFocused();
    await expect(box).toHaveValue('wait, not yet');
    await page.keyboard.press('Enter');
    await expect(box).toHaveValue('');
    await expect(question(page, 'echo asked')).toBeVisible();
    expect((await snapshot(page)).commands).toEqual([]);
  });
});

test('what is asked survives SIGKILL of the app, and can still be answered', async () => {
  const first = await launchApp({ settings: { theme: 'dark', approvals: 'ask' } });
  let second: LaunchedApp | null = null;
  try {
    await send(first.page, 'echo survived-$((40+2))');
    await expect(question(first.page, 'echo survived-$((40+2))')).toBeVisible();
    const child = first.app.process();
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;

    second = await launchApp({ userData: first.userData });
    const { page } = second;
    await expect(question(page, 'echo survived-$((40+2))')).toBeVisible();
    expect((await snapshot(page)).commands).toEqual([]);
    await expect(runOnce(page, 'echo survived-$((40+2))')).toBeFocused();
    await armed(runOnce(page, 'echo survived-$((40+2))'));
    await page.keyboard.press('Enter');
    await expect(card(page, 'echo survived-$((40+2))').getByText('Exited 0')).toBeVisible();
    await expect(regions(page).chat.getByText('survived-42').first()).toBeVisible();
    expect((await snapshot(page)).sessions[0]).toMatchObject({ approvals: [] });
    expect(second.errors).toEqual([]);
  } finally {
    await (second ?? first).close();
  }
});
