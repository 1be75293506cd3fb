import { localError } from "../../errors.ts";
import { bareLines } from "../../files/text.ts";
import { inMessage, several } from "../../messages.ts";
import type { LineSelection, SelectedLines } from "./types.ts";

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
  const all = bareLines(text);
  const from = startLine < 0 ? Math.max(1, all.length + 1 + startLine) : startLine;
  if (from > 1 && from > all.length) {
    throw localError(
      "InvalidRange",
      `${inMessage(path)} has only ${several(all.length, "line")}: there is no line ${from}.`,
    );
  }
  return { lines: all.slice(from - 1, from - 1 + (readLines ?? all.length)), from, total: all.length };
}

/** Returns the text as it is, or `line` of its lines from line `index` on, counted from 0, joined by LF. */
export function textSlice(text: string, { index, line }: { index?: number; line?: number }): string {
  if (index === undefined && line === undefined) return text;
  if (index !== undefined && (!Number.isInteger(index) || index < 0)) throw invalid("index", index);
  if (line !== undefined && (!Number.isInteger(line) || line <= 0)) throw invalid("line", line);
  const start = index ?? 0;
  return bareLines(text)
    .slice(start, line === undefined ? undefined : start + line)
    .join("\n");
}

/** Returns all matches; with `overlap`, the next one is looked for so many characters before the end of the last. */
export function readMatches(text: string, pattern: string, overlap = 0): string[] {
  if (!Number.isInteger(overlap) || overlap < 0) throw invalid("overlap", overlap);
  const expression = compiled(pattern);
  const found: string[] = [];
  for (let at = 0; at <= text.length; ) {
    expression.lastIndex = at;
    const match = expression.exec(text);
    if (match === null) break;
    found.push(match[0]);
    at = match.index + Math.max(1, match[0].length - overlap);
  }
  return found;
}

function compiled(pattern: string): RegExp {
  try {
    return new RegExp(pattern, "gm");
  } catch (error) {
    throw localError("InvalidPattern", `${JSON.stringify(pattern)} is no regular expression.`, {}, error);
  }
}

function invalid(argument: string, value: unknown): Error {
  return localError("InvalidInput", `Invalid argument '${argument}' (value=${JSON.stringify(value)})`);
}
