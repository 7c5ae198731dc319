// A job lives through an update of the app: the installer's part is played by starting the other version's folder.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { makeGate } from '../support/gate.ts';
import { hostPid, startTime } from '../support/host.ts';
import { type LaunchedApp, launchApp } from '../support/launch-app.ts';
import { findCommand, regions, SHORT_LIMITS, send, snapshot, terminalText } from '../support/window.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const OLD_VERSION = '0.0.9';

/** The app as an earlier version has it: the same build under another number. */
function makeOldVersion(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'switchyard-old-'));
  const manifest = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  fs.writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ ...manifest, version: OLD_VERSION }));
  for (const name of ['main', 'preload', 'renderer', 'runner'])
    fs.cpSync(path.join(ROOT, 'out', name), path.join(folder, 'out', name), { recursive: true });
  fs.symlinkSync(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
  return folder;
}

test('a running job lives through an update: shown, typed into, and its end told once', async () => {
  const gate = makeGate();
  const old = makeOldVersion();
  const opened: LaunchedApp[] = [];
  try {
    const settings = { onQuit: 'leave', limits: SHORT_LIMITS };
    const before = await launchApp({ root: old, settings });
    opened.push(before);
    expect((await snapshot(before.page)).app.version).toBe(OLD_VERSION);
    await send(before.page, `echo old-$((1+1)); read word; echo got $word; ${gate.loop}; exit 7`);
    const job = await findCommand(before.page, ({ cmd }) => cmd.startsWith('echo old-'));
    const { id } = job.command;
    await expect.poll(async () => (await snapshot(before.page)).sessions[0]?.status).toBe('suspended');
    const oldHost = hostPid(path.join(before.userData, 'host'), OLD_VERSION);
    await before.quit();
    // The new version lies where the old one lay; what the old host still needs of its files is gone.
    fs.rmSync(old, { recursive: true, force: true });

    const after = await launchApp({ userData: before.userData });
    opened.push(after);
    expect((await snapshot(after.page)).app.version).not.toBe(OLD_VERSION);
    await findCommand(after.page, (command) => command.id === id && command.state === 'running');
    await expect.poll(() => terminalText(after.page, id)).toContain('old-2');
    expect(oldHost !== null && startTime(oldHost) !== null).toBe(true);
    expect(hostPid(path.join(after.userData, 'host'))).not.toBe(oldHost);

    // A person types into the pane of the old host's command.
    await after.page.locator('.xterm-helper-textarea').first().focus();
    await after.page.keyboard.type('hello\n');
    await expect.poll(() => terminalText(after.page, id)).toContain('got hello');

    gate.open();
    const ends = async () => {
      const { sessions } = await snapshot(after.page);
      return sessions.find((session) => session.id === job.session.id)?.status;
    };
    await expect.poll(ends).toBe('idle');
    const { command } = await findCommand(after.page, (one) => one.id === id && one.state === 'failed');
    expect(command.exitCode).toBe(7);
    await expect(
      regions(after.page)
        .chat.getByText(/exited 7 after/)
        .first(),
    ).toBeVisible();
    const kinds = await after.page.evaluate(async (sessionId) => {
      const answer = await window.switchyard.invoke('session.messages', { sessionId, limit: 100 });
      return answer.ok
        ? answer.value.messages.map((one) => (one.role === 'runtime' ? one.kind : one.role))
        : [];
    }, job.session.id);
    expect(kinds.filter((kind) => kind === 'completion')).toEqual(['completion']);
    expect(kinds.filter((kind) => kind === 'resumed').length).toBeLessThanOrEqual(1);
    expect(after.errors).toEqual([]);
  } finally {
    gate.open();
    for (const it of opened.reverse()) await it.close();
    gate.release();
    fs.rmSync(old, { recursive: true, force: true });
  }
});
