import type { KeptCall, KeptCalls } from "./records.ts";

/**
 * The answers of a journal, in the order in which the program got them. Each is delivered when its call was made and all
 * before it were delivered: a program that gets the same answers in the same order comes to the same point.
 */
export class ReplayOrder {
  /** Resolves when all have been delivered. */
  readonly complete: Promise<void>;
  readonly #due: KeptCall[];
  readonly #ready = new Map<number, () => void>();
  #markComplete: () => void = () => {};

  constructor(calls: KeptCalls) {
    this.#due = [...calls.values()]
      .filter((call) => call.answer !== undefined)
      .sort((a, b) => (a.answer?.delivery ?? 0) - (b.answer?.delivery ?? 0));
    this.complete = new Promise((resolve) => {
      this.#markComplete = resolve;
    });
    if (this.done) this.#markComplete();
  }

  get done(): boolean {
    return this.#due.length === 0;
  }

  /** The next one, as long as it is not delivered. */
  get next(): KeptCall | undefined {
    return this.#due[0];
  }

  /** The call was made: `deliver` is called when all answers before it were delivered. */
  made(index: number, deliver: () => void): void {
    this.#ready.set(index, deliver);
    for (let next = this.#due[0]; next !== undefined; next = this.#due[0]) {
      const deliverNext = this.#ready.get(next.index);
      if (deliverNext === undefined) return;
      this.#due.shift();
      if (this.done) this.#markComplete();
      deliverNext();
    }
  }
}
