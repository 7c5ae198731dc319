import fs from 'node:fs';
import { expect, type Page, test } from '@playwright/test';
import { hostPid } from '../support/host.ts';
import { launchApp } from '../support/launch-app.ts';
import { card, findCommand, send, snapshot, terminalText } from '../support/window.ts';

const FLOOD_MS = 10_000;
/** Between two looks at the memory of a process in a flood. */
const SETTLED_MS = 3_000;
/** What a process may grow by while the flood goes on: caches and heap, never the output, which is hundreds of MB. */
const GROWTH_MB = 48;
const STOP_MS = 200;
/** Four floods share two cores with the window that shows them. */
const STOP_ALL_MS = 1_500;
/** Everything that is typed waits for four floods to be drawn. */
const TEST_MS = 120_000;

/** Resident memory in MB of every process of the app and of its host, by name. */
async function memory(it: Awaited<ReturnType<typeof launchApp>>): Promise<Record<string, number>> {
  const processes = await it.app.evaluate(({ app }) =>
    app.getAppMetrics().map(({ type, pid }) => ({ name: `${type} ${pid}`, pid })),
  );
  const host = hostPid(`${it.userData}/host`) ?? 0;
  const sizes: Record<string, number> = {};
  for (const { name, pid } of [...processes, { name: `host ${host}`, pid: host }]) {
    const status = fs.readFileSync(`/proc/${pid}/status`, 'utf8');
    sizes[name] = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
  }
  return sizes;
}

/** Starts floods whose output is seen in their panes. */
async function startFloods(page: Page, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 1; i <= count; i++) {
    await send(page, `yes ${i}`);
    const { command } = await findCommand(
      page,
      ({ cmd, state }) => cmd === `yes ${i}` && state === 'running',
    );
    await expect.poll(() => terminalText(page, command.id)).toContain(`${i}\n${i}\n${i}`);
    ids.push(command.id);
  }
  return ids;
}

/** Milliseconds from the call that stops everything to the news that the last of them has ended. */
function stopAll(page: Page, ids: string[]): Promise<number> {
  return page.evaluate(async (left) => {
    const began = performance.now();
    const ended = new Promise<number>((resolve) => {
      window.switchyard.subscribe(({ event }) => {
        if (event.type !== 'command.terminal' || !left.includes(event.command.id)) return;
        left.splice(left.indexOf(event.command.id), 1);
        if (left.length === 0) resolve(performance.now() - began);
      });
    });
    await window.switchyard.invoke('commands.stopAll', {});
    return ended;
  }, ids);
}

/** Floods so many panes for ten seconds, looks at the window and at the memory meanwhile, and stops them. */
async function flood(count: number, rounds: number, stopLimitMs: number): Promise<void> {
  test.setTimeout(TEST_MS);
  const it = await launchApp({ settings: { theme: 'dark' } });
  try {
    const { page } = it;
    const ids = await startFloods(page, count);

    const end = performance.now() + FLOOD_MS;
    let before: Record<string, number> | null = null;
    let looks = 0;
    while (performance.now() < end) {
      // The window answers: a person's typing and the page's own drawing get their turn.
      await page.getByRole('textbox', { name: 'Message' }).fill(`still here ${looks++}`);
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
      if (end - performance.now() < FLOOD_MS - SETTLED_MS) before ??= await memory(it);
    }
    const after = await memory(it);
    const { commands } = await snapshot(page);
    const written = commands.reduce((sum, command) => sum + command.outputBytes, 0) / 1024 / 1024;
    console.log(
      `flood of ${count}: ${written.toFixed(0)} MB written, ${looks} looks`,
      JSON.stringify({ before, after }),
    );
    expect(looks).toBeGreaterThan(10);
    expect(written, 'a process that kept the output would be found').toBeGreaterThan(GROWTH_MB);
    for (const [name, size] of Object.entries(after)) {
      expect(size - (before?.[name] ?? size), `growth of ${name} in MB`).toBeLessThan(GROWTH_MB);
    }

    // The median: one stop on a busy machine says little.
    const stops = [await stopAll(page, ids)];
    while (stops.length < rounds) stops.push(await stopAll(page, await startFloods(page, count)));
    console.log(
      `flood of ${count}: stopped ${stops.map((took) => took.toFixed(0)).join(', ')} ms after the call`,
    );
    expect(stops.toSorted((a, b) => a - b)[Math.floor(rounds / 2)]).toBeLessThan(stopLimitMs);
    await expect(card(page, `yes ${count}`).getByText('Stopped', { exact: true }).first()).toBeVisible();
    expect(it.errors).toEqual([]);
  } finally {
    await it.close();
  }
}

test('a flood in a visible pane: memory bounded, the window answers, Stop works at once', () =>
  flood(1, 3, STOP_MS));

test('floods in four panes: memory bounded, the window answers, Stop works', () => flood(4, 1, STOP_ALL_MS));
