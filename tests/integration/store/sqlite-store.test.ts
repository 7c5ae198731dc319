import fs from 'node:fs';
import path from 'node:path';
import Database from 'libsql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MIGRATIONS, migrate } from '../../../electron/store/schema.ts';
import { MESSAGES_BEFORE, openDatabase, SqliteStore } from '../../../electron/store/store.ts';
import type { SessionView } from '../../../shared/model/session.ts';
import {
  command,
  commandId,
  inboxEntry,
  messageId,
  session,
  sessionId,
  temporaryFolder,
  userMessage,
} from './support.ts';

let folder: string;
let remove: () => void;
let file: string;
let reports: string[];
const opened: { close(): void }[] = [];

beforeEach(() => {
  ({ folder, remove } = temporaryFolder());
  file = path.join(folder, 'state', 'switchyard.db');
  reports = [];
});
afterEach(() => {
  for (const store of opened.splice(0)) store.close();
  remove();
});

function open(): SqliteStore {
  const store = openDatabase(file, (message) => reports.push(message));
  opened.push(store);
  return store;
}
function reopen(store: SqliteStore): SqliteStore {
  store.close();
  opened.splice(opened.indexOf(store), 1);
  return open();
}
/** The database beside the store, for damage and for a look. */
function withDatabase<T>(work: (db: Database.Database) => T): T {
  const db = new Database(file);
  try {
    return work(db);
  } finally {
    db.close();
  }
}
const suspended = (generation: number): Partial<SessionView> => ({
  status: 'suspended',
  reason: 'waiting_for_command',
  wait: {
    generation,
    commandIds: [commandId(1), commandId(2)],
    until: { kind: 'exit' },
    deadlineAt: null,
    registeredAt: 5,
    leaseUntil: 6.5,
  },
});

describe('a checkpoint', () => {
  it('comes back as it was saved', () => {
    const store = open();
    const state = {
      sessions: [session(1, suspended(2)), session(2)],
      commands: [command(1), command(2, { state: 'completed', exitCode: 0 })],
      inbox: [inboxEntry(1), inboxEntry(2)],
    };
    for (const one of state.sessions) store.checkpoint({ session: one });
    store.checkpoint({ commands: state.commands, inbox: state.inbox });
    expect(store.load()).toEqual(state);
    expect(reopen(store).load()).toEqual(state);
    expect(reports).toEqual([]);
  });

  it('keeps every kind of message', () => {
    const store = open();
    const messages = [
      userMessage(1),
      {
        id: messageId(2),
        at: 2,
        role: 'assistant' as const,
        text: '',
        toolCalls: [{ id: 'a', name: 'exec_command', input: { cmd: 'ls' } }],
      },
      {
        id: messageId(3),
        at: 3,
        role: 'tool' as const,
        toolCallId: 'a',
        name: 'exec_command',
        result: { n: [1, null] },
        isError: false,
      },
      {
        id: messageId(4),
        at: 4,
        role: 'runtime' as const,
        kind: 'completion' as const,
        text: 'ended',
        commandIds: [commandId(1)],
        ends: [inboxEntry(1).end],
      },
    ];
    store.checkpoint({
      session: session(1),
      append: messages.map((message) => ({ sessionId: sessionId(1), message })),
    });
    expect(store.messages(sessionId(1), 10)).toEqual({ messages, hasMore: false });
  });

  it('is saved whole or not at all', () => {
    const store = open();
    store.checkpoint({
      session: session(1),
      append: [{ sessionId: sessionId(1), message: userMessage(1) }],
      commands: [command(1)],
    });
    const before = store.load();
    const page = store.messages(sessionId(1), 10);
    const change = {
      session: session(1, { title: 'changed', ...suspended(1) }),
      append: [
        { sessionId: sessionId(1), message: userMessage(2) },
        { sessionId: sessionId(1), message: userMessage(1) },
      ],
      commands: [command(1, { state: 'failed' })],
      inbox: [inboxEntry(1)],
    };
    expect(() => store.checkpoint(change)).toThrow();
    expect(store.load()).toEqual(before);
    expect(store.messages(sessionId(1), 10)).toEqual(page);
    const { append: _, ...rest } = change;
    store.checkpoint(rest);
    expect(store.load().sessions).toEqual([change.session]);
  });

  it('refuses what could not be loaded again, before anything is saved', () => {
    const store = open();
    expect(() => store.checkpoint({ session: session(1), commands: [command(1, { pid: 1.5 })] })).toThrow(
      /command could not be saved: pid/,
    );
    expect(store.load().sessions).toEqual([]);
  });

  it('refuses a message of a session that does not exist', () => {
    const store = open();
    expect(() =>
      store.checkpoint({ append: [{ sessionId: sessionId(9), message: userMessage(1) }] }),
    ).toThrow(/FOREIGN KEY/);
  });

  it('keeps the commands of a session that it does not know: the host may have outlived the database', () => {
    const store = open();
    store.checkpoint({
      commands: [command(1, { sessionId: sessionId(9) })],
      inbox: [inboxEntry(1, { sessionId: sessionId(9) })],
    });
    expect(store.load()).toMatchObject({
      commands: [{ id: commandId(1) }],
      inbox: [{ commandId: commandId(1) }],
    });
  });

  it('has one wait a session, the newest, and none when the session no longer waits', () => {
    const store = open();
    const waits = (): unknown => withDatabase((db) => db.prepare<[]>('SELECT session_id FROM waits').all());
    store.checkpoint({ session: session(1, suspended(1)) });
    store.checkpoint({ session: session(1, suspended(2)) });
    expect(waits()).toEqual([{ session_id: sessionId(1) }]);
    expect(store.load().sessions).toEqual([session(1, suspended(2))]);
    store.checkpoint({ session: session(1) });
    expect(waits()).toEqual([]);
    expect(store.load().sessions).toEqual([session(1)]);
  });
});

describe('the inbox', () => {
  const states = (): unknown =>
    withDatabase((db) => db.prepare<[]>('SELECT state FROM inbox ORDER BY position').all().map((row) => (row as { state: string }).state)); // biome-ignore format: one query

  it('takes a redelivery as nothing new', () => {
    const store = open();
    store.checkpoint({ inbox: [inboxEntry(2)] });
    store.checkpoint({ inbox: [inboxEntry(1)] });
    store.checkpoint({ inbox: [inboxEntry(2, { at: 99 })] });
    expect(store.load().inbox).toEqual([inboxEntry(2), inboxEntry(1)]);
  });

  it.each(['injected', 'consumed'] as const)('never goes back from %s', (state) => {
    const store = open();
    store.checkpoint({ inbox: [inboxEntry(1)] });
    store.checkpoint({ inbox: [inboxEntry(1, { state })] });
    store.checkpoint({ inbox: [inboxEntry(1)] });
    store.checkpoint({ inbox: [inboxEntry(1, { state: state === 'injected' ? 'consumed' : 'injected' })] });
    expect(states()).toEqual([state]);
    expect(store.load().inbox).toEqual([]);
  });
});

describe('messages', () => {
  const fill = (store: SqliteStore, count: number): void =>
    store.checkpoint({
      session: session(1),
      append: Array.from({ length: count }, (_, i) => ({
        sessionId: sessionId(1),
        message: userMessage(i + 1),
      })),
    });
  const ids = (page: { messages: { id: string }[] }): string[] => page.messages.map((message) => message.id);

  it('come in pages from the newest back, each oldest first', () => {
    const store = open();
    fill(store, 7);
    store.checkpoint({
      session: session(2),
      append: [{ sessionId: sessionId(2), message: userMessage(100) }],
    });
    const newest = store.messages(sessionId(1), 3);
    expect([ids(newest), newest.hasMore]).toEqual([[5, 6, 7].map(messageId), true]);
    const middle = store.messages(sessionId(1), 3, messageId(5));
    expect([ids(middle), middle.hasMore]).toEqual([[2, 3, 4].map(messageId), true]);
    const oldest = store.messages(sessionId(1), 3, messageId(2));
    expect([ids(oldest), oldest.hasMore]).toEqual([[messageId(1)], false]);
    expect(store.messages(sessionId(1), 7)).toMatchObject({ hasMore: false });
    expect(store.messages(sessionId(3), 7)).toEqual({ messages: [], hasMore: false });
  });

  it('refuse to page from a message of another chat', () => {
    const store = open();
    fill(store, 1);
    store.checkpoint({
      session: session(2),
      append: [{ sessionId: sessionId(2), message: userMessage(100) }],
    });
    expect(() => store.messages(sessionId(1), 3, messageId(100))).toThrow(/not in this chat/);
  });

  it('cost the same in a chat of 10,000 as in one of 100', () => {
    const stepsOf = (count: number): number => {
      const db = new Database(':memory:');
      migrate(db);
      const store = new SqliteStore(db, () => {});
      fill(store, count);
      expect(store.messages(sessionId(1), 50, messageId(count - 10)).messages).toHaveLength(50);
      const plan = db.prepare(`EXPLAIN QUERY PLAN ${MESSAGES_BEFORE}`).all(['s', 1, 1]) as {
        detail: string;
      }[];
      expect(plan.map((row) => row.detail)).toEqual([
        expect.stringMatching(/^SEARCH messages USING INDEX .*\(session_id=\? AND seq<\?\)$/),
      ]);
      // steps of SQLite's machine, which follow the rows that were read
      const statement = db.prepare('SELECT nstep FROM sqlite_stmt WHERE sql = ?').get([MESSAGES_BEFORE]);
      db.close();
      return (statement as { nstep: number }).nstep;
    };
    const small = stepsOf(100);
    expect(stepsOf(10_000)).toBe(small);
    expect(small).toBeLessThan(51 * 8);
  });
});

describe('what cannot be read', () => {
  it('is reported, left out, and left where it is', () => {
    const store = open();
    store.checkpoint({
      session: session(1),
      append: [1, 2, 3].map((n) => ({ sessionId: sessionId(1), message: userMessage(n) })),
      commands: [command(1), command(2)],
      inbox: [inboxEntry(1), inboxEntry(2)],
    });
    store.checkpoint({ session: session(2) });
    withDatabase((db) => {
      db.exec(`UPDATE messages SET message = '{"role":"nobody"}' WHERE seq = 2`);
      db.exec(`UPDATE commands SET record = 'no json' WHERE id = '${commandId(1)}'`);
      db.exec(`UPDATE inbox SET entry = '[]' WHERE position = 1`);
      db.exec(`UPDATE sessions SET session = '7' WHERE id = '${sessionId(2)}'`);
    });
    expect(store.load()).toEqual({ sessions: [session(1)], commands: [command(2)], inbox: [inboxEntry(2)] });
    expect(store.messages(sessionId(1), 3).messages).toEqual([userMessage(1), userMessage(3)]);
    expect(reports).toEqual([
      expect.stringContaining(sessionId(2)),
      expect.stringContaining(commandId(1)),
      expect.stringContaining(inboxEntry(1).id),
      expect.stringContaining(messageId(2)),
    ]);
    const rows = withDatabase((db) => db.prepare<[]>('SELECT count(*) AS n FROM commands').get());
    expect(rows).toMatchObject({ n: 2 });
  });

  it('does not leave a session asleep for ever when its wait is lost', () => {
    const store = open();
    store.checkpoint({ session: session(1, suspended(1)) });
    withDatabase((db) => db.exec(`UPDATE waits SET wait = '{}'`));
    expect(store.load().sessions).toEqual([session(1)]);
    expect(reports).toHaveLength(1);
  });
});

describe('the file', () => {
  const mode = (name: string): number => fs.statSync(name).mode & 0o777;

  it('is private, with its journals and its folder', () => {
    fs.mkdirSync(path.dirname(file), { mode: 0o755 });
    fs.writeFileSync(file, '', { mode: 0o644 });
    open().checkpoint({ session: session(1) });
    expect(mode(path.dirname(file))).toBe(0o700);
    for (const suffix of ['', '-wal', '-shm']) expect(mode(file + suffix)).toBe(0o600);
  });

  it('is migrated from empty, and opening it again changes nothing', () => {
    reopen(open());
    const version = withDatabase((db) => db.prepare<[]>('PRAGMA user_version').get());
    expect(version).toMatchObject({ user_version: MIGRATIONS.length });
  });

  it('is left alone when a newer version made it', () => {
    open().close();
    opened.length = 0;
    withDatabase((db) => db.exec('PRAGMA user_version = 1000'));
    expect(open).toThrow(/newer version of Switchyard/);
    expect(fs.readdirSync(path.dirname(file)).filter((name) => name.includes('damaged'))).toEqual([]);
  });

  it.each(['is no database', 'has a damaged page'])('is moved aside when it %s', (kind) => {
    const store = open();
    store.checkpoint({
      session: session(1),
      append: Array.from({ length: 200 }, (_, i) => ({
        sessionId: sessionId(1),
        message: userMessage(i + 1),
      })),
    });
    store.close();
    opened.length = 0;
    const bytes = fs.readFileSync(file);
    if (kind === 'is no database') bytes.fill('x');
    else bytes.fill(0xff, 4096 * 3, 4096 * 5);
    fs.writeFileSync(file, bytes);
    const fresh = open();
    expect(fresh.load().sessions).toEqual([]);
    fresh.checkpoint({ session: session(2) });
    const [kept = ''] = fs.readdirSync(path.dirname(file)).filter((name) => name.includes('.damaged-20'));
    expect(fs.readFileSync(path.join(path.dirname(file), kept))).toEqual(bytes);
    expect(reports).toEqual([expect.stringContaining(kept)]);
  });
});
