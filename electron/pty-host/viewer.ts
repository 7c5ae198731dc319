import { BATCH_BYTES, VIEWER_HIGH_BYTES, VIEWER_LOW_BYTES } from '../../shared/limits.ts';
import type { LogPart } from '../../shared/model/log-part.ts';
import { encodeFrame, FrameType, HEADER_BYTES, writeHeader } from '../../shared/protocol/frame.ts';

/** Where a viewer's frames go. */
export interface FrameSink {
  post(frame: Uint8Array): void;
  /** The way is full; `Viewer.pump` is called when it is free again. */
  readonly isCongested: boolean;
}

/** The output that is viewed. */
export interface OutputSource {
  readonly generation: number;
  /** Bytes that can be read. */
  readonly bytes: number;
  /** No more will come. */
  readonly isFinal: boolean;
  /** From the first byte at or after `offset` that is there. */
  read(offset: number, length: number): Promise<LogPart>;
}

/** A place in an output. */
export interface OutputPosition {
  readonly generation: number;
  readonly offset: number;
}

/**
 * One viewer of one command. It gets new bytes as they come while it keeps up, and reads the log when it does not, so
 * it costs no memory and holds up nobody: never more than VIEWER_HIGH_BYTES are on the way to it, and having reached
 * that it waits until it is below VIEWER_LOW_BYTES.
 */
export class Viewer {
  readonly #source: OutputSource;
  readonly #sink: FrameSink;
  #sent: number;
  #acked: number;
  #isBehind = false;
  #isReading = false;
  #isEnded = false;

  /** Goes on from a known place of this very output, otherwise begins anew at 0 with a `reset` frame. */
  constructor(source: OutputSource, sink: FrameSink, from: OutputPosition | null) {
    this.#source = source;
    this.#sink = sink;
    const isKnown =
      from !== null &&
      from.generation === source.generation &&
      Number.isSafeInteger(from.offset) &&
      from.offset >= 0 &&
      from.offset <= source.bytes;
    this.#sent = isKnown ? from.offset : 0;
    this.#acked = this.#sent;
    if (!isKnown) this.#sink.post(encodeFrame(FrameType.reset, source.generation, 0));
    this.pump();
  }

  /** New bytes were written to the log at `offset`. */
  onWritten(offset: number, bytes: Uint8Array): void {
    const isLive = offset === this.#sent && this.#canSend();
    if (isLive) this.#send(bytes.subarray(0, this.#room()));
    else this.pump();
  }

  /** The viewer has parsed all before `offset`. */
  ack(offset: number): void {
    if (!(offset > this.#acked)) return;
    this.#acked = Math.min(offset, this.#sent);
    if (this.#isBehind && this.#sent - this.#acked < VIEWER_LOW_BYTES) {
      this.#isBehind = false;
      this.pump();
    }
  }

  /** Sends what can be sent. */
  pump(): void {
    if (!this.#canSend()) return;
    if (this.#sent < this.#source.bytes) {
      void this.#sendFromLog();
    } else if (this.#source.isFinal) {
      this.#isEnded = true;
      this.#sink.post(encodeFrame(FrameType.exit, this.#source.generation, this.#sent));
    }
  }

  close(): void {
    this.#isEnded = true;
  }

  #canSend(): boolean {
    return !this.#isEnded && !this.#isReading && !this.#isBehind && !this.#sink.isCongested;
  }

  #room(): number {
    return VIEWER_HIGH_BYTES - (this.#sent - this.#acked);
  }

  async #sendFromLog(): Promise<void> {
    this.#isReading = true;
    const length = Math.min(BATCH_BYTES, this.#room(), this.#source.bytes - this.#sent);
    const part = await this.#source.read(this.#sent, length).catch(() => null);
    this.#isReading = false;
    if (this.#isEnded) return;
    if (part === null || part.bytes.length === 0) {
      this.#jumpTo(this.#source.bytes); // the log was removed or cut by somebody
    } else {
      if (part.from > this.#sent) this.#jumpTo(part.from);
      this.#send(part.bytes);
    }
    this.pump();
  }

  /** Over bytes that are not there any more. */
  #jumpTo(offset: number): void {
    this.#sent = offset;
    this.#acked = offset;
    this.#sink.post(encodeFrame(FrameType.reset, this.#source.generation, offset));
  }

  #send(bytes: Uint8Array): void {
    const frame = new Uint8Array(HEADER_BYTES + bytes.length);
    writeHeader(frame, FrameType.data, this.#source.generation, this.#sent);
    frame.set(bytes, HEADER_BYTES);
    this.#sent += bytes.length;
    if (this.#room() <= 0) this.#isBehind = true;
    this.#sink.post(frame);
  }
}
