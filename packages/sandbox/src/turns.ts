interface Waiter {
  resolve(): void;
  reject(error: unknown): void;
}

/** A bounded number of places for runs; who finds none free waits, first come first served. */
export class Turns {
  readonly #most: number;
  #waiters: Waiter[] = [];
  #running = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiters.length;
  }

  get free(): boolean {
    return this.#running < this.#most;
  }

  /** Takes a place, at once when one is free. Rejects with what `signal` was aborted with while it waits. */
  async enter(signal: AbortSignal): Promise<void> {
    if (this.free) {
      this.#running++;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const onAbort = (): void => {
        this.#waiters = this.#waiters.filter((each) => each !== waiter);
        reject(signal.reason);
      };
      const settle = (then: () => void): void => {
        signal.removeEventListener("abort", onAbort);
        then();
      };
      const waiter: Waiter = {
        resolve: () => settle(resolve),
        reject: (error) => settle(() => reject(error)),
      };
      signal.addEventListener("abort", onAbort, { once: true });
      this.#waiters.push(waiter);
    });
  }

  /** Hands the place to who waits longest. */
  leave(): void {
    const next = this.#waiters.shift();
    if (next) next.resolve();
    else this.#running--;
  }

  /** Sends everybody away who waits. */
  rejectAll(error: unknown): void {
    for (const waiter of this.#waiters.splice(0)) waiter.reject(error);
  }
}
