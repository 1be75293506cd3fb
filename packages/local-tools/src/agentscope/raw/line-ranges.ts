import { localError } from "../../errors.ts";
import { several } from "../../messages.ts";

/** First and last line, from 1, both included. */
export interface LineRange {
  start: number;
  end: number;
}

/** Returns a range as messages show it: `[3, 5]`. */
export function rangeText(range: unknown): string {
  return Array.isArray(range) ? `[${range.map((one) => JSON.stringify(one)).join(", ")}]` : JSON.stringify(range);
}

/** Reads a range of lines; negative ones count from the end, and an end behind the last line is the last line. Throws `InvalidRange`. */
export function readRange(range: unknown, total: number, path: string): LineRange {
  if (!Array.isArray(range) || range.length !== 2 || !range.every((one) => Number.isSafeInteger(one))) {
    throw invalid(`Invalid range format. Expected a list of two integers, but got ${rangeText(range)}.`);
  }
  const [from, to] = range as [number, number];
  if (from === 0 || to === 0) {
    throw invalid(
      `There is no line 0 in the given range ${rangeText(range)}: lines are counted from 1, or from the end with -1.`,
    );
  }
  const start = from < 0 ? Math.max(1, total + 1 + from) : from;
  const end = to < 0 ? total + 1 + to : Math.min(to, total);
  const isReversed = from < 0 === to < 0 ? from > to : start > end && start <= total;
  if (isReversed) throw invalid(`The start line is greater than the end line in the given range ${rangeText(range)}.`);
  if (start > total || end < 1) {
    const where = `is out of bounds for the file '${path}', which has only ${several(total, "line")}.`;
    throw invalid(`The range '${rangeText(range)}' ${where}`);
  }
  return { start, end };
}

/** Returns the lines to show around what was written: five more at both ends. */
export function viewAround(start: number, end: number, oldTotal: number, newTotal: number): LineRange {
  const room = 5;
  return { start: Math.max(1, start - room), end: Math.min(end + newTotal - oldTotal + room, newTotal) };
}

/** UTF-16 units of file text that one answer holds at most. */
const maxChars = 100_000;

/** Returns lines with their numbers: `3: text`, each with its own end. What is too much is left out, and said so. */
export function numberedLines(lines: readonly string[], { start, end }: LineRange): string {
  const parts: string[] = [];
  let room = maxChars;
  for (let line = start; line <= end; line += 1) {
    const text = lines[line - 1] as string;
    if (text.length > room) {
      parts.push(`[cut: ${several(end - line + 1, "line")} left out, from line ${line} on]\n`);
      break;
    }
    room -= text.length;
    parts.push(`${line}: ${text}`);
  }
  return parts.join("");
}

function invalid(problem: string): Error {
  return localError("InvalidRange", `InvalidArgumentError: ${problem}`);
}
