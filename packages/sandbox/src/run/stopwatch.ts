/** Adds up the time in which it runs, in milliseconds. */
export class Stopwatch {
  #since: number | undefined;
  #total = 0;

  /** Does nothing while it runs. */
  start(): void {
    this.#since ??= performance.now();
  }

  /** Does nothing while it stands. */
  stop(): void {
    this.#total = this.ms;
    this.#since = undefined;
  }

  get ms(): number {
    return this.#total + (this.#since === undefined ? 0 : performance.now() - this.#since);
  }
}
