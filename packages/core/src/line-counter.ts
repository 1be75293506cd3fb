/** A place in a text. Both start at 1; the column counts UTF-16 code units. */
export interface LinePosition {
  line: number;
  column: number;
}

/** Finds line and column of offsets. Reads the text once, at the first question. Lines end in LF, CRLF or CR. */
export class LineCounter {
  readonly #text: string;
  #starts: number[] | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** Returns line and column of an offset; offsets outside the text count as its nearest end. */
  position(offset: number): LinePosition {
    const starts = this.#lineStarts();
    const at = Math.min(Math.max(0, offset), this.#text.length);
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] as number) <= at) low = middle;
      else high = middle;
    }
    return { line: low + 1, column: at - (starts[low] as number) + 1 };
  }

  /** Returns the offset at which a line starts; undefined when there is no such line. */
  lineStart(line: number): number | undefined {
    return this.#lineStarts()[line - 1];
  }

  #lineStarts(): number[] {
    if (!this.#starts) {
      this.#starts = [0];
      for (const match of this.#text.matchAll(/\r\n?|\n/g)) this.#starts.push(match.index + match[0].length);
    }
    return this.#starts;
  }
}
