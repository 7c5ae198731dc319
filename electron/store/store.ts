import fs from 'node:fs';
import path from 'node:path';
import Database from 'libsql';
import type { z } from 'zod';
import { ApprovalRule, RuleWords } from '../../shared/model/approval.ts';
import { Message } from '../../shared/model/message.ts';
import { SessionView, Wait } from '../../shared/model/session.ts';
import type { Checkpoint, Store } from '../supervisor/ports.ts';
import { CommandRecord, InboxEntry } from '../supervisor/records.ts';
import { inTransaction, migrate } from './schema.ts';
import { isDamage, StoreError } from './store-error.ts';

export type LoadedState = Awaited<ReturnType<Store['load']>>;
export type MessagePage = Awaited<ReturnType<Store['messages']>>;

/** Told of what could not be read: a sentence for people. */
export type Report = (message: string) => void;

/** Checked whole in some 50 ms. */
const CHECKED_BYTES = 32 * 1024 * 1024;
const BUSY_TIMEOUT_MS = 5_000;

/**
 * The durable state, on the calling thread: store-thread.ts runs it apart from the main one. Every method may
 * throw; `storeErrorOf` gives the sentence.
 */
export class SqliteStore {
  readonly #db: Database.Database;
  readonly #report: Report;

  constructor(db: Database.Database, report: Report) {
    this.#db = db;
    this.#report = report;
  }

  /**
   * Sessions with their waits, commands in the order of their starts, and the inbox entries that are still
   * pending. A row that cannot be read is reported and stays where it is.
   */
  load(): LoadedState {
    const waits = new Map(
      this.#readAll('waits', 'wait', 'session_id', (row) => [
        textOf(row.session_id),
        Wait.parse(objectOf(row.wait)),
      ]),
    );
    const sessions = this.#readAll('sessions ORDER BY created_at, id', 'session', 'id', (row) => {
      const wait = waits.get(textOf(row.id)) ?? null;
      const session = SessionView.parse({ ...objectOf(row.session), wait });
      // without its wait a suspended session would never wake
      const isStuck = session.status === 'suspended' && wait === null;
      return isStuck ? { ...session, status: 'idle' as const, reason: null } : session;
    });
    const commands = this.#readAll(RECENT_COMMANDS, 'command', 'id', (row) =>
      CommandRecord.parse(JSON.parse(textOf(row.record))),
    );
    const inbox = this.#readAll(
      `inbox WHERE state = 'pending' ORDER BY position`,
      'undelivered end of a command',
      'id',
      (row) => InboxEntry.parse({ ...objectOf(row.entry), state: row.state }),
    );
    return { sessions, commands, inbox };
  }

  /**
   * Saves the change as one transaction; it is on disk when this returns. Throws, with nothing saved, when a
   * message exists already, its session does not, or something in the change could not be read again.
   */
  checkpoint(change: Checkpoint): void {
    const session = change.session && valid(SessionView, change.session, 'session');
    const messages = (change.append ?? []).map(({ sessionId, message }) => ({
      sessionId,
      message: valid(Message, message, 'message'),
    }));
    const commands = (change.commands ?? []).map((record) => valid(CommandRecord, record, 'command'));
    const inbox = (change.inbox ?? []).map((entry) => valid(InboxEntry, entry, 'inbox entry'));
    const rules = (change.rules ?? []).map((rule) => valid(ApprovalRule, rule, 'rule'));
    inTransaction(this.#db, () => {
      if (session) this.#saveSession(session);
      for (const { sessionId, message } of messages) this.#append(sessionId, message);
      for (const record of commands) this.#saveCommand(record);
      for (const entry of inbox) this.#saveInboxEntry(entry);
      for (const rule of rules) this.#addRule(rule);
    });
  }

  /**
   * At most `limit` messages of a session, oldest first: those right before the message `before`, or the
   * newest. Reads one row more than it gives. Throws when `before` is not a message of the session.
   */
  messages(sessionId: string, limit: number, before?: string): MessagePage {
    let end = Number.MAX_SAFE_INTEGER;
    if (before !== undefined) {
      const row = this.#db.prepare(SEQ_OF_MESSAGE).get([before, sessionId]) as { seq: number } | undefined;
      if (!row) throw new StoreError('invalid', 'The message to read back from is not in this chat.');
      end = row.seq;
    }
    const rows = this.#db.prepare(MESSAGES_BEFORE).all([sessionId, end, limit + 1]) as Row[];
    const hasMore = rows.length > limit;
    const page = rows.slice(0, limit).reverse();
    const messages = page.flatMap((row) =>
      this.#readRow(row, 'message', 'id', () => Message.parse(JSON.parse(textOf(row.message)))),
    );
    return { messages, hasMore };
  }

  /** The rules of a workspace for what may run without being asked for, oldest first. */
  approvalRules(workspace: string): ApprovalRule[] {
    const rows = this.#db
      .prepare('SELECT * FROM approval_rules WHERE workspace = ? ORDER BY created_at, id')
      .all([workspace]) as Row[];
    return rows.flatMap((row) =>
      this.#readRow(row, 'rule', 'id', () =>
        ApprovalRule.parse({
          ...objectOf(row.words),
          id: row.id,
          workspace: row.workspace,
          createdAt: row.created_at,
        }),
      ),
    );
  }

  deleteApprovalRule(id: string): void {
    this.#db.prepare('DELETE FROM approval_rules WHERE id = ?').run([id]);
  }

  close(): void {
    // libsql keeps the file open until its statements are collected, so closing alone leaves the journal as
    // it is
    this.#db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    this.#db.close();
  }

  #saveSession({ wait, ...session }: SessionView): void {
    this.#db
      .prepare(
        `INSERT INTO sessions (id, created_at, session) VALUES (?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET created_at = excluded.created_at, session = excluded.session`,
      )
      .run([session.id, session.createdAt, JSON.stringify(session)]);
    if (!wait) {
      this.#db.prepare('DELETE FROM waits WHERE session_id = ?').run([session.id]);
      return;
    }
    this.#db
      .prepare(
        `INSERT INTO waits (session_id, wait) VALUES (?, ?)
         ON CONFLICT (session_id) DO UPDATE SET wait = excluded.wait`,
      )
      .run([session.id, JSON.stringify(wait)]);
  }

  #append(sessionId: string, message: Message): void {
    this.#db
      .prepare(
        `INSERT INTO messages (session_id, seq, id, message)
         SELECT ?1, COALESCE(MAX(seq), 0) + 1, ?2, ?3 FROM messages WHERE session_id = ?1`,
      )
      .run([sessionId, message.id, JSON.stringify(message)]);
  }

  #saveCommand(record: CommandRecord): void {
    this.#db
      .prepare(
        `INSERT INTO commands (id, session_id, started_at, record) VALUES (?, ?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET
           session_id = excluded.session_id, started_at = excluded.started_at, record = excluded.record`,
      )
      .run([record.id, record.sessionId, record.startedAt, JSON.stringify(record)]);
  }

  /**
   * The state of an entry only goes forward: a redelivery of one that was told, or is pending, changes
   * nothing.
   */
  #saveInboxEntry({ state, ...entry }: InboxEntry): void {
    this.#db
      .prepare(
        `INSERT INTO inbox (id, session_id, entry, state) VALUES (?, ?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET state = excluded.state
           WHERE inbox.state = 'pending' AND excluded.state <> 'pending'`,
      )
      .run([entry.id, entry.sessionId, JSON.stringify(entry), state]);
  }

  #addRule({ id, workspace, createdAt, ...words }: ApprovalRule): void {
    this.#db
      .prepare(
        `INSERT INTO approval_rules (id, workspace, created_at, words) VALUES (?, ?, ?, ?)
         ON CONFLICT (workspace, words) DO NOTHING`,
      )
      .run([id, workspace, createdAt, JSON.stringify(RuleWords.parse(words))]);
  }

  #readAll<T>(from: string, what: string, key: string, read: (row: Row) => T): T[] {
    const rows = this.#db.prepare<[]>(`SELECT * FROM ${from}`).all() as Row[];
    return rows.flatMap((row) => this.#readRow(row, what, key, read));
  }

  #readRow<T>(row: Row, what: string, key: string, read: (row: Row) => T): T[] {
    try {
      return [read(row)];
    } catch {
      this.#report(
        `A ${what} could not be read and is left out. It stays in the database under ${row[key]}.`,
      );
      return [];
    }
  }
}

/** Commands that are kept in memory: the newest, and every one whose end is not known. */
const RECENT_COMMANDS = `commands
  WHERE id IN (SELECT id FROM commands ORDER BY started_at DESC LIMIT 2000)
     OR (CASE WHEN json_valid(record) THEN json_extract(record, '$.endedAt') IS NULL END)
  ORDER BY started_at, id`;

/** The query of a page; exported so that a test can see that it uses the index. */
export const MESSAGES_BEFORE =
  'SELECT id, message FROM messages WHERE session_id = ? AND seq < ? ORDER BY seq DESC LIMIT ?';
const SEQ_OF_MESSAGE = 'SELECT seq FROM messages WHERE id = ? AND session_id = ?';

type Row = Readonly<Record<string, unknown>>;

function textOf(value: unknown): string {
  if (typeof value !== 'string') throw new TypeError('not a text');
  return value;
}

const objectOf = (json: unknown): object => Object(JSON.parse(textOf(json)));

/** What could not be loaded again must not be saved: it would be lost with the next start. */
function valid<T extends z.ZodType>(schema: T, value: unknown, what: string): z.output<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new StoreError(
    'invalid',
    `A ${what} could not be saved: ${issue?.path.join('.') || what} is not valid. Nothing of this step was saved.`,
  );
}

/**
 * Opens the database, made if it does not exist: file 0600 in a folder 0700. A damaged one is moved aside
 * under a dated name and a fresh one begun, and that is reported. Throws StoreError when it cannot be opened.
 */
export function openDatabase(file: string, report: Report): SqliteStore {
  fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  fs.chmodSync(path.dirname(file), 0o700);
  try {
    return new SqliteStore(connect(file), report);
  } catch (error) {
    if (!isDamage(error)) throw error;
    const kept = moveAside(file);
    const store = new SqliteStore(connect(file), report);
    report(
      `The database of chats was damaged and could not be opened. It was kept as ${kept}, and a new one was begun. ` +
        'Commands that still run go on.',
    );
    return store;
  }
}

function connect(file: string): Database.Database {
  // SQLite gives the journal files the mode of the database
  fs.closeSync(fs.openSync(file, 'a', 0o600));
  fs.chmodSync(file, 0o600);
  const db = new Database(file);
  try {
    db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    // Reads every page: a start must not take longer with every chat, so a large database is taken at its word.
    const isSmall = fs.statSync(file).size <= CHECKED_BYTES;
    const check = isSmall ? (db.prepare<[]>('PRAGMA quick_check(1)').get() as { quick_check: string }) : null;
    if (check && check.quick_check !== 'ok') throw new StoreError('damaged', check.quick_check);
    db.exec('PRAGMA journal_mode = WAL');
    // A checkpoint that was answered must outlive a power cut: only then is the session suspended, the model
    // told or the command forgotten. With NORMAL a WAL is synced only when it is folded into the database.
    db.exec('PRAGMA synchronous = FULL');
    db.exec('PRAGMA foreign_keys = ON');
    migrate(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function moveAside(file: string): string {
  const date = new Date().toISOString().replaceAll(':', '-');
  const kept = `${file}.damaged-${date}`;
  for (const suffix of ['', '-wal', '-shm']) {
    if (fs.existsSync(file + suffix)) fs.renameSync(file + suffix, kept + suffix);
  }
  return kept;
}
