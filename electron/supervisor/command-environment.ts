import type { CommandEnvironment } from './commands.ts';

/** Variables that are ours, or that change what a program does because an app started it. Never given to commands. */
const OURS =
  /^(ELECTRON_|NODE_OPTIONS$|NODE_ENV$|NODE_PATH$|npm_|VITE_|VITEST|PLAYWRIGHT_|PW_|SWITCHYARD_|CHROME_|GOOGLE_API_KEY$|ORIGINAL_XDG_CURRENT_DESKTOP$|APPIMAGE|APPDIR$|ARGV0$|OWD$|INIT_CWD$)/;

/** What the start of the app or of its command line adds to the environment of a person's own shell. */
const ADDED =
  /^(ELECTRON_|SWITCHYARD_|CHROME_DESKTOP$|ORIGINAL_XDG_CURRENT_DESKTOP$|APPIMAGE|APPDIR$|ARGV0$|OWD$)/;

/** Policy: no pager or editor may wait for a person where nobody looks, and no password prompt of git. */
const POLICY: Readonly<Record<string, string>> = {
  TERM: 'xterm-256color',
  COLORTERM: 'truecolor',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  MANPAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
  GIT_EDITOR: 'true',
};

const SHELLS = ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash', '/bin/sh'];

/** Lists of folders that the start of an AppImage puts its own before. */
const FOLDER_LISTS = [
  'PATH',
  'LD_LIBRARY_PATH',
  'XDG_DATA_DIRS',
  'GSETTINGS_SCHEMA_DIR',
  'GIO_MODULE_DIR',
  'GDK_PIXBUF_MODULE_FILE',
  'PYTHONPATH',
  'PERLLIB',
  'QT_PLUGIN_PATH',
];

/**
 * An environment without what is ours, and without the folders of the AppImage that the app may run from: they are gone
 * when it ends, and its libraries are not for other programs.
 */
export function withoutOurs(inherited: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return without(OURS, inherited);
}

/**
 * The environment of the shell that `switchyard` was typed in: all that is the person's own stays, also what says how
 * their programs are to behave.
 */
export function callersOwn(inherited: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return without(ADDED, inherited);
}

function without(
  ours: RegExp,
  inherited: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(inherited))
    if (value !== undefined && !ours.test(name)) env[name] = value;
  // Electron writes both over when it starts.
  if (inherited.ORIGINAL_XDG_CURRENT_DESKTOP)
    env.XDG_CURRENT_DESKTOP = inherited.ORIGINAL_XDG_CURRENT_DESKTOP;
  if (env.DBUS_SESSION_BUS_ADDRESS === 'disabled:') delete env.DBUS_SESSION_BUS_ADDRESS;
  const image = inherited.APPDIR?.replace(/\/+$/, '') ?? '';
  if (image === '') return env;
  const isOfImage = (folder: string) => folder === image || folder.startsWith(`${image}/`);
  for (const name of FOLDER_LISTS) {
    const folders = env[name]?.split(':') ?? [];
    const kept = folders.filter((folder) => !isOfImage(folder));
    if (kept.length === folders.length) continue;
    if (kept.some((folder) => folder !== '')) env[name] = kept.join(':');
    else delete env[name];
  }
  return env;
}

/** The shell that reads the text of commands: bash where there is one. */
export const commandShell = (exists: (file: string) => boolean): string => SHELLS.find(exists) ?? '/bin/sh';

/**
 * The environment of commands, made of the login environment or of the one that the app was started with: ours taken out, policy put in, a UTF-8
 * locale if there was none.
 *
 * @param exists whether a file exists; the shell is bash where there is one
 */
export function commandEnvironment(
  inherited: Readonly<Record<string, string | undefined>>,
  exists: (file: string) => boolean,
): CommandEnvironment {
  const env = withoutOurs(inherited);
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || '';
  if (!/utf-?8/i.test(locale)) {
    delete env.LC_ALL;
    env.LC_CTYPE = 'C.UTF-8';
  }
  env.PATH ??= '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
  return { shell: commandShell(exists), env: { ...env, ...POLICY } };
}
