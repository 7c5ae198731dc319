import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { DEFAULT_COLS, DEFAULT_ROWS, MAX_COLS, MAX_ROWS } from '../../shared/limits.ts';

export interface Size {
  readonly cols: number;
  readonly rows: number;
}

/** The terminal that `switchyard` was typed in. */
export class CallerTerminal {
  readonly #input = process.stdin;
  #isHeld = false;

  /**
   * What is typed is ours to pass on: standard input is a terminal, and we are in its foreground. Whoever reads a terminal
   * from its background is stopped.
   */
  readonly isTyped = this.#input.isTTY === true && isInForeground();

  /** What is written reaches the screen as it is. Otherwise the caller's terminal turns each line feed into return and line feed. */
  readonly isRaw = this.isTyped && process.stdout.isTTY === true;

  /** Of the first of output and error that is a terminal, or the size of one that nobody looks at. */
  get size(): Size {
    const shown = [process.stdout, process.stderr].find((stream) => stream.isTTY);
    const within = (value: number | undefined, fallback: number, most: number) =>
      value === undefined || value < 1 ? fallback : Math.min(value, most);
    return {
      cols: within(shown?.columns, DEFAULT_COLS, MAX_COLS),
      rows: within(shown?.rows, DEFAULT_ROWS, MAX_ROWS),
    };
  }

  /** From now on every key goes to `onBytes`, Ctrl+C too, and the terminal neither echoes nor changes what is shown. */
  hold(onBytes: (bytes: Uint8Array) => void): void {
    if (!this.isTyped) return;
    this.#isHeld = true;
    this.#input.setRawMode(true);
    // Node leaves that out, and takes it back with its own part. Full-screen programs need their line feeds as they are.
    if (this.isRaw) spawnSync('stty', ['-opost'], { stdio: ['inherit', 'ignore', 'ignore'] });
    this.#input.on('data', onBytes);
    this.#input.on('error', () => {}); // the terminal is gone; SIGHUP says so too
  }

  /** Gives the terminal back as it was. May be called twice. */
  release(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#input.removeAllListeners('data');
    this.#input.pause();
    try {
      this.#input.setRawMode(false);
    } catch {
      // The terminal is gone.
    }
  }
}

/** Where the system does not tell, it is taken to be so. */
function isInForeground(): boolean {
  try {
    const stat = fs.readFileSync('/proc/self/stat', 'utf8');
    // Behind the name, which may hold anything: state, ppid, pgrp, session, tty_nr, tpgid.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[2] === fields[5];
  } catch {
    return true;
  }
}
