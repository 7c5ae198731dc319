/** Something that has output to write, one piece a turn. */
export interface TurnTaker {
  /** Writes one piece and calls back once it is parsed. */
  writeOne(done: () => void): void;
  /** There is more to write. */
  hasMore(): boolean;
}

/** How the next turn is arranged. A MessagePort task in the window: a chain of timers is held to 4 ms a step. */
export type Schedule = (task: () => void) => void;

/**
 * One parsing place shared by all terminals without the focus. Every xterm parses in slices of 12 ms, so four floods
 * would make a key typed in a fifth terminal wait for 48; with turns it waits for one piece of about 2 ms.
 */
export class Turns {
  readonly #waiting: TurnTaker[] = [];
  readonly #schedule: Schedule;
  #current: TurnTaker | null = null;

  constructor(schedule: Schedule) {
    this.#schedule = schedule;
  }

  /** Asks for a turn, once, however often it is called. */
  ask(taker: TurnTaker): void {
    if (this.#current !== taker && !this.#waiting.includes(taker)) this.#waiting.push(taker);
    this.#next();
  }

  /** Gives up a turn or the wait for one: a disposed terminal never calls back, and would block all others. */
  leave(taker: TurnTaker): void {
    const at = this.#waiting.indexOf(taker);
    if (at >= 0) this.#waiting.splice(at, 1);
    if (this.#current === taker) this.#release();
  }

  #next(): void {
    if (this.#current !== null) return;
    const taker = this.#waiting.shift();
    if (taker === undefined) return;
    this.#current = taker;
    let isDone = false;
    taker.writeOne(() => {
      if (isDone || this.#current !== taker) return;
      isDone = true;
      if (taker.hasMore()) this.#waiting.push(taker);
      this.#release();
    });
  }

  #release(): void {
    this.#current = null;
    if (this.#waiting.length > 0) this.#schedule(() => this.#next());
  }
}

/** Schedules by a MessagePort task. */
export function portSchedule(): Schedule {
  const channel = new MessageChannel();
  const tasks: (() => void)[] = [];
  channel.port1.onmessage = () => tasks.shift()?.();
  return (task) => {
    tasks.push(task);
    channel.port2.postMessage(null);
  };
}
