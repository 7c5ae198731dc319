import type { Descendant } from '../../shared/model/command.ts';
import { describeProcesses } from './descendants.ts';

/** A server that was left behind has its port soon; later changes are rare. */
const FIRST_LOOK_MS = 1_000;
const LOOK_EVERY_MS = 5_000;

/** Looks again and again at what an ended command left behind: processes and ports come and go. */
export class DescendantWatch {
  readonly #tree: () => Promise<readonly number[]>;
  readonly #onSeen: (descendants: Descendant[]) => void;
  #timer: NodeJS.Timeout | null = null;
  #isOn = false;

  constructor(tree: () => Promise<readonly number[]>, onSeen: (descendants: Descendant[]) => void) {
    this.#tree = tree;
    this.#onSeen = onSeen;
  }

  start(): void {
    this.#isOn = true;
    this.#lookIn(FIRST_LOOK_MS);
  }

  stop(): void {
    this.#isOn = false;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #lookIn(ms: number): void {
    this.#timer = setTimeout(() => void this.#look(), ms);
  }

  async #look(): Promise<void> {
    const descendants = await describeProcesses(await this.#tree());
    if (!this.#isOn) return;
    if (descendants.length > 0) this.#onSeen(descendants); // that nothing is left is told by the process itself
    this.#lookIn(LOOK_EVERY_MS);
  }
}
