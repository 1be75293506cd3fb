import { beginnings, beginsAt, headsIn } from "./detect.ts";
import { more } from "./marks.ts";
import type { DialectFinder, RowMarks } from "./parts.ts";

/** Bars of any kind, one or two, are one. */
const bars = /[\uff5c\u2016|]{1,2}/g;
/** So many units of an opener decide which dialects it may be of. */
const keyLength = 3;
const keyAt = (text: string, at: number): string =>
  text
    .slice(at, at + 2 * keyLength)
    .replace(bars, "|")
    .slice(0, keyLength);

/** Dialects by what their calls begin with: which one a text writes is decided once, at each opener. */
export class Detector implements DialectFinder {
  /** By the first units of their openers, in order. */
  readonly #rows = new Map<string, RowMarks[]>();
  /** First units of openers. */
  readonly #firsts: string;
  readonly heads: string;

  constructor(rows: readonly RowMarks[]) {
    for (const marks of rows)
      for (const key of new Set(beginnings(marks).map((text) => keyAt(text, 0)))) {
        const list = this.#rows.get(key) ?? [];
        list.push(marks);
        this.#rows.set(key, list);
      }
    const firsts = new Set([...this.#rows.keys()].map((key) => key.charAt(0)));
    this.#firsts = [...firsts].join("");
    this.heads = headsIn(this.#firsts);
  }

  find(text: string, at: number, ended: boolean, isLineStart: boolean): RowMarks | "more" | undefined {
    if (!this.#firsts.includes(text.charAt(at))) return undefined;
    const key = keyAt(text, at);
    const rows = this.#rows.get(key);
    if (!rows) {
      const isShort = !ended && text.length - at < 2 * keyLength && key.length < keyLength;
      return isShort && [...this.#rows.keys()].some((known) => known.startsWith(key)) ? "more" : undefined;
    }
    let undecided = false;
    let second: RowMarks | undefined;
    for (const marks of rows) {
      const begins = beginsAt(text, at, marks, ended, isLineStart);
      if (begins === more) undecided = true;
      else if (begins > 0 && marks.names.lacksEnd?.(text, at, marks, ended)) second ??= marks;
      // What an earlier one waits for may make it the one.
      else if (begins > 0) return undecided ? "more" : marks;
    }
    return undecided ? "more" : second;
  }
}
