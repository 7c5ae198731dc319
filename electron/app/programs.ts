import fs from 'node:fs';
import path from 'node:path';
import type { HostProgram } from '../host-client/find-or-start.ts';

/** The parts of the built app that lie beside main's bundle, or outside the asar when packaged. */
export interface Programs {
  readonly page: string;
  readonly preload: string;
  readonly host: string;
  readonly cli: string;
  readonly storeThread: string;
  /** Null where none was built: commands are then held by scanning the process table. */
  readonly runner: string | null;
}

/** @param bundle folder of main's own bundle */
export function findPrograms(bundle: string): Programs {
  const out = path.resolve(bundle, '..');
  // A program cannot be run from inside an asar.
  const runner = path
    .join(out, 'runner/switchyard-runner')
    .replace(/app\.asar(?=[\\/])/, 'app.asar.unpacked');
  return {
    page: path.join(out, 'renderer'),
    preload: path.join(out, 'preload/preload.cjs'),
    host: path.join(bundle, 'pty-host.js'),
    cli: path.join(bundle, 'cli.js'),
    storeThread: path.join(bundle, 'store-thread.js'),
    runner: fs.existsSync(runner) ? runner : null,
  };
}

/**
 * How the host of a data folder is started by a program of this version.
 *
 * @param data the app's data folder
 */
export function hostProgram({ host, runner }: Programs, data: string, version: string): HostProgram {
  return { folder: path.join(data, 'host'), version, program: process.execPath, script: host, runner };
}
