import { flat } from "@toolglot/internal";

/** A shorter piece takes in the next chunk: fewer of them are kept, and joined again. */
const shortPiece = 256;

/**
 * A line that is still undecided after so many units waits for its line break. Asking again at every chunk would cost the
 * square of a long line's length.
 */
const maxUndecidedLength = 64;

/**
 * Whatever a reader waits for: once so much text is undecided, it reads again only when a sixteenth more has come. So text of any
 * length is read again for a bounded number of times, and an answer comes a sixteenth of that text too late at most.
 */
const longUndecidedLength = 4096;

/**
 * Text that arrives in chunks. A window of unread text is kept flat; everything read stays reachable by offset, so that a
 * reader that guessed wrong can go back. Chunks are joined only when text is asked for: adding one costs its length.
 *
 * Offsets are UTF-16 units of the whole text; `at` is an index in `text`, and `base + at` the offset it stands for.
 */
export class Source {
  /** The window. */
  text = "";
  /** Where reading continues, as an index in the window. */
  at = 0;
  /** Offset of the window's first unit. */
  base = 0;
  /** Length of all text so far. */
  length = 0;
  /** Units that are taken at most. */
  readonly maxLength: number;
  /** The text is longer. */
  tooLong = false;
  /** Text that waits. */
  #waiting = "";
  readonly #pieces: string[] = [];
  readonly #starts: number[] = [];

  constructor(maxLength: number) {
    this.maxLength = maxLength;
  }

  /** Offset where reading continues. */
  get offset(): number {
    return this.base + this.at;
  }

  /** Takes the next chunk, as far as there is room. False when there is nothing to read: it `waits` for a line break. */
  take(chunk: string, waits: boolean): boolean {
    const room = this.maxLength - this.length - this.#waiting.length;
    if (chunk.length > room) {
      this.tooLong = true;
      chunk = chunk.slice(0, room);
    }
    if (chunk === "") return false;
    this.#waiting += chunk;
    const undecided = this.text.length - this.at;
    if (waits && undecided > maxUndecidedLength && !chunk.includes("\n")) return false;
    if (undecided > longUndecidedLength && this.#waiting.length < undecided / 16) return false;
    this.takeRest();
    return true;
  }

  /** Puts the text that waits behind the window's unread rest; what was read leaves the window. */
  takeRest(): void {
    const chunk = this.#waiting;
    this.#waiting = "";
    const last = this.#pieces.length - 1;
    if (last >= 0 && this.length - (this.#starts[last] as number) < shortPiece) {
      const longer = this.#pieces[last] + chunk;
      this.#pieces[last] = longer.length < shortPiece ? longer : flat(longer);
    } else {
      this.#pieces.push(chunk);
      this.#starts.push(this.length);
    }
    this.length += chunk.length;
    this.text = this.at < this.text.length ? this.text.slice(this.at) + chunk : chunk;
    this.base = this.length - this.text.length;
    this.at = 0;
  }

  /** Returns text by offsets, also from before the window. */
  slice(start: number, end: number): string {
    if (start >= this.base) return this.text.slice(start - this.base, end - this.base);
    let low = 0;
    for (let high = this.#starts.length - 1; low < high; ) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] as number) <= start) low = middle;
      else high = middle - 1;
    }
    const first = this.#starts[low] as number;
    let text = "";
    for (; low < this.#pieces.length && (this.#starts[low] as number) < end; low += 1) text += this.#pieces[low];
    return text.slice(start - first, end - first);
  }

  /** Continues reading at an offset, before or after the present one. */
  seek(offset: number): void {
    if (offset < this.base) {
      this.text = this.slice(offset, this.length);
      this.base = offset;
    }
    this.at = offset - this.base;
  }
}

/** Longer than any text. `Infinity` is no small integer: a field that may hold it takes several times as long to write. */
export const none: number = 2 ** 30;

/**
 * Lookahead for one mark. The place is remembered until reading has passed it: a line with many `<` must not search for its
 * end at each of them, nor a text of many lines for a `<` that stands far away.
 */
export class NextMark {
  readonly #mark: string;
  /** The window that was searched, from which index on, and the index of the mark; {@link none} when it has none. */
  #text = "";
  #from = none;
  #index = 0;

  constructor(mark: string) {
    this.#mark = mark;
  }

  /** Returns the index in the window of the first mark from where reading continues; {@link none} when there is none yet. */
  find(text: string, at: number): number {
    if (text !== this.#text || at < this.#from || at > this.#index) {
      const index = text.indexOf(this.#mark, at);
      this.#text = text;
      this.#from = at;
      this.#index = index < 0 ? none : index;
    }
    return this.#index;
  }
}

/** Returns FNV-1a over UTF-16 units, in base 36: for ids that are the same in every run. */
export function textHash(text: string): string {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return (value >>> 0).toString(36);
}
