import fs from 'node:fs';
import path from 'node:path';
import type { LogGap } from '../../shared/model/log-gap.ts';
import type { LogPart } from '../../shared/model/log-part.ts';
import { type LogQuota, logQuota } from './log-quota.ts';
import { gapBetween, type LogSegment, readLogFiles, segmentName } from './log-segments.ts';
import { errnoOf } from './system-names.ts';

const RETRY_MS = 200;
const { O_RDWR, O_CREAT, O_EXCL } = fs.constants;
const O_NOFOLLOW = fs.constants.O_NOFOLLOW ?? 0;

export interface OutputLogEvents {
  /** `bytes` can now be read from the log at `offset`, by every process. */
  onWritten(offset: number, bytes: Uint8Array): void;
  /** true: the log takes no more just now and is tried again; stop reading the terminal. */
  onBlocked(isBlocked: boolean): void;
  /** Some of what was written is not in the log any more: over the quota, or removed by somebody. */
  onGap(reason: 'quota' | 'deleted'): void;
}

/** A file of the log that this process knows to be there. */
interface Kept extends LogSegment {
  size: number;
}

/** The file that is written to. Closed once no read is in flight: its number could become another file's. */
class CurrentFile {
  readonly fd: number;
  #reads = 0;
  #isRetired = false;

  constructor(fd: number) {
    this.fd = fd;
  }

  async read(at: number, length: number): Promise<Uint8Array> {
    this.#reads++;
    try {
      return await readAt(this.fd, at, length);
    } finally {
      this.#reads--;
      this.#closeIfUnused();
    }
  }

  retire(): void {
    this.#isRetired = true;
    this.#closeIfUnused();
  }

  #closeIfUnused(): void {
    if (this.#isRetired && this.#reads === 0) fs.closeSync(this.fd);
  }
}

/**
 * The output of a command: raw bytes under absolute offsets, kept whole up to its quota; above it the beginning and the
 * newest part are kept, in files of their own, and what is between them is counted. A full disk blocks and is tried
 * again; only after `loseWhenFull` may the end be lost, and then it is counted and the log ends there.
 *
 * Writes are synchronous: they go to the page cache, so whatever was told as written is there for all readers, and
 * memory holds no queue. A write may be short without an error.
 */
export class OutputLog {
  readonly #folder: string;
  readonly #quota: LogQuota;
  readonly #events: OutputLogEvents;
  /** In order; the last is written to. As many as the quota allows. */
  #kept: Kept[] = [{ offset: 0, size: 0 }];
  #file: CurrentFile;
  #pending: Uint8Array[] = [];
  #timer: NodeJS.Timeout | null = null;
  #bytes = 0;
  #lost = 0;
  #mayLose = false;
  #isHeld = false;
  /** Something was lost, so everything after it is. */
  #isCut = false;
  #isClosed = false;
  #onSettled: (() => void)[] = [];

  /** Creates the first file (0600) in the folder; throws if it exists. */
  constructor(folder: string, quotaBytes: number, events: OutputLogEvents) {
    this.#folder = folder;
    this.#quota = logQuota(quotaBytes);
    this.#events = events;
    this.#file = this.#create(0);
  }

  /** Bytes that were written to the log so far: the offset behind the last one. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Bytes that a full disk kept out of the log. */
  get lost(): number {
    return this.#lost;
  }

  /** What is between the beginning and the newest part; null when everything is there. */
  get gap(): LogGap | null {
    return gapBetween(this.#kept, this.#bytes);
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
    const rest = this.#isHeld ? bytes : this.#write(bytes);
    if (rest.length === 0) return;
    this.#pending.push(rest);
    if (this.#mayLose) {
      this.#cut();
      return;
    }
    this.#events.onBlocked(true);
    this.#timer = setInterval(() => this.#retry(), RETRY_MS);
  }

  /** While held the log takes nothing, as if the disk were full: there is too little space left for others. */
  hold(isHeld: boolean): void {
    this.#isHeld = isHeld && !this.#mayLose;
    if (!this.#isHeld && this.#pending.length > 0) this.#retry();
  }

  /** From now on a full disk no longer blocks: what does not fit is lost and counted. For a command that is stopped. */
  loseWhenFull(): void {
    this.#mayLose = true;
    this.#isHeld = false; // what its clean-up says is little
    if (this.#pending.length === 0) return;
    this.#retry();
    if (this.#pending.length > 0) this.#cut();
  }

  /** Resolves when nothing waits for space. */
  settled(): Promise<void> {
    if (this.#pending.length === 0) return Promise.resolve();
    return new Promise((resolve) => this.#onSettled.push(resolve));
  }

  /**
   * Up to `length` bytes from the first byte at or after `offset` that is there; works after `close` too. Rejects when
   * the log is gone.
   */
  async read(offset: number, length: number): Promise<LogPart> {
    const { offset: start } = this.#current;
    if (this.#isClosed || offset < start) return readLogFiles(this.#folder, offset, length);
    return { from: offset, bytes: await this.#file.read(offset - start, length) };
  }

  /** The last bytes of the log, at most `length`. 14 us: no ring in memory is worth it. */
  tail(length: number): Uint8Array {
    if (this.#isClosed) return new Uint8Array(0);
    const { size } = this.#current;
    const own = readSync(this.#file.fd, Math.max(0, size - length), Math.min(length, size));
    const before = this.#kept.at(-2);
    if (own.length === length || before === undefined) return own;
    return Buffer.concat([this.#tailOf(before, length - own.length), own]);
  }

  /**
   * Looks whether all files are still there. One that was removed is forgotten; if it was the one that is written to,
   * another takes its place at the right offset, for which `makeFolder` is called when the folder is gone too.
   */
  async check(makeFolder: () => void): Promise<void> {
    const expected = [...this.#kept];
    const names = new Set(await fs.promises.readdir(this.#folder).catch(() => []));
    if (this.#isClosed) return;
    const missing = expected.filter(
      (kept) => this.#kept.includes(kept) && !names.has(segmentName(kept.offset)),
    );
    if (missing.length === 0) return;
    const isCurrentGone = missing.includes(this.#current);
    if (isCurrentGone) {
      try {
        makeFolder();
        this.#begin();
      } catch {
        return; // what is written goes into the removed file; tried again at the next look
      }
    }
    this.#kept = this.#kept.filter((kept) => !missing.includes(kept));
    this.#events.onGap('deleted');
  }

  /** Nothing is written any more; what waits is lost and counted. */
  close(): void {
    if (this.#isClosed) return;
    if (this.#pending.length > 0) this.#cut();
    this.#isClosed = true;
    this.#file.retire();
  }

  get #current(): Kept {
    return this.#kept.at(-1) as Kept;
  }

  /** Writes what the log takes and returns the rest. */
  #write(bytes: Uint8Array): Uint8Array {
    const offset = this.#bytes;
    let written = 0;
    try {
      while (written < bytes.length) {
        if (this.#room() <= 0) this.#rotate();
        const current = this.#current;
        // At its place, not at the end: should somebody cut the file, offsets stay right.
        const count = Math.min(bytes.length - written, this.#room());
        const taken = fs.writeSync(this.#file.fd, bytes, written, count, current.size);
        current.size += taken;
        this.#bytes += taken;
        written += taken;
      }
    } catch {
      // Whatever the reason (ENOSPC, EDQUOT, EIO), the answer is the same: keep the rest and try again.
    }
    if (written > 0) this.#events.onWritten(offset, bytes.subarray(0, written));
    return bytes.subarray(written);
  }

  #room(): number {
    const { offset, size } = this.#current;
    return (offset === 0 ? this.#quota.headBytes : this.#quota.segmentBytes) - size;
  }

  /** Goes on in a new file, and drops the oldest of the tail that have no room beside it. */
  #rotate(): void {
    this.#begin();
    const { segmentBytes, tailBytes } = this.#quota;
    const tail = this.#kept.filter(({ offset }) => offset > 0);
    const kept = Math.max(1, Math.floor(tailBytes / segmentBytes));
    if (tail.length <= kept) return;
    const dropped = tail.slice(0, tail.length - kept);
    this.#kept = this.#kept.filter((segment) => !dropped.includes(segment));
    for (const { offset } of dropped) fs.unlink(path.join(this.#folder, segmentName(offset)), () => {});
    this.#events.onGap('quota');
  }

  #begin(): void {
    const file = this.#create(this.#bytes);
    this.#file.retire();
    this.#file = file;
    this.#kept.push({ offset: this.#bytes, size: 0 });
  }

  #create(offset: number): CurrentFile {
    const file = path.join(this.#folder, segmentName(offset));
    const open = () => new CurrentFile(fs.openSync(file, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600));
    try {
      return open();
    } catch (error) {
      if (offset === 0 || errnoOf(error) !== 'EEXIST') throw error;
      fs.unlinkSync(file); // nobody but us has a reason to use this name
      return open();
    }
  }

  #tailOf({ offset, size }: Kept, length: number): Uint8Array {
    try {
      const fd = fs.openSync(
        path.join(this.#folder, segmentName(offset)),
        fs.constants.O_RDONLY | O_NOFOLLOW,
      );
      try {
        return readSync(fd, Math.max(0, size - length), Math.min(length, size));
      } finally {
        fs.closeSync(fd);
      }
    } catch {
      return new Uint8Array(0); // it was removed
    }
  }

  #retry(): void {
    if (this.#isHeld) return;
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

function readSync(fd: number, at: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  return length === 0 ? bytes : bytes.subarray(0, fs.readSync(fd, bytes, 0, length, at));
}

function readAt(fd: number, at: number, length: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const bytes = new Uint8Array(length);
    fs.read(fd, bytes, 0, length, at, (error, have) => {
      if (error) reject(error);
      else resolve(bytes.subarray(0, have));
    });
  });
}
