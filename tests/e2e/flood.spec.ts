import fs from 'node:fs';
import { expect, test } from '@playwright/test';
import { launchApp } from '../support/launch-app.ts';
import { card, findCommand, send, terminalText } from '../support/window.ts';

const FLOOD_MS = 10_000;
/** Between two looks at the memory of a process in a flood. */
const SETTLED_MS = 3_000;
/** What a process may grow by while the flood goes on: caches and heap, never the output, which is hundreds of MB. */
const GROWTH_MB = 48;
const STOP_MS = 200;

/** Resident memory in MB of every process of the app and of its host, by name. */
async function memory(it: Awaited<ReturnType<typeof launchApp>>): Promise<Record<string, number>> {
  const processes = await it.app.evaluate(({ app }) =>
    app.getAppMetrics().map(({ type, pid }) => ({ name: `${type} ${pid}`, pid })),
  );
  const host = Number(fs.readFileSync(`${it.userData}/host/host.pid`, 'utf8'));
  const sizes: Record<string, number> = {};
  for (const { name, pid } of [...processes, { name: `host ${host}`, pid: host }]) {
    const status = fs.readFileSync(`/proc/${pid}/status`, 'utf8');
    sizes[name] = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
  }
  return sizes;
}

test('a flood in a visible pane: memory bounded, the window answers, Stop works at once', async () => {
  const it = await launchApp({ settings: { theme: 'dark' } });
  try {
    const { page } = it;
    await send(page, 'yes');
    const { command } = await findCommand(page, ({ cmd }) => cmd === 'yes');
    await expect.poll(() => terminalText(page, command.id)).toContain('y\ny\ny');

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
    const written =
      (await findCommand(page, ({ id }) => id === command.id)).command.outputBytes / 1024 / 1024;
    console.log(`flood: ${written.toFixed(0)} MB written, ${looks} looks`, JSON.stringify({ before, after }));
    expect(looks).toBeGreaterThan(10);
    expect(written, 'a process that kept the output would be found').toBeGreaterThan(GROWTH_MB);
    for (const [name, size] of Object.entries(after)) {
      expect(size - (before?.[name] ?? size), `growth of ${name} in MB`).toBeLessThan(GROWTH_MB);
    }

    const took = await page.evaluate(async (commandId) => {
      const began = performance.now();
      const ended = new Promise<number>((resolve) => {
        window.switchyard.subscribe(({ event }) => {
          if (event.type === 'command.terminal' && event.command.id === commandId)
            resolve(performance.now() - began);
        });
      });
      await window.switchyard.invoke('command.stop', { commandId });
      return ended;
    }, command.id);
    console.log(`flood: stopped ${took.toFixed(0)} ms after the call`);
    expect(took).toBeLessThan(STOP_MS);
    await expect(card(page, 'yes').getByText('Stopped', { exact: true })).toBeVisible();
    expect(it.errors).toEqual([]);
  } finally {
    await it.close();
  }
});
