import { commonEnds, linesOf } from "../files/text.ts";
import type { TextChange } from "./changes.ts";
import { type Problem, tooLarge } from "./problem-text.ts";
import type { FileTextEdit } from "./types.ts";

export type LineEnds = "none" | "lf" | "crlf" | "mixed";

/** A text with LF for every CRLF, and the way back to the text as it stands. */
export interface FlatText {
  readonly raw: string;
  readonly flat: string;
  readonly ends: LineEnds;
  /** The offset in `raw` of an offset in `flat`; of an LF that is a CRLF, that of its CR. */
  toRaw(offset: number): number;
}

/** Returns a text with LF for every CRLF. */
export function withLf(text: string): string {
  return text.includes("\r\n") ? text.replaceAll("\r\n", "\n") : text;
}

/** Returns a text with one kind of end for every LF and CRLF. */
function withEnds(text: string, end: "\n" | "\r\n"): string {
  const flat = withLf(text);
  return end === "\n" || !flat.includes("\n") ? flat : flat.replaceAll("\n", end);
}

/** Reads a text's line ends. */
export function flatten(raw: string): FlatText {
  const crlf: number[] = [];
  for (let at = raw.indexOf("\r\n"); at !== -1; at = raw.indexOf("\r\n", at + 2)) crlf.push(at - crlf.length);
  if (crlf.length === 0) {
    return { raw, flat: raw, ends: raw.includes("\n") ? "lf" : "none", toRaw: (offset) => offset };
  }
  return {
    raw,
    flat: withLf(raw),
    ends: hasBareLf(raw) ? "mixed" : "crlf",
    toRaw: (offset) => offset + countBelow(crlf, offset),
  };
}

/** Returns how many of rising numbers are below a limit. */
function countBelow(numbers: readonly number[], limit: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] as number) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

function hasBareLf(raw: string): boolean {
  for (let at = raw.indexOf("\n"); at !== -1; at = raw.indexOf("\n", at + 1)) {
    if (raw[at - 1] !== "\r") return true;
  }
  return false;
}

/**
 * Returns what to write for a part of a text, `from` to `to` in `raw`: the replacement with the line ends of the file. In a file with
 * both kinds, lines that the replacement has in common with the part at its start and end stay as they are; each other line
 * takes the end of the line that it stands for, else that of the part or of the nearest line.
 */
function replacementFor(text: FlatText, from: number, to: number, replacement: string): string {
  if (text.ends === "none") return replacement;
  if (text.ends !== "mixed") return withEnds(replacement, text.ends === "crlf" ? "\r\n" : "\n");
  const olds = linesOf(text.raw.slice(from, to));
  const news = linesOf(withLf(replacement));
  const [head, tail] = commonEnds(olds, news, (old, now) => withLf(old) === now);
  const changed = olds.slice(head, olds.length - tail);
  const usual = firstEnd(changed) ?? firstEnd(olds) ?? nearestEnd(text.raw, from, to);
  return [
    ...olds.slice(0, head),
    ...news.slice(head, news.length - tail).map((line, index) => withEnds(line, endOf(changed[index]) ?? usual)),
    ...olds.slice(olds.length - tail),
  ].join("");
}

function endOf(line: string | undefined): "\n" | "\r\n" | undefined {
  if (line?.endsWith("\n") !== true) return undefined;
  return line.endsWith("\r\n") ? "\r\n" : "\n";
}

function firstEnd(lines: readonly string[]): "\n" | "\r\n" | undefined {
  return lines.map(endOf).find((end) => end !== undefined);
}

/** Returns the end of the line that a part without one stands in: behind it, else before it. */
function nearestEnd(raw: string, from: number, to: number): "\n" | "\r\n" {
  const behind = raw.indexOf("\n", to);
  const at = behind === -1 ? raw.lastIndexOf("\n", from - 1) : behind;
  return raw[at - 1] === "\r" ? "\r\n" : "\n";
}

export interface Made {
  text: string;
  /** The same, as changes of the raw text before. */
  changes: TextChange[];
  count: number;
  notes: string[];
}

type FindReplace = Pick<FileTextEdit, "find" | "replace">;

/** Takes a place in the raw text, with what it holds and gets unless that is the pair's find and replace; false ends the visits. */
export type VisitPlace = (from: number, to: number, own?: FindReplace) => boolean | undefined;

/** Writes replacements at places, given in order, with the line ends of the file. */
export function splice(
  text: FlatText,
  each: (visit: VisitPlace) => void,
  pair: FindReplace,
  maxChars: number,
): Made | Problem {
  // Who names the line ends themselves means them.
  const verbatim = /^[\r\n]+$/.test(pair.find) && (pair.find + pair.replace).includes("\r");
  const chunks: string[] = [];
  const changes: TextChange[] = [];
  let parts: string[] = [];
  let [end, length, count, adapted] = [0, text.raw.length, 0, false];
  each((from, to, { find, replace } = pair) => {
    const written = verbatim ? replace : replacementFor(text, from, to, replace);
    adapted ||= !verbatim && (written !== replace || to - from !== find.length);
    count++;
    length += written.length - (to - from);
    parts.push(text.raw.slice(end, from), written);
    changes.push({ from, to, text: written });
    end = to;
    if (parts.length >= 10_000) {
      chunks.push(parts.join(""));
      parts = [];
    }
    return length <= maxChars;
  });
  if (length > maxChars) return tooLarge(maxChars);
  chunks.push(...parts, text.raw.slice(end));
  return { text: chunks.join(""), changes, count, notes: adapted ? [endsNote(text)] : [] };
}

function endsNote({ ends }: FlatText): string {
  if (ends === "mixed") return "The file has both CRLF and LF line ends: each line kept its own.";
  return `The file has ${ends === "crlf" ? "CRLF" : "LF"} line ends: they were kept.`;
}
