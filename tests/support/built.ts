/**
 * What is under test: the build in out/ or, when SWITCHYARD_INSTALLED names the folder of an installed app, that one.
 * Whatever else a test runs (the supervisor as the host's client, the store, the testkit) is from this clone.
 */
import path from 'node:path';
import { electronPath } from '../../build/electron-runtime.mjs';

const root = path.resolve(import.meta.dirname, '../..');
const installed = process.env.SWITCHYARD_INSTALLED || null;

export interface Built {
  /** For people. */
  readonly name: string;
  /** The Node, or Electron to be run as Node, that runs the host. */
  readonly program: string;
  /** The host's bundle. */
  readonly host: string;
  readonly runner: string;
  readonly testkit: string;
  /** The command line that opens the window. Throws when this clone has no Electron. */
  window(): readonly [program: string, ...args: string[]];
}

const testkit = path.join(root, 'out/testkit');

function development(): Built {
  return {
    name: 'the build of this clone',
    program: process.execPath,
    host: path.join(root, 'out/main/pty-host.js'),
    runner: path.join(root, 'out/runner/switchyard-runner'),
    testkit,
    window: () => [electronPath(), root],
  };
}

function installedIn(folder: string): Built {
  const program = path.join(folder, 'switchyard');
  const resources = path.join(folder, 'resources');
  return {
    name: `the build installed in ${folder}`,
    program,
    host: path.join(resources, 'app.asar/out/main/pty-host.js'),
    runner: path.join(resources, 'app.asar.unpacked/out/runner/switchyard-runner'),
    testkit,
    window: () => [program],
  };
}

export const built: Built = installed === null ? development() : installedIn(path.resolve(installed));
