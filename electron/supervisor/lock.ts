/** Runs asynchronous sections one after another, in the order in which they were asked for. */
export class Lock {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(section: () => Promise<T>): Promise<T> {
    const result = this.#last.then(section);
    this.#last = result.catch(() => {});
    return result;
  }
}
