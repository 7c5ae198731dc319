import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { build } from 'vite';
import type { CommandRecord, InboxEntry } from '../../../electron/supervisor/records.ts';
import type { Message } from '../../../shared/model/message.ts';
import type { SessionView } from '../../../shared/model/session.ts';

const root = path.resolve(import.meta.dirname, '../../..');

/**
 * Bundles the thread of the store as the app does; a worker thread cannot load TypeScript. Returns its path.
 */
export async function buildStoreThread(): Promise<string> {
  // inside the repository, where libsql is found
  const outDir = path.join(root, 'node_modules/.cache/switchyard-store-test');
  await build({
    configFile: false,
    logLevel: 'error',
    root,
    build: {
      ssr: path.join(root, 'electron/store/store-thread.ts'),
      outDir,
      rolldownOptions: { external: ['libsql'], output: { entryFileNames: 'store-thread.mjs' } },
    },
  });
  return path.join(outDir, 'store-thread.mjs');
}

/** A new folder and a way to remove it. */
export function temporaryFolder(): { folder: string; remove: () => void } {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'switchyard-store-'));
  return { folder, remove: () => fs.rmSync(folder, { recursive: true, force: true }) };
}

const id = <P extends string>(prefix: P, n: number): `${P}_${string}` =>
  `${prefix}_${String(n).padStart(16, '0')}`;
export const sessionId = (n: number): string => id('s', n);
export const commandId = (n: number): string => id('c', n);
export const messageId = (n: number): string => id('m', n);

export function session(n: number, change: Partial<SessionView> = {}): SessionView {
  return {
    id: sessionId(n),
    title: `Session ${n}`,
    workspace: '/work',
    provider: 'built-in',
    createdAt: 1_700_000_000_000 + n,
    updatedAt: 1_700_000_000_000.5,
    status: 'idle',
    reason: null,
    wait: null,
    waitCount: 1,
    requests: 3,
    approvals: [],
    ...change,
  };
}

export function userMessage(n: number): Message {
  return { id: messageId(n), at: n, role: 'user', text: `message ${n} with "quotes" and 🚂` };
}

export function command(n: number, change: Partial<CommandRecord> = {}): CommandRecord {
  return {
    id: commandId(n),
    sessionId: sessionId(1),
    toolCallId: `call ${n}`,
    cmd: 'make',
    cwd: '/work',
    shell: '/bin/sh',
    tty: false,
    state: 'running',
    placement: 'background',
    exitCode: null,
    signal: null,
    by: null,
    startedAt: 1_700_000_000_000 + n,
    endedAt: null,
    lastOutputAt: null,
    outputBytes: 12,
    tail: ['one', 'two'],
    pid: 4711,
    generation: 1,
    descendants: [{ pid: 4712, name: 'vite', ports: [5173] }],
    gap: null,
    isCleared: false,
    cursor: 12,
    hasYielded: true,
    isEndRead: false,
    isEndSaved: false,
    artifact: null,
    isUnawaited: false,
    ...change,
  };
}

export function inboxEntry(n: number, change: Partial<InboxEntry> = {}): InboxEntry {
  return {
    id: n.toString(16).padStart(64, '0'),
    sessionId: sessionId(1),
    commandId: commandId(n),
    at: 1_700_000_000_000,
    end: {
      commandId: commandId(n),
      cmd: 'make',
      state: 'failed',
      exitCode: 2,
      signal: null,
      elapsedMs: 1234,
      tail: 'error',
      alive: [],
    },
    state: 'pending',
    ...change,
  };
}
