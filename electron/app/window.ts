import path from 'node:path';
import { app, BrowserWindow, nativeTheme, screen, session, type WebContents } from 'electron';
import { ORIGIN } from './app-assets.ts';
import { openExternalLink } from './open-external-link.ts';
import { revivePage } from './page-revival.ts';
import { fitBounds, MIN_HEIGHT, MIN_WIDTH, readBounds, writeBounds } from './window-bounds.ts';

/** The window's ground before the page has drawn: `--bg` of the design in both themes. */
const BACKGROUND = { dark: '#0e1012', light: '#f3f4f5' } as const;
const SAVE_BOUNDS_AFTER_MS = 400;

export interface WindowOptions {
  /** The bundled preload script. */
  readonly preload: string;
  /** Where the bounds are remembered. */
  readonly boundsFile: string;
  /** Told of what went wrong: a line for the log. */
  readonly log: (line: string) => void;
  /** Tells the person something, in the page. */
  readonly report: (message: string) => void;
}

/** Makes the window and loads the page; it is shown when that has drawn. To be called after serveApp. */
export async function createWindow(options: WindowOptions): Promise<BrowserWindow> {
  const { preload, boundsFile, log, report } = options;
  const saved = await readBounds(boundsFile);
  const workAreas = [screen.getPrimaryDisplay(), ...screen.getAllDisplays()].map(
    (display) => display.workArea,
  );
  denyPermissions();
  const window = new BrowserWindow({
    ...fitBounds(saved, workAreas),
    minWidth: MIN_WIDTH,
    minHeight: MIN_HEIGHT,
    show: false,
    // Alt belongs to the terminal; the menu bar is one press of it away
    autoHideMenuBar: true,
    backgroundColor: background(),
    webPreferences: {
      preload: path.resolve(preload),
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      webviewTag: false,
      spellcheck: false,
      devTools: !app.isPackaged,
      v8CacheOptions: 'code',
    },
  });
  if (saved?.isMaximized) window.maximize();
  lockNavigation(window.webContents);
  rememberBounds(window, boundsFile, log);

  const repaint = (): void => window.setBackgroundColor(background());
  nativeTheme.on('updated', repaint);
  window.once('closed', () => nativeTheme.off('updated', repaint));

  window.once('ready-to-show', () => window.show());
  const load = (): void => {
    window.loadURL(`${ORIGIN}/index.html`).catch((error: unknown) => {
      log(`the page could not be loaded: ${String(error)}`);
      if (!window.isDestroyed()) window.show();
    });
  };
  revivePage(window, { load, report, log });
  load();
  return window;
}

/** Puts a theme in force for the window, its menus and the page. */
export function applyTheme(theme: 'system' | 'dark' | 'light'): void {
  nativeTheme.themeSource = theme;
}

const background = (): string => (nativeTheme.shouldUseDarkColors ? BACKGROUND.dark : BACKGROUND.light);

/** The page may put text on the clipboard, for which Chromium asks too, and nothing else. */
function denyPermissions(): void {
  const isGranted = (permission: string, origin: string): boolean =>
    permission === 'clipboard-sanitized-write' && origin.replace(/\/$/, '') === ORIGIN;
  session.defaultSession.setPermissionRequestHandler((contents, permission, answer) =>
    answer(isGranted(permission, contents.mainFrame.origin)),
  );
  session.defaultSession.setPermissionCheckHandler((_, permission, origin) => isGranted(permission, origin));
  session.defaultSession.setDevicePermissionHandler(() => false);
}

/** The page stays the page: nothing navigates, embeds or opens a window; links go to the system's browser. */
function lockNavigation(contents: WebContents): void {
  contents.setWindowOpenHandler(({ url }) => {
    void openExternalLink(url);
    return { action: 'deny' };
  });
  contents.on('will-navigate', (event) => event.preventDefault());
  contents.on('will-redirect', (event) => event.preventDefault());
  // comes before will-navigate, and in its place when it is prevented
  contents.on('will-frame-navigate', (event) => {
    event.preventDefault();
    if (event.isMainFrame) void openExternalLink(event.url);
  });
  contents.on('will-attach-webview', (event) => event.preventDefault());
}

function rememberBounds(window: BrowserWindow, file: string, log: (line: string) => void): void {
  let timer: NodeJS.Timeout | undefined;
  const save = (): void => {
    clearTimeout(timer);
    if (window.isDestroyed()) return;
    const bounds = { ...window.getNormalBounds(), isMaximized: window.isMaximized() };
    writeBounds(file, bounds).catch((error: unknown) =>
      log(`the window's place was not saved: ${String(error)}`),
    );
  };
  const saveSoon = (): void => {
    clearTimeout(timer);
    timer = setTimeout(save, SAVE_BOUNDS_AFTER_MS);
  };
  window.on('resize', saveSoon);
  window.on('move', saveSoon);
  window.on('maximize', saveSoon);
  window.on('unmaximize', saveSoon);
  window.on('close', save);
}
