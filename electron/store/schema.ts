import type Database from 'libsql';
import { StoreError } from './store-error.ts';

/**
 * What each version of the database adds to the one before; `user_version` counts them. A migration that was
 * released is never changed.
 *
 * Records are kept as JSON next to the columns that the store itself looks for. The wait of a session and the
 * state of an inbox entry are columns and not in the JSON. Times are REAL: milliseconds since the epoch, as
 * JavaScript has them.
 *
 * Messages and waits belong to a row of `sessions`. Commands and inbox entries do not: the pty host outlives
 * the database, so a command may end for a session that was in one that had to be moved aside.
 */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    created_at REAL NOT NULL,
    session TEXT NOT NULL
  ) STRICT;

  -- one row while a session waits, none otherwise
  CREATE TABLE waits (
    session_id TEXT PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
    wait TEXT NOT NULL
  ) STRICT;

  -- seq numbers the messages of a session from 1 on, in the order in which they were appended
  CREATE TABLE messages (
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    id TEXT NOT NULL UNIQUE,
    message TEXT NOT NULL,
    PRIMARY KEY (session_id, seq)
  ) STRICT;

  CREATE TABLE commands (
    id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL,
    started_at REAL NOT NULL,
    record TEXT NOT NULL
  ) STRICT;
  CREATE INDEX commands_by_start ON commands (started_at);
  CREATE INDEX commands_alive ON commands (id)
    WHERE (CASE WHEN json_valid(record) THEN json_extract(record, '$.endedAt') IS NULL END);

  CREATE TABLE inbox (
    position INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    session_id TEXT NOT NULL,
    entry TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('pending', 'injected', 'consumed'))
  ) STRICT;
  CREATE INDEX inbox_pending ON inbox (position) WHERE state = 'pending';
  `,
  `
  CREATE TABLE approval_rules (
    id TEXT PRIMARY KEY,
    workspace TEXT NOT NULL,
    created_at REAL NOT NULL,
    -- the words and how they match; a workspace has each of them once
    words TEXT NOT NULL,
    UNIQUE (workspace, words)
  ) STRICT;
  `,
];

/**
 * Brings a database to the newest version, each step in a transaction of its own. Throws StoreError when it
 * was made by a newer program: what that wrote cannot be judged here and is left alone.
 */
export function migrate(db: Database.Database): void {
  const version = db.prepare<[]>('PRAGMA user_version').get() as { user_version: number };
  if (version.user_version > MIGRATIONS.length) {
    throw new StoreError(
      'newer',
      'The chats were saved by a newer version of Switchyard. Install that version again to open them; ' +
        'nothing was changed.',
    );
  }
  MIGRATIONS.slice(version.user_version).forEach((sql, index) => {
    inTransaction(db, () => {
      db.exec(sql);
      db.exec(`PRAGMA user_version = ${version.user_version + index + 1}`);
    });
  });
}

/** Runs `work` as one transaction: all of it is durable when this returns; if it throws, nothing was done. */
export function inTransaction(db: Database.Database, work: () => void): void {
  db.exec('BEGIN IMMEDIATE');
  try {
    work();
    db.exec('COMMIT');
  } catch (error) {
    // a full disk may have rolled back already
    if (db.inTransaction) db.exec('ROLLBACK');
    throw error;
  }
}
