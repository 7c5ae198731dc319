import type { MenuItemConstructorOptions } from 'electron';

export interface MenuOptions {
  readonly platform: string;
  readonly appName: string;
  readonly isPackaged: boolean;
  readonly newSession: () => void;
  readonly minimize: () => void;
}

/**
 * The application menu. On Linux and Windows no item takes a plain Ctrl+letter, which belongs to a focused
 * terminal: roles that bring one get another key, or show theirs and leave it to the page. The page does the
 * editing keys, copy and paste in terminals, and "New Session", by itself.
 */
export function menuTemplate(options: MenuOptions): MenuItemConstructorOptions[] {
  return options.platform === 'darwin' ? macMenu(options) : plainMenu(options);
}

function macMenu({ appName, isPackaged, newSession }: MenuOptions): MenuItemConstructorOptions[] {
  return [
    { role: 'appMenu', label: appName },
    {
      label: 'File',
      submenu: [
        { label: 'New Session', accelerator: 'Cmd+N', click: newSession },
        { type: 'separator' },
        { role: 'close' },
      ],
    },
    { role: 'editMenu' },
    {
      label: 'View',
      submenu: [
        ...developerItems(isPackaged),
        { role: 'resetZoom' },
        { role: 'zoomIn' },
        { role: 'zoomOut' },
        { type: 'separator' },
        { role: 'togglefullscreen' },
      ],
    },
    { role: 'windowMenu' },
  ];
}

function plainMenu({ isPackaged, newSession, minimize }: MenuOptions): MenuItemConstructorOptions[] {
  const byPage = { registerAccelerator: false } as const;
  return [
    {
      label: 'File',
      submenu: [
        { label: 'New Session', accelerator: 'Ctrl+N', click: newSession, ...byPage },
        { type: 'separator' },
        { role: 'close', label: 'Close Window', accelerator: 'Ctrl+Shift+W' },
        { role: 'quit', accelerator: 'Ctrl+Shift+Q' },
      ],
    },
    {
      label: 'Edit',
      submenu: [
        { role: 'undo', accelerator: 'Ctrl+Z', ...byPage },
        { role: 'redo', accelerator: 'Ctrl+Shift+Z', ...byPage },
        { type: 'separator' },
        { role: 'cut', accelerator: 'Ctrl+X', ...byPage },
        { role: 'copy', accelerator: 'Ctrl+Shift+C', ...byPage },
        { role: 'paste', accelerator: 'Ctrl+Shift+V', ...byPage },
        { role: 'selectAll', accelerator: 'Ctrl+A', ...byPage },
      ],
    },
    {
      label: 'View',
      submenu: [
        ...developerItems(isPackaged),
        { role: 'resetZoom', accelerator: 'Ctrl+0' },
        { role: 'zoomIn', accelerator: 'Ctrl+Plus' },
        { role: 'zoomOut', accelerator: 'Ctrl+-' },
        { type: 'separator' },
        { role: 'togglefullscreen', accelerator: 'F11' },
      ],
    },
    { label: 'Window', submenu: [{ label: 'Minimize', click: minimize }] },
  ];
}

/** Reload and the developer tools, for a build that is not packaged. */
function developerItems(isPackaged: boolean): MenuItemConstructorOptions[] {
  if (isPackaged) return [];
  return [
    { role: 'reload', accelerator: 'CmdOrCtrl+Shift+R' },
    { role: 'toggleDevTools', accelerator: 'CmdOrCtrl+Shift+I' },
    { type: 'separator' },
  ];
}
