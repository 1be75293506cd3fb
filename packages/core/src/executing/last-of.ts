import { ignoreRejection } from "@toolglot/internal";

/** Returns the iterator of an async iterable or a generator. Undefined for any other value, arrays too. */
export function iteratorOf(value: unknown): Iterator<unknown> | AsyncIterator<unknown> | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const found = value as Partial<AsyncIterable<unknown>> & Partial<Generator<unknown>>;
  if (typeof found[Symbol.asyncIterator] === "function") return found[Symbol.asyncIterator]?.();
  const isGenerator = typeof found.next === "function" && typeof found[Symbol.iterator] === "function";
  return isGenerator ? found[Symbol.iterator]?.() : undefined;
}

/**
 * Returns the one result of an iterator: what it returns, else the last value that it yields. Each value that it yields goes to
 * `onProgress` as it comes. An aborted signal ends the iterator at its next value, and rejects with the signal's reason.
 */
export async function lastOf(
  iterator: Iterator<unknown> | AsyncIterator<unknown>,
  {
    signal,
    onProgress,
  }: { signal?: AbortSignal | undefined; onProgress?: ((value: unknown) => void) | undefined } = {},
): Promise<unknown> {
  let last: unknown;
  let ended = false;
  let pauseAt = performance.now() + pauseEveryMs;
  try {
    for (;;) {
      // An iterator that throws has ended by itself.
      ended = true;
      const step = await iterator.next();
      ended = step.done === true;
      if (!ended) signal?.throwIfAborted();
      const value: unknown = await step.value;
      if (ended) return value === undefined ? last : value;
      last = value;
      onProgress?.(value);
      if (performance.now() < pauseAt) continue;
      await new Promise((resolve) => setTimeout(resolve, 0));
      pauseAt = performance.now() + pauseEveryMs;
    }
  } finally {
    if (!ended) release(iterator);
  }
}

/** After so long, in milliseconds, a stream of values lets timers and signals run: else none could stop it. */
const pauseEveryMs = 20;

/** Lets a generator clean up. Nobody waits for it, since it may be stuck. */
export function release(iterator: Iterator<unknown> | AsyncIterator<unknown>): void {
  try {
    ignoreRejection(iterator.return?.());
  } catch {
    // Its own clean-up failed: the call has its outcome already.
  }
}
