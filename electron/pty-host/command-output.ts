import { TAIL_BYTES } from '../../shared/limits.ts';
import type { LogGap } from '../../shared/model/log-gap.ts';
import type { LogPart } from '../../shared/model/log-part.ts';
import { OutputBatch } from './output-batch.ts';
import { OutputLog } from './output-log.ts';
import { tailLines } from './tail-lines.ts';
import { type FrameSink, type OutputPosition, type OutputSource, Viewer } from './viewer.ts';

export interface CommandOutputEvents {
  /** There are so many bytes more in the log. */
  onGrown(bytes: number): void;
  /** true: stop reading the terminal, the disk is full. */
  onBlocked(isBlocked: boolean): void;
  /** Some of the output is not in the log any more. */
  onGap(reason: 'quota' | 'deleted'): void;
}

/** The way of a command's bytes: batch, log, viewers. What a viewer sees is in the log already. */
export class CommandOutput implements OutputSource {
  readonly generation: number;
  readonly #log: OutputLog;
  readonly #batch: OutputBatch;
  readonly #viewers = new Set<Viewer>();
  #isFinal = false;
  #finalTail: string[] | null = null;
  #grownAt: number | null = null;

  /** Creates the log in the command's folder; throws the system's error when that fails. */
  constructor(folder: string, quotaBytes: number, generation: number, events: CommandOutputEvents) {
    this.generation = generation;
    this.#log = new OutputLog(folder, quotaBytes, {
      onWritten: (offset, bytes) => {
        this.#grownAt = Date.now();
        for (const viewer of this.#viewers) viewer.onWritten(offset, bytes);
        events.onGrown(bytes.length);
      },
      onBlocked: (isBlocked) => events.onBlocked(isBlocked),
      onGap: (reason) => events.onGap(reason),
    });
    this.#batch = new OutputBatch((bytes) => this.#log.append(bytes));
  }

  get bytes(): number {
    return this.#log.bytes;
  }

  get lost(): number {
    return this.#log.lost;
  }

  /** What the log does not hold any more; null when it is whole. */
  get gap(): LogGap | null {
    return this.#log.gap;
  }

  get isBlocked(): boolean {
    return this.#log.isBlocked;
  }

  /** A terminal shows it, and answers what it asks. */
  get isWatched(): boolean {
    return this.#viewers.size > 0;
  }

  /** No more will come: the terminal is closed. */
  get isFinal(): boolean {
    return this.#isFinal;
  }

  /** Of the newest byte, milliseconds since the epoch. */
  get grownAt(): number | null {
    return this.#grownAt;
  }

  push(bytes: Uint8Array): void {
    this.#batch.push(bytes);
  }

  /** Hands what waits to the log and resolves when the log has it, or has counted it as lost. */
  settle(): Promise<void> {
    this.#batch.flush();
    return this.#log.settled();
  }

  loseWhenFull(): void {
    this.#log.loseWhenFull();
  }

  /** While held the output blocks as if the disk were full. */
  hold(isHeld: boolean): void {
    this.#log.hold(isHeld);
  }

  /** Looks whether the log's files are still there; `makeFolder` makes the folder again. */
  checkFiles(makeFolder: () => void): Promise<void> {
    return this.#log.check(makeFolder);
  }

  read(offset: number, length: number): Promise<LogPart> {
    return this.#log.read(offset, length);
  }

  /** The last lines, as a person would see them. */
  tail(): string[] {
    return this.#finalTail ?? tailLines(this.#log.tail(TAIL_BYTES));
  }

  view(sink: FrameSink, from: OutputPosition | null): Viewer {
    const viewer = new Viewer(this, sink, from);
    this.#viewers.add(viewer);
    return viewer;
  }

  unview(viewer: Viewer): void {
    viewer.close();
    this.#viewers.delete(viewer);
  }

  /** The terminal is closed: viewers get their `exit` frame once they have everything. */
  finish(): void {
    this.#batch.flush();
    this.#finalTail = this.tail();
    this.#log.close();
    this.#isFinal = true;
    for (const viewer of this.#viewers) viewer.pump();
  }
}
