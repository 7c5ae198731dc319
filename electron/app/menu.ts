import { app, type BrowserWindow, Menu } from 'electron';
import { menuTemplate } from './menu-template.ts';

/** Sets the application menu. `window` gives the window that it acts on, if there is one. */
export function setMenu(window: () => BrowserWindow | null): void {
  const template = menuTemplate({
    platform: process.platform,
    appName: app.name,
    isPackaged: app.isPackaged,
    newSession: () => {
      // The page knows what a new session is and where the focus goes then: the item presses its shortcut.
      const modifiers: ('meta' | 'control' | 'shift')[] = [
        process.platform === 'darwin' ? 'meta' : 'control',
        'shift',
      ];
      window()?.webContents.sendInputEvent({ type: 'keyDown', keyCode: 'N', modifiers });
    },
    minimize: () => window()?.minimize(),
  });
  Menu.setApplicationMenu(Menu.buildFromTemplate(template));
}
