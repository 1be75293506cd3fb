/** Numbers that look random and follow from a seed: the same seed, the same numbers. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
    // Neighbouring seeds begin alike: some numbers are thrown away.
    for (let index = 0; index < 8; index++) this.next();
  }

  /** A whole number of 32 bits. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) >>> 0;
  }

  /** From `low` to below `high`. */
  between(low: number, high: number): number {
    return low + (this.next() / 2 ** 32) * (high - low);
  }

  /** As {@link between}, and mostly near `low`: what takes long is rare. */
  mostlyNear(low: number, high: number): number {
    return low + (this.next() / 2 ** 32) ** 4 * (high - low);
  }

  chance(probability: number): boolean {
    return this.next() < probability * 2 ** 32;
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.between(0, items.length))] as Item;
  }

  /** A generator of its own, so that what one actor draws changes nothing for the others. */
  fork(): Random {
    return new Random(this.next());
  }
}
