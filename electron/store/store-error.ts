/**
 * `damaged`: the file is no sound database. `newer`: a newer program made it. `invalid`: what was to be saved
 * could not be read again. `stopped`: the thread of the store is gone. `failed`: anything else.
 */
export type StoreErrorCode = 'damaged' | 'newer' | 'invalid' | 'stopped' | 'failed';

/** A failure of the store. Its message is a sentence for people. Nothing of the failed step was saved. */
export class StoreError extends Error {
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string) {
    super(message);
    this.name = 'StoreError';
    this.code = code;
  }
}

/** The failure as people should read it, from whatever SQLite, the file system or a schema threw. */
export function storeErrorOf(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const code = sqliteCode(error);
  const detail = error instanceof Error ? error.message : String(error);
  if (isDamage(error)) {
    return new StoreError(
      'damaged',
      `The database of Switchyard is damaged (${detail}). Nothing of this step was saved. Start Switchyard again.`,
    );
  }
  if (code === 'SQLITE_FULL' || code === 'ENOSPC') {
    return new StoreError(
      'failed',
      'The disk is full. Nothing of this step was saved. Free some space and try again.',
    );
  }
  if (code.startsWith('SQLITE_IOERR')) {
    return new StoreError('failed', `The disk failed (${detail}). Nothing of this step was saved.`);
  }
  if (code.startsWith('SQLITE_READONLY') || code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    return new StoreError(
      'failed',
      `The database of Switchyard cannot be written (${detail}). Check its permissions.`,
    );
  }
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) {
    return new StoreError(
      'failed',
      'Another program is using the database of Switchyard. Close it and try again.',
    );
  }
  return new StoreError('failed', `The database of Switchyard reported a failure: ${detail}`);
}

/** The file itself is at fault, not what was asked of it. */
export function isDamage(error: unknown): boolean {
  if (error instanceof StoreError) return error.code === 'damaged';
  const code = sqliteCode(error);
  return code === 'SQLITE_NOTADB' || code.startsWith('SQLITE_CORRUPT');
}

function sqliteCode(error: unknown): string {
  const code = error instanceof Error ? (error as { code?: unknown }).code : undefined;
  return typeof code === 'string' ? code : '';
}
