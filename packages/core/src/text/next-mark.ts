import type { Source } from "./source.ts";

/**
 * Lookahead for one mark. The place is remembered until reading has passed it: a line with many `<` must not search for its
 * end at each of them, nor a text of many lines for a `<` that stands far away.
 */
export class NextMark {
  readonly #mark: string;
  /** Offset of the place that was found; -1 for none, infinite when the window has none. */
  #offset = -1;

  constructor(mark: string) {
    this.#mark = mark;
  }

  /** Index in the window of the first mark from where reading goes on; infinite when there is none yet. */
  find(source: Source): number {
    if (this.#offset < source.offset) {
      const index = source.text.indexOf(this.#mark, source.at);
      this.#offset = index < 0 ? Number.POSITIVE_INFINITY : source.base + index;
    }
    return this.#offset - source.base;
  }

  /** The window has more text, or reading went back. */
  forget(): void {
    this.#offset = -1;
  }
}
