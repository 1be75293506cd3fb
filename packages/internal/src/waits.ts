import { ignoreRejection, maxTimerMs, onAbort } from "./async.ts";

/** Checks for `function*` and `async function*`, whose values come one after another. */
export function isGeneratorFunction(value: unknown): boolean {
  return /GeneratorFunction\]$/.test(Object.prototype.toString.call(value));
}

/** Waits so many milliseconds. False when the signal was aborted before they were over; no timer is left then. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<boolean> {
  if (signal?.aborted) return false;
  return await new Promise((resolve) => {
    const timer = setTimeout(
      () => {
        stopListening();
        resolve(true);
      },
      Math.min(ms, maxTimerMs),
    );
    const stopListening = onAbort(signal, () => {
      clearTimeout(timer);
      resolve(false);
    });
  });
}

/** Yields what a call emits, as it comes, and returns its result. `maxKept`: as much waits for a slow reader; of more, the newest. */
export async function* streamed<Item, Result>(
  call: (emit: (item: Item) => void) => Promise<Result>,
  maxKept: number = Number.POSITIVE_INFINITY,
): AsyncGenerator<Item, Result, undefined> {
  const waiting: Item[] = [];
  let wake = (): void => {};
  let isOver = false;
  const result = call((item) => {
    waiting.push(item);
    if (waiting.length > maxKept) waiting.shift();
    wake();
  }).finally(() => {
    isOver = true;
    wake();
  });
  // Nobody may be there any more to hear that it failed.
  ignoreRejection(result);
  while (!isOver) {
    while (waiting.length > 0) yield waiting.shift() as Item;
    if (!isOver && waiting.length === 0) await new Promise<void>((resolve) => (wake = resolve));
  }
  while (waiting.length > 0) yield waiting.shift() as Item;
  return await result;
}
