/** What is waited for; `wait` is called once it turns out not to be over at once. */
export interface Waiting {
  wait(): void;
  /** Neighbours in the list of a {@link Patience}; its own. */
  before: Waiting | undefined;
  after: Waiting | undefined;
}

/** How long something may take before it is waited for in earnest, in milliseconds. */
const atOnceMs = 1;

/**
 * Most of what capabilities promise is kept within a few microtasks; a timer and a listener for each would cost more than
 * many a call. What begins here gets them after a millisecond, when it still runs: one timer serves all that began meanwhile.
 */
export class Patience {
  /** The newest one; linked, since a set that is mostly empty makes itself a new table each time. */
  #newest: Waiting | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  begin(waiting: Waiting): void {
    waiting.before = this.#newest;
    if (this.#newest !== undefined) this.#newest.after = waiting;
    this.#newest = waiting;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      for (let one = this.#newest; one !== undefined; one = this.#newest) {
        this.end(one);
        one.wait();
      }
    }, atOnceMs);
  }

  /** It is over, or waits already. Once for each that has begun. */
  end(waiting: Waiting): void {
    const { before, after } = waiting;
    if (before !== undefined) before.after = after;
    if (after !== undefined) after.before = before;
    else this.#newest = before;
    waiting.before = undefined;
    waiting.after = undefined;
  }
}
