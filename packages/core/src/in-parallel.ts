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
