/** A task done again and again: each time `everyMs` after the last has ended, so that none overtakes another. */
export class Repeated {
  readonly #everyMs: number;
  readonly #task: () => Promise<void>;
  readonly #onError: (error: unknown) => void;
  #timer: NodeJS.Timeout | null = null;
  #isOn = false;
  #isBusy = false;

  constructor(everyMs: number, task: () => Promise<void>, onError: (error: unknown) => void) {
    this.#everyMs = everyMs;
    this.#task = task;
    this.#onError = onError;
  }

  get isOn(): boolean {
    return this.#isOn;
  }

  /** Begins, or ends after the task that is being done just now. */
  turn(isOn: boolean): void {
    if (isOn === this.#isOn) return;
    this.#isOn = isOn;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (isOn && !this.#isBusy) this.#wait();
  }

  #wait(): void {
    this.#timer = setTimeout(() => void this.#run(), this.#everyMs);
  }

  async #run(): Promise<void> {
    this.#timer = null;
    this.#isBusy = true;
    try {
      await this.#task();
    } catch (error) {
      this.#onError(error);
    }
    this.#isBusy = false;
    if (this.#isOn) this.#wait();
  }
}
