import type { Entry, Mark } from "./entry.ts";
import type { OpenerWatch } from "./seam.ts";
import type { ValueStream } from "./value-stream.ts";

/** The quotes that end a string. */
export interface Quotes {
  mark: "'" | '"' | "`";
  /** The mark, and what else counts as one. */
  set: string;
  /** Three of them. */
  three: RegExp;
  /** The next three of them, or the next escape. */
  next: RegExp;
}

function makeQuotes(mark: Quotes["mark"], odd: boolean): Quotes {
  const set = odd ? mark + { "'": "‘’‚", '"': "“”„", "`": "" }[mark] : mark;
  const three = odd ? `[${set}]{3}` : mark.repeat(3);
  return { mark, set, three: new RegExp(three), next: new RegExp(mark === '"' ? `${three}|\\\\` : three, "g") };
}

const plainQuotes = { "'": makeQuotes("'", false), '"': makeQuotes('"', false), "`": makeQuotes("`", false) };

/** Returns the quotes of a mark; `odd`: typographic ones count too. */
export function quotesOf(mark: Quotes["mark"], odd: boolean): Quotes {
  return odd ? makeQuotes(mark, odd) : plainQuotes[mark];
}

/** Returns the index after the quotes that begin at one; at most `to`. */
export function afterQuotes({ set }: Quotes, text: string, from: number, to: number = text.length): number {
  let at = from;
  while (at < to && set.includes(text.charAt(at))) at += 1;
  return at;
}

/** A multi-line string that is being read. */
export interface OpenString {
  entry: Entry;
  quotes: Quotes;
  values: ValueStream;
  /** Runs of three or more quotes so far. */
  runs: number;
  /** The last quotes that were taken for the end, and were not. */
  dead: Candidate | undefined;
  /** Lines of the code that would begin another document; none for other keys. */
  watch: OpenerWatch | undefined;
  /** Its first text was read. */
  begun: boolean;
  /** The fence was closed behind these quotes, which were not taken for the end: they are it, if no later ones are. */
  fenceEnd: Candidate | undefined;
}

/** Quotes that are taken for the end of a string until a later line shows otherwise. */
export interface Candidate {
  open: OpenString;
  /** Offsets of the quotes and after them. */
  quotes: number;
  after: number;
  /** Starts of lines read since. */
  lines: number[];
  /** The quotes stand alone on their line at its start, or where no expression continues: as an end does. */
  clean: boolean;
  /** They are clean, or alone on their line. */
  mayEnd: boolean;
  /** They stand alone on their line and are more than three. */
  surplus: boolean;
  /** Runs of quotes up to these. */
  runs: number;
  /** What to go back to. */
  mark: Mark;
}

/**
 * Returns the next three quotes in a stretch of text that begins at offset `base`, or -1; then text from `hold` on may
 * still become quotes or an escape, and waits.
 * Backslashes escape in basic strings; the first one is marked in the entry.
 */
export function findQuotes(
  { entry, quotes, values }: OpenString,
  text: string,
  base: number,
  from: number,
): { index: number; hold: number } {
  const pattern = quotes.next;
  let start = from;
  for (pattern.lastIndex = from; ; ) {
    const match = pattern.exec(text);
    if (!match) break;
    if (match[0] !== "\\") return { index: match.index, hold: match.index };
    if (!entry.escapes) {
      // From the first backslash on, only the whole value shows whether it escapes.
      values.stopAt(base + match.index);
      entry.escapes = true;
    }
    start = pattern.lastIndex = match.index + 2;
    if (start > text.length) return { index: -1, hold: match.index };
  }
  let hold = text.length;
  while (hold > start && hold > text.length - 2 && quotes.set.includes(text.charAt(hold - 1))) hold -= 1;
  return { index: -1, hold };
}

/** Whether quotes at an index stand where a string's end does: at a line's start, or after text that needs no more. */
export function isCleanEnd(
  entry: Pick<Entry, "keyStart" | "lineStart">,
  before: string,
  onOpenersLine: boolean,
): boolean {
  if (before.trim() !== "") return onOpenersLine || !/(?:[=(,[{+:%]|\breturn|\bin)\s*[rbfuRBFU]{0,2}$/.test(before);
  return before.length <= entry.keyStart - entry.lineStart;
}
