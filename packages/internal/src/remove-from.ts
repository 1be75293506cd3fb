/**
 * Takes one out of a list whose order means nothing; mostly it is the last. For what comes and goes with every call: a
 * set that is mostly empty makes itself a new table each time.
 */
export function removeFrom<Item>(list: Item[], item: Item): void {
  const at = list.lastIndexOf(item);
  if (at < 0) return;
  const last = list.pop() as Item;
  if (at < list.length) list[at] = last;
}
