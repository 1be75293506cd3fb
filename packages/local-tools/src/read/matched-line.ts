import { isLowSurrogate } from "../output/char-width.ts";

/** A line that fits; what is long is cut around what fits. */
export interface MatchedLine {
  line: number;
  text: string;
}

/** UTF-16 units of a line that is shown. */
const maxLine = 300;

/** A part of a line, in UTF-16 units. */
export interface Range {
  from: number;
  to: number;
}

/** Returns a line as it is shown: what is long is cut around what fits. */
export function around(line: string, { from, to }: Range, goesBefore: boolean, goesOn: boolean): string {
  let start = 0;
  let end = line.length;
  if (end > maxLine) {
    const room = Math.max(0, maxLine - (to - from));
    start = Math.max(0, Math.min(from - Math.floor(room / 3), end - maxLine));
    end = Math.min(end, start + maxLine);
    if (isLowSurrogate(line.charCodeAt(start))) start++;
    if (isLowSurrogate(line.charCodeAt(end))) end--;
  }
  const [before, behind] = [start > 0 || goesBefore, end < line.length || goesOn];
  return `${before ? "…" : ""}${line.slice(start, end)}${behind ? "…" : ""}`;
}
