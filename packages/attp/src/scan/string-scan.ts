import type { Mark } from "./draft.ts";
import type { Entry } from "./entry.ts";
import type { OpenerWatch } from "./seam.ts";
import type { ValueStream } from "./value-stream.ts";

/** Which quotes end a string: `'`, `"` or backticks; `odd` when typographic ones count too. */
export interface Quotes {
  mark: "'" | '"' | "`";
  odd: boolean;
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

/** Quotes that are taken for the end of a string until a later line says otherwise. */
export interface Candidate {
  open: OpenString;
  /** Offsets of the quotes and after them. */
  quotes: number;
  after: number;
  /** Starts of lines read since. */
  lines: number[];
  /** The quotes stand alone on their line at its start, or where no expression goes on: as an end does. */
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

const patterns = {
  "'": /'''/g,
  "'odd": /[‘’‚']{3}/g,
  '"': /"""|\\/g,
  '"odd': /["“”„]{3}|\\/g,
  "`": /```/g,
  "`odd": /```/g,
};

/**
 * The next three quotes in a stretch of text that begins at offset `base`, or -1; then text from `hold` on may
 * still become quotes or an escape, and waits.
 * Backslashes escape in basic strings; the first one is marked in the entry.
 */
export function findQuotes(
  { entry, quotes, values }: OpenString,
  text: string,
  base: number,
  from: number,
): { index: number; hold: number } {
  const pattern = patterns[quotes.odd ? (`${quotes.mark}odd` as const) : quotes.mark];
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
  while (hold > start && hold > text.length - 2 && isQuote(quotes, text.charCodeAt(hold - 1))) hold -= 1;
  return { index: -1, hold };
}

/** Finds three of the quotes. */
export function quotesOf({ mark, odd }: Quotes): RegExp {
  if (mark === "`") return /```/;
  return odd ? { "'": /[‘’‚']{3}/, '"': /["“”„]{3}/ }[mark] : { "'": /'''/, '"': /"""/ }[mark];
}

/** Whether a unit is one of the quotes. */
export function isQuote({ mark, odd }: Quotes, code: number): boolean {
  if (mark === "`") return code === 96;
  if (mark === "'") return code === 39 || (odd && code >= 0x2018 && code <= 0x201a);
  return code === 34 || (odd && code >= 0x201c && code <= 0x201e);
}

/** Whether quotes at an index stand where a string's end does: at a line's start, or after text that needs no more. */
export function isCleanEnd(entry: Entry, before: string, onOpenersLine: boolean): boolean {
  if (before.trim() !== "") return onOpenersLine || !/(?:[=(,[{+:%]|\breturn|\bin)\s*[rbfuRBFU]{0,2}$/.test(before);
  return before.length <= entry.keyStart - entry.lineStart;
}
