import fs from 'node:fs';
import { promisify } from 'node:util';

const fsync = promisify(fs.fsync);
const SPACE = 0x20;
const NEWLINE = 0x0a;

/**
 * One JSON value in a file of fixed size, allocated at once and rewritten in place. A temporary file and a rename
 * would, on a full disk, replace a good record with an empty one.
 */
export class FixedRecord {
  readonly #fd: number;
  readonly #size: number;

  /** Creates the file (0600) with nothing in it but its size in bytes. Throws if it exists or the disk is full. */
  constructor(path: string, size: number) {
    this.#size = size;
    this.#fd = fs.openSync(path, 'wx', 0o600);
    try {
      this.#put('');
    } catch (error) {
      fs.closeSync(this.#fd);
      throw error;
    }
  }

  /** Replaces the value. Throws RangeError, and changes nothing, when it does not fit. */
  write(value: unknown): void {
    this.#put(JSON.stringify(value));
  }

  /** Resolves when what was written is on the disk. */
  sync(): Promise<void> {
    return fsync(this.#fd);
  }

  close(): void {
    fs.closeSync(this.#fd);
  }

  #put(text: string): void {
    const length = Buffer.byteLength(text);
    if (length >= this.#size)
      throw new RangeError(`a record of ${length} bytes does not fit into ${this.#size}`);
    const bytes = Buffer.alloc(this.#size, SPACE);
    bytes.write(text);
    bytes[bytes.length - 1] = NEWLINE;
    for (let at = 0; at < bytes.length; ) at += fs.writeSync(this.#fd, bytes, at, bytes.length - at, at);
  }
}

/** The value in a record's file; undefined when none was written yet, it is torn, or there is no such file. */
export async function readFixedRecord(path: string): Promise<unknown> {
  try {
    return JSON.parse(await fs.promises.readFile(path, 'utf8'));
  } catch {
    return undefined;
  }
}
