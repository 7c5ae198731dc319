/** What a shortcut does. */
export type ShortcutId =
  | 'settings.open'
  | 'session.new'
  | 'region.next'
  | 'region.previous'
  | 'sessions.toggle'
  | 'jobs.toggle'
  | 'terminal.find'
  | 'terminal.copy'
  | 'terminal.paste';

interface Shortcut {
  readonly id: ShortcutId;
  /** `Mod` is Cmd on macOS and Ctrl elsewhere. */
  readonly keys: string;
  /** A focused terminal gets every plain Ctrl+letter, so those are for `elsewhere` only. */
  readonly where: 'anywhere' | 'elsewhere' | 'terminal';
}

/** Every shortcut of the window, once. */
export const SHORTCUTS: readonly Shortcut[] = [
  { id: 'settings.open', keys: 'Mod+,', where: 'anywhere' },
  { id: 'session.new', keys: 'Mod+N', where: 'elsewhere' },
  { id: 'session.new', keys: 'Mod+Shift+N', where: 'anywhere' },
  { id: 'region.next', keys: 'F6', where: 'anywhere' },
  { id: 'region.previous', keys: 'Shift+F6', where: 'anywhere' },
  { id: 'sessions.toggle', keys: 'Mod+B', where: 'elsewhere' },
  { id: 'jobs.toggle', keys: 'Mod+J', where: 'elsewhere' },
  { id: 'terminal.find', keys: 'Mod+Shift+F', where: 'terminal' },
  { id: 'terminal.copy', keys: 'Ctrl+Shift+C', where: 'terminal' },
  { id: 'terminal.paste', keys: 'Ctrl+Shift+V', where: 'terminal' },
];

interface KeyPress {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly shiftKey: boolean;
  readonly altKey: boolean;
}

function isPressed(keys: string, press: KeyPress, isMac: boolean): boolean {
  const parts = keys.split('+');
  const has = (part: string) => parts.includes(part);
  const key = parts.at(-1) ?? '';
  return (
    press.key.toLowerCase() === key.toLowerCase() &&
    press.ctrlKey === (has('Ctrl') || (has('Mod') && !isMac)) &&
    press.metaKey === (has('Mod') && isMac) &&
    press.shiftKey === has('Shift') &&
    press.altKey === has('Alt')
  );
}

/** The shortcut that a key press means where the focus is, if any. */
export function matchShortcut(
  press: KeyPress,
  at: { inTerminal: boolean; isMac: boolean },
): ShortcutId | null {
  const found = SHORTCUTS.find(({ keys, where }) => {
    // Cmd+letter is no input for a program, so on macOS it works in a terminal too.
    const isHere =
      where === 'anywhere' || at.inTerminal === (where === 'terminal') || (at.isMac && where === 'elsewhere');
    return isHere && isPressed(keys, press, at.isMac);
  });
  return found?.id ?? null;
}

/** Read once: where Cmd takes the place of Ctrl. */
export const IS_MAC = globalThis.navigator?.platform?.startsWith('Mac') === true;

/** The keys of a shortcut, as they are shown beside its control. */
export function keysOf(id: ShortcutId, isMac = IS_MAC): string {
  const keys = SHORTCUTS.find((shortcut) => shortcut.id === id)?.keys ?? '';
  return keys.replace('Mod', isMac ? 'Cmd' : 'Ctrl').replaceAll('+', ' ');
}
