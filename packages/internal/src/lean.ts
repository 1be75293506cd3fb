// Against what an engine keeps alive longer than it is needed.

/**
 * Takes one out of a list whose order means nothing; mostly it is the last. For what comes and goes with every call: a
 * set that is mostly empty makes itself a new table each time.
 */
export function removeFrom<Item>(list: Item[], item: Item): void {
  if (list.length === 0) return;
  const last = list.pop() as Item;
  if (last === item) return;
  // Engines look for an object forwards far more quickly than backwards.
  const at = list.indexOf(item);
  if (at < 0) list.push(last);
  else list[at] = last;
}

/**
 * Returns the same text in one piece. Engines join texts only when they must, and one that is kept would keep all the pieces it
 * was put together from; looking at a letter makes them join it. What is found is used, or a bundler would leave it out.
 */
export function flat(text: string): string {
  return text.charCodeAt(0) >= 0 ? text : "";
}
