import fs from 'node:fs';
import { INPUT_QUEUE_BYTES } from '../../shared/limits.ts';
import { errnoOf } from './system-names.ts';

/** At most this much in one turn of the loop, so that the echo is read in between. */
const TURN_BYTES = 65_536;
const WRITE_BYTES = 4_096;
const FIRST_WAIT_MS = 1;
const LONGEST_WAIT_MS = 64;
const INTERRUPT = Uint8Array.of(0x03);

/**
 * Bounded input for a non-blocking master. The write is synchronous on purpose: it cannot block (the descriptor is
 * O_NONBLOCK), and no write is in flight on another thread when the descriptor is closed, so its number cannot
 * have become another file's. A program that does not read costs one try every 64 ms.
 */
export class InputQueue {
  readonly #fd: number;
  readonly #isOpen: () => boolean;
  readonly #limit: number;
  #parts: Uint8Array[] = [];
  /** Bytes of the first part that are written already. */
  #offset = 0;
  #timer: NodeJS.Timeout | null = null;
  #waitMs = FIRST_WAIT_MS;
  #isClosed = false;
  #dropped = 0;
  #size = 0;

  constructor(fd: number, isOpen: () => boolean, limit: number = INPUT_QUEUE_BYTES) {
    this.#fd = fd;
    this.#isOpen = isOpen;
    this.#limit = limit;
  }

  /** Bytes that wait. */
  get size(): number {
    return this.#size;
  }

  /** Bytes that will never reach the program. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Queues all of `data` or, when it would not fit or the queue is closed, nothing of it. */
  push(data: Uint8Array): boolean {
    if (this.#isClosed || this.#size + data.length > this.#limit) return false;
    if (data.length > 0) {
      this.#parts.push(data);
      this.#size += data.length;
    }
    if (this.#timer === null) this.#pump();
    return !this.#isClosed;
  }

  /**
   * Discards what waits and writes the interrupt character. False when something waited or it was not taken: then what
   * nobody reads stands before it in the terminal too, and the character would be found behind that. It is not queued.
   */
  interrupt(): boolean {
    const isFree = this.#size === 0;
    this.#clear();
    return isFree && !this.#isClosed && this.#isOpen() && (this.#write(INTERRUPT) ?? 0) > 0;
  }

  /** Ends the queue for ever. Call it before the descriptor is closed. */
  close(): void {
    this.#isClosed = true;
    this.#clear();
  }

  #clear(): void {
    this.#dropped += this.#size;
    this.#parts = [];
    this.#offset = 0;
    this.#size = 0;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #pump(): void {
    this.#timer = null;
    for (let budget = TURN_BYTES; budget > 0; ) {
      const part = this.#parts[0];
      if (part === undefined) return;
      const written = this.#isOpen() ? this.#write(part) : null;
      if (written === null) {
        this.close();
        return;
      }
      if (written === 0) {
        this.#waitMs = Math.min(this.#waitMs * 2, LONGEST_WAIT_MS);
        this.#timer = setTimeout(() => this.#pump(), this.#waitMs);
        return;
      }
      this.#waitMs = FIRST_WAIT_MS / 2;
      budget -= written;
      this.#size -= written;
      this.#offset += written;
      if (this.#offset === part.length) {
        this.#parts.shift();
        this.#offset = 0;
      }
    }
    if (this.#parts.length > 0) this.#timer = setTimeout(() => this.#pump(), 0);
  }

  /** How much went out; 0: not now; null: never again. */
  #write(part: Uint8Array): number | null {
    try {
      return fs.writeSync(this.#fd, part, this.#offset, Math.min(part.length - this.#offset, WRITE_BYTES));
    } catch (error) {
      const errno = errnoOf(error);
      return errno === 'EAGAIN' || errno === 'EINTR' ? 0 : null;
    }
  }
}
