import fs from 'node:fs';

const RETRY_MS = 200;

export interface OutputLogEvents {
  /** `bytes` can now be read from the file at `offset`, by every process. */
  onWritten(offset: number, bytes: Uint8Array): void;
  /** true: the file takes no more just now and is tried again; stop reading the terminal. */
  onBlocked(isBlocked: boolean): void;
}

/**
 * The complete output of a command: raw bytes, appended, never cut. A full disk blocks and is tried again; only
 * after `loseWhenFull` may the end be lost, and then it is counted and the file stays a prefix of the output.
 *
 * Writes are synchronous: they go to the page cache, so whatever was told as written is there for all readers, and
 * memory holds no queue. A write may be short without an error.
 */
export class OutputLog {
  readonly #path: string;
  readonly #fd: number;
  readonly #events: OutputLogEvents;
  #pending: Uint8Array[] = [];
  #timer: NodeJS.Timeout | null = null;
  #bytes = 0;
  #lost = 0;
  #mayLose = false;
  /** Something was lost, so everything after it is. */
  #isCut = false;
  #isClosed = false;
  #reads = 0;
  #onSettled: (() => void)[] = [];

  /** Creates the file (0600); throws if it exists. */
  constructor(path: string, events: OutputLogEvents) {
    this.#path = path;
    this.#fd = fs.openSync(path, 'ax+', 0o600);
    this.#events = events;
  }

  /** Bytes in the file. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Bytes that a full disk kept out of the file. */
  get lost(): number {
    return this.#lost;
  }

  get isBlocked(): boolean {
    return this.#pending.length > 0;
  }

  append(bytes: Uint8Array): void {
    if (this.#isCut || this.#isClosed) {
      this.#lost += bytes.length;
      return;
    }
    if (this.#pending.length > 0) {
      this.#pending.push(bytes);
      return;
    }
    const rest = this.#write(bytes);
    if (rest.length === 0) return;
    this.#pending.push(rest);
    if (this.#mayLose) {
      this.#cut();
      return;
    }
    this.#events.onBlocked(true);
    this.#timer = setInterval(() => this.#retry(), RETRY_MS);
  }

  /** From now on a full disk no longer blocks: what does not fit is lost and counted. For a command that is stopped. */
  loseWhenFull(): void {
    this.#mayLose = true;
    if (this.#pending.length === 0) return;
    this.#retry();
    if (this.#pending.length > 0) this.#cut();
  }

  /** Resolves when nothing waits for space. */
  settled(): Promise<void> {
    if (this.#pending.length === 0) return Promise.resolve();
    return new Promise((resolve) => this.#onSettled.push(resolve));
  }

  /** Up to `length` bytes at `offset`; works after `close` too. Rejects when the file is gone. */
  async read(offset: number, length: number): Promise<Uint8Array> {
    if (this.#isClosed) return readLogFile(this.#path, offset, length);
    this.#reads++;
    try {
      return await readAt(this.#fd, offset, length);
    } finally {
      this.#reads--;
      if (this.#isClosed && this.#reads === 0) fs.closeSync(this.#fd);
    }
  }

  /** The last bytes of the file, at most `length`. 14 us: no ring in memory is worth it. */
  tail(length: number): Uint8Array {
    const size = Math.min(length, this.#bytes);
    if (this.#isClosed || size === 0) return new Uint8Array(0);
    const bytes = new Uint8Array(size);
    return bytes.subarray(0, fs.readSync(this.#fd, bytes, 0, size, this.#bytes - size));
  }

  /** The descriptor is closed once no read is in flight: its number could become another file's. */
  close(): void {
    if (this.#isClosed) return;
    if (this.#pending.length > 0) this.#cut();
    this.#isClosed = true;
    if (this.#reads === 0) fs.closeSync(this.#fd);
  }

  /** Writes what the file takes and returns the rest. */
  #write(bytes: Uint8Array): Uint8Array {
    const offset = this.#bytes;
    let written = 0;
    try {
      while (written < bytes.length) written += fs.writeSync(this.#fd, bytes, written);
    } catch {
      // Whatever the reason (ENOSPC, EDQUOT, EIO), the answer is the same: keep the rest and try again.
    }
    this.#bytes += written;
    if (written > 0) this.#events.onWritten(offset, bytes.subarray(0, written));
    return bytes.subarray(written);
  }

  #retry(): void {
    for (let part = this.#pending[0]; part !== undefined; part = this.#pending[0]) {
      const rest = this.#write(part);
      if (rest.length > 0) {
        this.#pending[0] = rest;
        return;
      }
      this.#pending.shift();
    }
    this.#unblock();
  }

  #cut(): void {
    this.#isCut = true;
    for (const part of this.#pending) this.#lost += part.length;
    this.#pending = [];
    this.#unblock();
  }

  #unblock(): void {
    if (this.#timer !== null) {
      clearInterval(this.#timer);
      this.#timer = null;
      this.#events.onBlocked(false);
    }
    const waiting = this.#onSettled;
    this.#onSettled = [];
    for (const resolve of waiting) resolve();
  }
}

/** Up to `length` bytes of a log at `offset`. Rejects with the system's error when the file cannot be opened. */
export async function readLogFile(path: string, offset: number, length: number): Promise<Uint8Array> {
  const file = await fs.promises.open(path, 'r');
  try {
    const { size } = await file.stat();
    const bytes = new Uint8Array(Math.max(0, Math.min(length, size - offset)));
    let have = 0;
    while (have < bytes.length) {
      const { bytesRead } = await file.read(bytes, have, bytes.length - have, offset + have);
      if (bytesRead === 0) break;
      have += bytesRead;
    }
    return bytes.subarray(0, have);
  } finally {
    await file.close();
  }
}

function readAt(fd: number, offset: number, length: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const bytes = new Uint8Array(length);
    fs.read(fd, bytes, 0, length, offset, (error, have) => {
      if (error) reject(error);
      else resolve(bytes.subarray(0, have));
    });
  });
}
