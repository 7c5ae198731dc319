import { expect, type Locator, type Page } from '@playwright/test';
import type {} from '../../renderer/app/debug-surface.ts';
import type {} from '../../renderer/bridge/client.ts';
import type { CommandView } from '../../shared/model/command.ts';
import type { Snapshot } from '../../shared/model/event.ts';
import type { SessionView } from '../../shared/model/session.ts';

/** Limits under which the quiet guard fires within seconds. */
export const SHORT_LIMITS = { quietAfterMs: 600, execYieldMs: 300, pollYieldMs: 250, stopGraceMs: 500 };

/** The regions of the window, by the names that screen readers use. */
export const regions = (page: Page) => ({
  sessions: page.getByRole('region', { name: 'Sessions' }),
  chat: page.getByRole('region', { name: 'Chat' }),
  terminals: page.getByRole('region', { name: 'Terminals' }),
  jobs: page.getByRole('region', { name: 'Jobs' }),
});

/** Writes a message into the open session, as a person does. */
export async function send(page: Page, text: string): Promise<void> {
  const box = page.getByRole('textbox', { name: 'Message' });
  await box.fill(text);
  await box.press('Enter');
  await expect(box).toHaveValue('');
}

/** The small facts as the window gets them. */
export async function snapshot(page: Page): Promise<Snapshot> {
  const answer = await page.evaluate(() => window.switchyard.invoke('events.subscribe', {}));
  if (!answer.ok) throw new Error(answer.error.message);
  return answer.value;
}

/** Text of a command's terminal, read from its buffer. */
export function terminalText(page: Page, commandId: string): Promise<string> {
  return page.evaluate((id) => window.switchyardTest?.terminalText(id) ?? '', commandId);
}

export const card = (page: Page, command: RegExp | string): Locator =>
  regions(page).chat.getByRole('group', {
    name: typeof command === 'string' ? `Command: ${command}` : command,
  });

/** A command and its session, once the command is there. */
export async function findCommand(
  page: Page,
  matches: (command: CommandView) => boolean,
): Promise<{ command: CommandView; session: SessionView }> {
  const find = async () => {
    const { sessions, commands } = await snapshot(page);
    const command = commands.find(matches);
    const session = sessions.find((one) => one.id === command?.sessionId);
    return command && session ? { command, session } : null;
  };
  await expect.poll(find, { message: 'the command was started' }).not.toBeNull();
  return (await find()) as NonNullable<Awaited<ReturnType<typeof find>>>;
}
