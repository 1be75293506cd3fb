/**
 * Does the same with each item, two at a time, in order: CI machines have two cores, and what waits for a disk or a
 * registry leaves its core to the other.
 * @template T
 * @param {readonly T[]} items
 * @param {(item: T) => Promise<void>} act
 */
export async function inPairs(items, act) {
  const queue = [...items];
  const work = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await act(item);
  };
  await Promise.all([work(), work()]);
}
