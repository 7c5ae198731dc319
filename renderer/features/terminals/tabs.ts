import type { CommandView } from '../../../shared/model/command.ts';
import type { Tabs } from '../../stores/view-reducer.ts';
import { isLive } from '../commands/state-words.ts';

/** The tabs of a session, oldest command first, and the one in front. */
export interface TabStrip {
  readonly commands: readonly CommandView[];
  readonly active: CommandView | null;
}

/**
 * One tab a live command, and one for each ended command that was opened. A session that this window has not touched
 * yet shows its newest command, so that its end stays readable.
 */
export function tabStrip(commands: readonly CommandView[], tabs: Tabs | undefined): TabStrip {
  const byStart = [...commands].sort((a, b) => a.startedAt - b.startedAt);
  const newest = byStart.findLast(isLive) ?? byStart.at(-1);
  const chosen = byStart.find(({ id }) => id === tabs?.active);
  const active = chosen ?? (tabs === undefined ? newest : byStart.findLast(isLive)) ?? null;
  const isOpen = (command: CommandView) =>
    isLive(command) || command === active || tabs?.opened.includes(command.id) === true;
  return { commands: byStart.filter(isOpen), active };
}

/** Which tab comes to the front when one is closed: its right neighbour, else its left one. */
export function neighbourOf(commands: readonly CommandView[], id: string): string | null {
  const at = commands.findIndex((command) => command.id === id);
  return (commands[at + 1] ?? commands[at - 1])?.id ?? null;
}
