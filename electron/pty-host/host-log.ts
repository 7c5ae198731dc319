import fs from 'node:fs';

const MAX_BYTES = 1024 * 1024;

/** What a host could tell nobody: its standard streams lead nowhere. One file, 0600, begun anew when it is too long. */
export class HostLog {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** Never throws. Synchronous: it is used on the way out. */
  add(what: string, error?: unknown): void {
    const reason =
      error instanceof Error ? (error.stack ?? error.message) : error === undefined ? '' : String(error);
    const line = `${new Date().toISOString()} [${process.pid}] ${what}${reason === '' ? '' : `: ${reason}`}\n`;
    try {
      const size = fs.statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0;
      fs.writeFileSync(this.#path, line, { flag: size > MAX_BYTES ? 'w' : 'a', mode: 0o600 });
    } catch {
      // A full disk has better uses for its last bytes.
    }
  }
}
