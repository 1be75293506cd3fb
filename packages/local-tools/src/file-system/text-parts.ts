import { localError } from "../errors.ts";
import { linesOf } from "./lines.ts";

/** The text as it is, or `line` of its lines from line `index` on, counted from 0, joined by LF. */
export function textSlice(text: string, part: { index?: number; line?: number }): string {
  const { index, line } = part;
  if (index === undefined && line === undefined) return text;
  if (index !== undefined && (!Number.isInteger(index) || index < 0)) throw invalid("index", index);
  if (line !== undefined && (!Number.isInteger(line) || line <= 0)) throw invalid("line", line);
  const start = index ?? 0;
  return linesOf(text)
    .slice(start, line === undefined ? undefined : start + line)
    .join("\n");
}

/** All matches; with `overlap`, the next one is looked for so many characters before the end of the last. */
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
