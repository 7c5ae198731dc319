/** A piece of a command's log. The log may have a gap: what is asked for there begins behind it. */
export interface LogPart {
  /** Absolute offset of the first byte. */
  readonly from: number;
  /** Without a gap inside. */
  readonly bytes: Uint8Array;
}
