import { localError } from "../errors.ts";
import { inMessage } from "../messages.ts";
import type { LineSelection, SelectedLines } from "./types.ts";

/** The lines of a text without their ends: LF or CRLF. A line end at the end begins no further line. */
export function linesOf(text: string): string[] {
  if (text === "") return [];
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** Picks lines. Throws `InvalidRange` for a start that the text hasn't, or that is 0, and for no lines at all. */
export function selectLines(text: string, selection: LineSelection, path: string): SelectedLines {
  const { startLine = 1, readLines } = selection;
  if (!Number.isInteger(startLine) || startLine === 0) {
    const cure = "lines are counted from 1, or from the end with -1.";
    throw localError("InvalidRange", `Invalid argument 'start_line' (value=${startLine}): ${cure}`);
  }
  if (readLines !== undefined && (!Number.isInteger(readLines) || readLines <= 0)) {
    throw localError("InvalidRange", `Invalid argument 'read_lines' (value=${readLines}): it must be 1 or more.`);
  }
  const all = linesOf(text);
  const from = startLine < 0 ? Math.max(1, all.length + 1 + startLine) : startLine;
  if (from > 1 && from > all.length) {
    throw localError("InvalidRange", `${inMessage(path)} has only ${countOf(all.length)}: there is no line ${from}.`);
  }
  const lines = all.slice(from - 1, readLines === undefined ? undefined : from - 1 + readLines);
  return { lines, from, total: all.length };
}

/** `1 line`, `2 lines`. */
export function countOf(count: number): string {
  return count === 1 ? "1 line" : `${count} lines`;
}
