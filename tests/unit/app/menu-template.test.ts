import type { MenuItemConstructorOptions } from 'electron';
import { describe, expect, it } from 'vitest';
import { menuTemplate } from '../../../electron/app/menu-template.ts';

/** Roles that bring an accelerator with Ctrl and a letter unless the item names its own. */
const ROLES_WITH_LETTER = ['undo', 'redo', 'cut', 'copy', 'paste', 'selectAll', 'close', 'quit', 'minimize', 'reload', 'forceReload', 'pasteAndMatchStyle', 'editMenu', 'viewMenu', 'windowMenu', 'fileMenu', 'appMenu', 'toggleDevTools']; // biome-ignore format: a list

const template = (platform: string, isPackaged: boolean): MenuItemConstructorOptions[] =>
  menuTemplate({ platform, isPackaged, appName: 'Switchyard', newSession: () => {}, minimize: () => {} });

function items(menu: MenuItemConstructorOptions[]): MenuItemConstructorOptions[] {
  return menu.flatMap((item) => [item, ...(Array.isArray(item.submenu) ? items(item.submenu) : [])]);
}

describe.each([
  ['linux', true],
  ['linux', false],
  ['win32', true],
  ['win32', false],
] as const)('the menu on %s (packaged: %s)', (platform, isPackaged) => {
  it('takes no plain Ctrl+letter from a terminal', () => {
    for (const item of items(template(platform, isPackaged))) {
      if (item.registerAccelerator === false) continue;
      const key =
        item.accelerator?.toString() ??
        (ROLES_WITH_LETTER.includes(item.role ?? '') ? `role ${item.role}` : '');
      expect(key).not.toMatch(/^role|^(Ctrl|CmdOrCtrl|CommandOrControl|Control)\+[a-z]$/i);
    }
  });

  it('has no mnemonics: Alt+letter belongs to the terminal too', () => {
    for (const item of items(template(platform, isPackaged))) expect(item.label ?? '').not.toContain('&');
  });
});

it('has developer items only when it is not packaged', () => {
  const roles = (isPackaged: boolean, platform: string): unknown[] =>
    items(template(platform, isPackaged)).map((item) => item.role);
  for (const platform of ['linux', 'darwin', 'win32']) {
    expect(roles(false, platform)).toEqual(expect.arrayContaining(['reload', 'toggleDevTools']));
    expect(roles(true, platform)).not.toContain('reload');
    expect(roles(true, platform)).not.toContain('toggleDevTools');
  }
});
