/** Runs something for each item, at most `bound` at one time. Results are in the order of the items, whatever order they end in. */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  bound: number,
  run: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = new Array(items.length);
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      const index = next++;
      results[index] = await run(items[index] as Item, index);
    }
  };
  await Promise.all(Array.from({ length: Math.min(bound, items.length) }, worker));
  return results;
}

/**
 * Runs something for each item, with the outcome of running one after another: neighbours that only read run side by side, at
 * most `maxConcurrency` of them; any other item waits for all before it and holds up all after it.
 */
export async function inOrder<Item, Result>(
  items: readonly Item[],
  options: { maxConcurrency: number; onlyReads(item: Item): boolean },
  run: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  while (results.length < items.length) {
    const start = results.length;
    let end = start;
    while (end < items.length && options.onlyReads(items[end] as Item)) end++;
    const group = items.slice(start, Math.max(end, start + 1));
    results.push(...(await inParallel(group, options.maxConcurrency, (item, index) => run(item, start + index))));
  }
  return results;
}

/** `TypeError` when it is no number of calls that may run at one time. */
export function checkConcurrency(maxConcurrency: number): void {
  if (!Number.isInteger(maxConcurrency) || maxConcurrency < 1) {
    throw new TypeError(`maxConcurrency must be a whole number from 1, not ${maxConcurrency}`);
  }
}
