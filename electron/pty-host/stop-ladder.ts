import type { CommandProcess } from './command-process.ts';
import { defer, within } from './deferred.ts';

/** How a stop ended. */
export interface LadderEnd {
  /** SIGKILL was needed. */
  readonly wasForced: boolean;
  /** Pids of what could not be ended. */
  readonly survivors: readonly number[];
}

/** SIGTERM and SIGCONT to the whole tree, the grace, SIGKILL until it is gone. Begins when it is made. */
export class StopLadder {
  readonly end: Promise<LadderEnd>;
  readonly #impatience = defer<void>();

  /** `empty` resolves when nothing of the tree is left; `graceMs` 0 kills at once. */
  constructor(process: CommandProcess, empty: Promise<void>, graceMs: number) {
    this.end = this.#climb(process, empty, graceMs);
  }

  /** Ends the grace now. */
  escalate(): void {
    this.#impatience.resolve();
  }

  async #climb(process: CommandProcess, empty: Promise<void>, graceMs: number): Promise<LadderEnd> {
    if (graceMs > 0) {
      process.signal('SIGTERM', 'SIGCONT'); // a stopped process takes the first only after the second
      const isGone = empty.then(() => true);
      const isHurried = this.#impatience.promise.then(() => false);
      if (await within(Promise.race([isGone, isHurried]), graceMs, false)) {
        return { wasForced: false, survivors: [] };
      }
    }
    return { wasForced: true, survivors: await process.kill() };
  }
}
