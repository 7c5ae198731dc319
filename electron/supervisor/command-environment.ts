import type { CommandEnvironment } from './commands.ts';

/** Variables that are ours, or that change what a program does because an app started it. Never given to commands. */
const OURS =
  /^(ELECTRON_|NODE_OPTIONS$|NODE_ENV$|NODE_PATH$|npm_|VITE_|VITEST|PLAYWRIGHT_|PW_|SWITCHYARD_|CHROME_|GOOGLE_API_KEY$|ORIGINAL_XDG_CURRENT_DESKTOP$|APPIMAGE$|APPDIR$|ARGV0$|OWD$|INIT_CWD$)/;

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

/**
 * The environment of commands, made of the one that the app was started with: ours taken out, policy put in, a UTF-8
 * locale if there was none.
 *
 * @param exists whether a file exists; the shell is bash where there is one
 */
export function commandEnvironment(
  inherited: Readonly<Record<string, string | undefined>>,
  exists: (file: string) => boolean,
): CommandEnvironment {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(inherited))
    if (value !== undefined && !OURS.test(name)) env[name] = value;
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || '';
  if (!/utf-?8/i.test(locale)) {
    delete env.LC_ALL;
    env.LC_CTYPE = 'C.UTF-8';
  }
  env.PATH ??= '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
  return { shell: SHELLS.find(exists) ?? '/bin/sh', env: { ...env, ...POLICY } };
}
