/** What is waited for; `wait` is called once it turns out not to be over at once. */
export interface Waiting {
  wait(): void;
}

/** How long something may take before it is waited for in earnest, in milliseconds. */
const atOnceMs = 1;

/**
 * Most of what capabilities promise is kept within a few microtasks; a timer and a listener for each would cost more than
 * many a call. What begins here gets them after a millisecond, when it still runs: one timer serves all that began meanwhile.
 */
export class Patience {
  readonly #fresh = new Set<Waiting>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  begin(waiting: Waiting): void {
    this.#fresh.add(waiting);
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const begun = [...this.#fresh];
      this.#fresh.clear();
      for (const one of begun) one.wait();
    }, atOnceMs);
  }

  /** It is over, or waits already. */
  end(waiting: Waiting): void {
    this.#fresh.delete(waiting);
  }
}
