import type { Span } from "@toolglot/core";

/** A text with LF line ends and no byte order mark, as XML reads it, and the way back to offsets in the source. */
export class Newlines {
  readonly text: string;
  readonly #source: string;
  readonly #shift: number;
  /** Offsets in `text` of the line breaks that were CRLF. */
  readonly #pairs: number[] = [];

  constructor(source: string) {
    this.#source = source;
    this.#shift = source.startsWith("\ufeff") ? 1 : 0;
    this.text = source.slice(this.#shift).replace(/\r\n?/g, (lineEnd, index: number) => {
      if (lineEnd.length === 2) this.#pairs.push(index - this.#pairs.length);
      return "\n";
    });
  }

  /** Returns the span in the source; what lies outside counts as its end. */
  span(start: number, end: number): Span {
    const last = this.text.length;
    return { start: this.#offset(Math.min(start, last)), end: this.#offset(Math.min(Math.max(start, end), last)) };
  }

  /** Returns text as it stands in the source. */
  slice(start: number, end: number): string {
    return this.#source.slice(this.#offset(start), this.#offset(end));
  }

  #offset(at: number): number {
    let low = 0;
    let high = this.#pairs.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#pairs[middle] as number) < at) low = middle + 1;
      else high = middle;
    }
    return at + low + this.#shift;
  }
}
