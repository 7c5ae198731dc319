import { ACK_EVERY_BYTES } from '../../../shared/limits.ts';
import { decodeFrame, encodeFrame, type Frame, FrameType } from '../../../shared/protocol/frame.ts';
import type { Turns, TurnTaker } from './turns.ts';

/** What a feed needs of xterm. */
export interface FeedTerminal {
  write(data: Uint8Array | string, callback?: () => void): void;
}

/** What a feed needs of a MessagePort. */
export type FeedPort = Pick<MessagePort, 'onmessage' | 'postMessage' | 'close'>;

/** Input travels in pieces well below the largest frame. */
const INPUT_PIECE_BYTES = 64 * 1024;
/**
 * xterm gives the page back only between two writes: 64 KiB of short lines at once, as a flood sends them, hold it for
 * 30 ms and more. In pieces of this size its own limit of 12 ms holds, and a turn is short.
 */
const WRITE_PIECE_BYTES = 8 * 1024;
/** `ESC c` resets the terminal in order with what was written before; Terminal.reset() would overtake it. */
const RESET = '\x1bc';

/**
 * The bytes of one terminal: frame, one write, and an acknowledgement of what was *parsed*, every 64 KiB. Offsets
 * are absolute within a generation; what is missing between two frames is counted, never hidden.
 */
export class Feed implements TurnTaker {
  generation = 0;
  /** Offset of the next byte expected. */
  received = 0;
  /** Offset up to which the terminal has parsed. */
  parsed = 0;
  gaps = 0;
  gapBytes = 0;
  /** The command's last byte is parsed. */
  isEnded = false;
  /** Something above has changed. */
  onChange: (() => void) | null = null;

  readonly #terminal: FeedTerminal;
  readonly #turns: Turns;
  readonly #queue: Frame[] = [];
  #isFocused = false;
  #isExitSeen = false;
  #hasBegun = false;
  #acked = 0;
  /** A write made before a reset must not count after it, also within one generation. */
  #epoch = 0;
  #port: FeedPort | null = null;

  constructor(terminal: FeedTerminal, turns: Turns) {
    this.#terminal = terminal;
    this.#turns = turns;
  }

  get isConnected(): boolean {
    return this.#port !== null;
  }

  /** From where a new stream goes on; null when nothing was received yet. */
  get position(): { generation: number; offset: number } | null {
    return this.#hasBegun ? { generation: this.generation, offset: this.received } : null;
  }

  connect(port: FeedPort): void {
    this.#port?.close();
    this.#port = port;
    this.#acked = this.parsed;
    port.onmessage = (event) => {
      if (this.#port === port && event.data instanceof Uint8Array) this.#onFrame(event.data);
    };
    this.onChange?.();
  }

  disconnect(): void {
    this.#port?.close();
    this.#port = null;
    this.onChange?.();
  }

  dispose(): void {
    this.onChange = null;
    this.disconnect();
    this.#queue.length = 0;
    this.#epoch++;
    this.#turns.leave(this);
  }

  /** With the focus every frame is written as it comes. */
  setFocused(isFocused: boolean): void {
    this.#isFocused = isFocused;
    if (!isFocused) return;
    for (const frame of this.#queue.splice(0)) this.#write(frame);
  }

  /** Sends what was typed or pasted. */
  input(text: string): void {
    this.inputBytes(new TextEncoder().encode(text));
  }

  inputBytes(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += INPUT_PIECE_BYTES) {
      const piece = bytes.subarray(at, at + INPUT_PIECE_BYTES);
      this.#port?.postMessage(encodeFrame(FrameType.input, this.generation, 0, piece));
    }
  }

  resize(cols: number, rows: number): void {
    this.#port?.postMessage(encodeFrame(FrameType.resize, (cols << 16) | rows, 0));
  }

  hasMore(): boolean {
    return this.#queue.length > 0;
  }

  writeOne(done: () => void): void {
    const frame = this.#queue.shift();
    if (frame === undefined) done();
    else this.#write(frame, done);
  }

  #onFrame(message: Uint8Array): void {
    const frame = decodeFrame(message);
    switch (frame.type) {
      case FrameType.reset:
        this.#reset(frame);
        break;
      case FrameType.exit:
        this.#isExitSeen = true;
        this.#finish();
        break;
      case FrameType.data:
        this.#take(frame);
        break;
    }
  }

  #reset({ generation, offset }: Frame): void {
    this.#queue.length = 0;
    // The first reset finds an empty terminal.
    if (this.#hasBegun) this.#terminal.write(RESET);
    this.#hasBegun = true;
    this.#epoch++;
    this.generation = generation;
    this.received = offset;
    this.parsed = offset;
    this.#acked = offset;
    this.isEnded = false;
    this.#isExitSeen = false;
    this.onChange?.();
  }

  #take(frame: Frame): void {
    if (frame.generation !== this.generation) return;
    this.#hasBegun = true;
    if (frame.offset !== this.received) {
      this.gaps++;
      this.gapBytes += Math.max(0, frame.offset - this.received);
      this.onChange?.();
    }
    this.received = frame.offset + frame.bytes.length;
    const isDirect = this.#isFocused && this.#queue.length === 0;
    for (let at = 0; at < frame.bytes.length; at += WRITE_PIECE_BYTES) {
      const bytes = frame.bytes.subarray(at, at + WRITE_PIECE_BYTES);
      const piece = { ...frame, offset: frame.offset + at, bytes };
      if (isDirect) this.#write(piece);
      else this.#queue.push(piece);
    }
    if (!isDirect) this.#turns.ask(this);
  }

  #write(frame: Frame, done?: () => void): void {
    const end = frame.offset + frame.bytes.length;
    const epoch = this.#epoch;
    this.#terminal.write(frame.bytes, () => {
      if (epoch === this.#epoch) {
        this.parsed = end;
        if (end - this.#acked >= ACK_EVERY_BYTES) this.#ack();
        this.#finish();
      }
      done?.();
    });
  }

  #finish(): void {
    if (!this.#isExitSeen || this.isEnded || this.parsed !== this.received) return;
    this.isEnded = true;
    this.#ack();
    this.onChange?.();
  }

  #ack(): void {
    this.#acked = this.parsed;
    this.#port?.postMessage(encodeFrame(FrameType.ack, this.generation, this.parsed));
  }
}
