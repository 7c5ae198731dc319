import { randomBytes } from 'node:crypto';

const NONCE_DIGITS = 24;

/**
 * A mark that no command can guess, written through the slave behind everything that the command wrote: having
 * read it, the host has read all that came before. A private OSC sequence, so that a terminal that sees it by
 * accident shows nothing.
 */
export class EndMark {
  readonly nonce = Array.from(randomBytes(NONCE_DIGITS), (byte) => byte % 10).join('');

  /** The mark number `index`: 0 after the command's own end, 1 before the terminal is closed. */
  bytes(index: number): Buffer {
    return Buffer.from(`\x1b]7777;${this.nonce};${index}\x07`, 'latin1');
  }
}
