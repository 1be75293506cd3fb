import { promisify } from "node:util";

/** Lets the host have its turn. */
export const nextTurn: () => Promise<void> = promisify(setImmediate);

/** Does something with each, one after the other. Work that waits for nothing would hold up the host: it gets its turn in between. */
export async function inTurns<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  for (const [index, item] of items.entries()) {
    if (index > 0) await nextTurn();
    await work(item);
  }
}

/** Runs tasks that share a path one after the other, in the order they were given; others side by side. */
export class PathQueue {
  readonly #last = new Map<string, Promise<unknown>>();
  /** Tasks that wait for everything before them, and everything behind them waits for them. */
  #barrier: Promise<unknown> = Promise.resolve();

  /** Runs a task once all earlier ones that share one of its paths are over. */
  run<Value>(paths: readonly string[], task: () => Promise<Value>): Promise<Value> {
    const before = [this.#barrier, ...paths.flatMap((path) => this.#last.get(path) ?? [])];
    const running = Promise.allSettled(before).then(task);
    for (const path of paths) this.#last.set(path, running);
    const forget = (): void => {
      for (const path of paths) if (this.#last.get(path) === running) this.#last.delete(path);
    };
    running.then(forget, forget);
    return running;
  }

  /** Runs a task alone. */
  runAlone<Value>(task: () => Promise<Value>): Promise<Value> {
    const running = Promise.allSettled([this.#barrier, ...this.#last.values()]).then(task);
    this.#barrier = running.catch(() => undefined);
    return running;
  }
}
