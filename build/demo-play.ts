/**
 * The main job, played in the real app: a command runs live, goes quiet, is handed off; the chat sleeps, answers a
 * message meanwhile, and wakes once with the truth. Prints a transcript, leaves screenshots in demo/, and ends with one
 * line of JSON.
 */
import fs from 'node:fs';
import path from 'node:path';
import { expect } from '@playwright/test';
import { makeGate } from '../tests/support/gate.ts';
import { launchApp } from '../tests/support/launch-app.ts';
import { card, findCommand, regions, SHORT_LIMITS, send, terminalText } from '../tests/support/window.ts';

const SHOTS = path.resolve(import.meta.dirname, '../demo');
const COMMAND_NAME = /^Command: echo building/;

const began = performance.now();
const shots: string[] = [];
const tell = (line: string) =>
  console.log(`[${((performance.now() - began) / 1000).toFixed(1).padStart(5)} s] ${line}`);

async function play(): Promise<object> {
  fs.rmSync(SHOTS, { recursive: true, force: true });
  fs.mkdirSync(SHOTS, { recursive: true });
  const gate = makeGate();
  tell('Starting the app with shortened limits: quiet after 0.6 s instead of 90 s.');
  const { page, errors, close } = await launchApp({ settings: { theme: 'dark', limits: SHORT_LIMITS } });
  const shoot = async (name: string) => {
    await page.screenshot({ path: path.join(SHOTS, `${name}.png`) });
    shots.push(`demo/${name}.png`);
    tell(`Screenshot: demo/${name}.png`);
  };
  try {
    const { chat, jobs } = regions(page);
    await expect(chat).toBeVisible();
    await page.setViewportSize({ width: 1440, height: 900 });
    await shoot('1-first-start');

    const cmd = `echo building the yard; for i in 1 2 3; do echo "  track $i laid"; done; ${gate.loop}; printf background-finished; exit 7`;
    tell('You: a command that prints a few lines and then waits for a gate that is closed.');
    await send(page, cmd);
    await expect(card(page, COMMAND_NAME)).toBeVisible();
    const find = () => findCommand(page, (command) => command.cmd === cmd);
    await expect.poll(async () => terminalText(page, (await find()).command.id)).toContain('track 3 laid');
    tell('Its output is live in a pane: "track 3 laid".');
    await shoot('2-running');

    const banner = chat.getByRole('status').filter({ hasText: /^Suspended\./ });
    await expect(banner).toBeVisible({ timeout: 30_000 });
    const asleep = await find();
    tell(
      `The quiet guard handed it off after ${asleep.session.requests} requests. The chat is suspended; the command runs on.`,
    );
    await shoot('3-suspended');

    tell('You, while it runs: date');
    await send(page, 'date +%A');
    await expect(chat.getByRole('log').getByText('date +%A exited 0')).toBeVisible();
    await expect(banner).toBeVisible();
    const answered = await find();
    if (answered.session.wait?.generation !== asleep.session.wait?.generation)
      throw new Error('The wait did not stay armed.');
    tell('Answered, and asleep again under the same wait.');
    await shoot('4-answered-while-waiting');

    tell('The gate opens: the command ends with exit code 7.');
    gate.open();
    await expect(chat.getByText(/^Resumed: /)).toHaveCount(1);
    await expect(chat.getByRole('log').getByText('background-finished').last()).toBeVisible();
    await expect(jobs.getByText('Exited 7').first()).toBeVisible();
    await expect.poll(async () => (await find()).session.status).toBe('idle');
    const woken = await find();
    tell('The session woke once and reports exit 7 and "background-finished".');
    await shoot('5-woken');

    tell('You: /output');
    await send(page, `/output ${woken.command.id}`);
    await expect(chat.getByRole('log').locator('pre').last()).toContainText('background-finished');
    tell('A later read returns the whole output.');

    await page.getByRole('button', { name: /^Theme: / }).click();
    await expect(page.locator('html')).toHaveAttribute('data-theme', 'light');
    await shoot('6-light');

    const wakes = await chat.getByText(/^Resumed: /).count();
    if (errors.length > 0) throw new Error(`The window wrote errors to its console: ${errors.join('; ')}`);
    return {
      exitCode: woken.command.exitCode,
      wakes,
      requestsToWake: woken.session.requests - answered.session.requests,
    };
  } finally {
    gate.open();
    await close();
    gate.release();
  }
}

try {
  const facts = await play();
  console.log(JSON.stringify({ ok: true, ...facts, screenshots: shots }));
} catch (error) {
  console.log(`The demo failed: ${error instanceof Error ? error.message : String(error)}`);
  console.log(JSON.stringify({ ok: false, screenshots: shots }));
  process.exitCode = 1;
}
