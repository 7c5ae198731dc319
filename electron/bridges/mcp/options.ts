import path from 'node:path';
import { parseArgs } from 'node:util';

/** The name under which the app keeps its data: `productName` in package.json. */
const APP_NAME = 'Switchyard';
const USAGE = 'usage: npm run -s mcp -- [--data-dir PATH]';

export interface System {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
}

/** The arguments cannot be understood. The message is for the person who wrote them. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/**
 * The data folder: the one that is named by an option or by SWITCHYARD_DATA_DIR, or else the app's own, so that its
 * window shows what is run here.
 */
export function dataFolder(args: readonly string[], system: System): string {
  const named = namedFolder(args) ?? system.env.SWITCHYARD_DATA_DIR;
  return named ? path.resolve(named) : appDataFolder(system);
}

function namedFolder(args: readonly string[]): string | undefined {
  try {
    const { values } = parseArgs({ args: [...args], options: { 'data-dir': { type: 'string' } } });
    return values['data-dir'];
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`);
  }
}

/** What `app.getPath('userData')` is in Electron. */
export function appDataFolder({ platform, env, home }: System): string {
  if (platform === 'darwin') return path.posix.join(home, 'Library/Application Support', APP_NAME);
  if (platform === 'win32')
    return path.win32.join(env.APPDATA || path.win32.join(home, 'AppData/Roaming'), APP_NAME);
  return path.posix.join(env.XDG_CONFIG_HOME || path.posix.join(home, '.config'), APP_NAME);
}
