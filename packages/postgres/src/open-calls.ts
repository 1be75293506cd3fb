import { storeClosed } from "@toolglot/trp-core/store";

/** The calls of a store's methods that are under way. Who closes the store waits for them. */
export class OpenCalls {
  readonly #underWay = new Set<Promise<unknown>>();
  #isClosed = false;

  /** Returns the same methods. Once the store is closed they reject. */
  of<Methods extends object>(methods: Methods): Methods {
    const entries = Object.entries(methods).map(([name, member]) => [
      name,
      // A list of names is read piece by piece, and finds out by itself.
      typeof member !== "function" || name === "list" ? member : (...args: unknown[]) => this.#call(member, args),
    ]);
    return Object.fromEntries(entries) as Methods;
  }

  #call(method: (...args: unknown[]) => Promise<unknown>, args: unknown[]): Promise<unknown> {
    if (this.#isClosed) return Promise.reject(storeClosed("postgres"));
    const result = method(...args);
    this.#underWay.add(result);
    const over = (): void => void this.#underWay.delete(result);
    result.then(over, over);
    return result;
  }

  /** From now on nothing is taken any more. Resolves once all is over that was. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#underWay);
  }
}
