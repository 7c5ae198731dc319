import fs from 'node:fs';
import { SPACE_LOOK_BYTES, SPACE_LOOK_MIN_MS, SPACE_LOOK_MS } from '../../shared/limits.ts';

/** A log that can be kept from growing. */
export interface HeldLog {
  hold(isHeld: boolean): void;
}

export interface DiskGuardOptions {
  /** On the disk that is watched. */
  readonly folder: string;
  /** Bytes that are left free; 0: the disk is not watched. */
  readonly floorBytes: () => number;
  /** Frees so many bytes if it can. */
  makeRoom(bytes: number): Promise<void>;
}

/**
 * Keeps a floor of free disk space: below it what can be removed is, and then logs are held until there is space again.
 * The space is asked for now and then and after much was written, never at a write.
 */
export class DiskGuard {
  readonly #o: DiskGuardOptions;
  readonly #logs = new Set<HeldLog>();
  #timer: NodeJS.Timeout | null = null;
  #unseen = 0;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #isHeld = false;
  #isLooking = false;

  constructor(options: DiskGuardOptions) {
    this.#o = options;
  }

  add(log: HeldLog): void {
    this.#logs.add(log);
    log.hold(this.#isHeld);
    this.lookSoon();
  }

  remove(log: HeldLog): void {
    this.#logs.delete(log);
  }

  /** So many bytes were written to a log. */
  wrote(bytes: number): void {
    this.#unseen += bytes;
    if (this.#unseen >= SPACE_LOOK_BYTES) this.lookSoon();
  }

  /** Looks now, or as soon as it may again. */
  lookSoon(): void {
    const wait = Math.max(0, this.#lookedAt + SPACE_LOOK_MIN_MS - performance.now());
    this.#lookIn(wait);
    this.#unseen = 0;
  }

  #lookIn(ms: number): void {
    if (this.#isLooking) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#look(), ms);
  }

  async #look(): Promise<void> {
    this.#timer = null;
    this.#isLooking = true;
    this.#lookedAt = performance.now();
    const floor = this.#o.floorBytes();
    let free = floor > 0 ? await this.#free() : Number.POSITIVE_INFINITY;
    if (free < floor) {
      await this.#o.makeRoom(floor - free);
      free = await this.#free();
    }
    this.#isLooking = false;
    if (free < floor !== this.#isHeld) {
      this.#isHeld = free < floor;
      for (const log of this.#logs) log.hold(this.#isHeld);
    }
    if (this.#logs.size > 0) this.#lookIn(this.#isHeld ? SPACE_LOOK_MIN_MS : SPACE_LOOK_MS);
  }

  /** A disk that cannot be asked is not called full. */
  async #free(): Promise<number> {
    const found = await fs.promises.statfs(this.#o.folder).catch(() => null);
    return found === null ? Number.POSITIVE_INFINITY : found.bavail * found.bsize;
  }
}
