import { linesOf } from "../files/text.ts";
import { eachOccurrence } from "./occurrences.ts";

/** A place that holds the find text but for the indentation that all of its lines share. */
export interface Shifted {
  /** In the text searched, end exclusive. */
  from: number;
  to: number;
  /** The common indentation as find has it, and as the file has it. */
  found: string;
  wanted: string;
}

/** Characters that the comparison of one find may look at: whatever the text, it ends. */
const maxComparedChars = 50_000_000;

/**
 * Looks for the find text with another common indentation: that which all of its lines share is taken off, and every line
 * found must have the file's instead, the same for all. Only whole lines are compared; an empty one may stand for one
 * that is indented only. Undefined unless there is exactly one such place. Both texts with LF ends.
 */
export function findShifted(text: string, find: string): Shifted | undefined {
  const lines = linesOf(find);
  const wanted = commonIndentation(lines);
  const bare = lines.map((line) => (isBlank(line) ? line.replace(/^[ \t]+/, "") : line.slice(wanted.length)));
  const anchor = bare.findIndex((line) => !isBlank(line));
  const anchorLine = bare[anchor];
  if (anchorLine === undefined) return undefined;
  const isLast = anchor === bare.length - 1;
  const needle = isLast ? anchorLine : anchorLine.slice(0, -1);
  const effort = { left: maxComparedChars };
  const above = bare.slice(0, anchor);
  const below = bare.slice(anchor);
  const places: Shifted[] = [];
  eachOccurrence(text, needle, true, (at) => {
    effort.left--;
    const start = indentedLineStart(text, at, effort);
    if (start === undefined) return effort.left > 0;
    const found = text.slice(start, at);
    const to = matchDown(text, start, below, found, effort);
    const from = to === undefined ? undefined : matchUp(text, start, above, found);
    if (to !== undefined && from !== undefined) places.push({ from, to, found, wanted });
    return places.length < 2 && effort.left > 0;
  });
  return places.length === 1 && effort.left > 0 ? places[0] : undefined;
}

/**
 * The replacement with the same shift as the place found. Undefined when a line has not the indentation that would be taken
 * off or exchanged.
 */
export function shiftReplacement(replacement: string, { found, wanted }: Shifted): string | undefined {
  const [off, on] = found.endsWith(wanted)
    ? ["", found.slice(0, found.length - wanted.length)]
    : wanted.endsWith(found)
      ? [wanted.slice(0, wanted.length - found.length), ""]
      : [wanted, found];
  const lines = linesOf(replacement);
  if (lines.some((line) => !isBlank(line) && !line.startsWith(off))) return undefined;
  return lines
    .map((line) => (line.startsWith(off) && !isBlank(line) ? on + line.slice(off.length) : shiftBlank(line, off, on)))
    .join("");
}

/** Says an indentation: "2 tabs", "4 spaces", "no indentation". */
export function sayIndentation(indentation: string): string {
  const runs = indentation.match(/ +|\t+/g) ?? [];
  if (runs.length === 0) return "no indentation";
  if (runs.length > 4) return JSON.stringify(indentation.slice(0, 40));
  return runs
    .map((run) => `${run.length} ${run[0] === "\t" ? "tab" : "space"}${run.length === 1 ? "" : "s"}`)
    .join(", ");
}

/** The indentation that all lines with content begin with. */
function commonIndentation(lines: readonly string[]): string {
  let common: string | undefined;
  for (const line of lines) {
    if (isBlank(line)) continue;
    const own = /^[ \t]*/.exec(line)?.[0] ?? "";
    common = common === undefined ? own : sharedStart(common, own);
  }
  return common ?? "";
}

function sharedStart(one: string, other: string): string {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return one.slice(0, length);
}

function isBlank(line: string): boolean {
  return /^[ \t]*\n?$/.test(line);
}

function shiftBlank(line: string, off: string, on: string): string {
  const indentation = line.replace(/\n$/, "");
  if (indentation === "" || !indentation.startsWith(off)) return line;
  return on + line.slice(off.length);
}

/** Where the line of an offset starts, when nothing but indentation stands between. */
function indentedLineStart(text: string, at: number, effort: { left: number }): number | undefined {
  let start = at;
  while (start > 0 && (text[start - 1] === " " || text[start - 1] === "\t")) start--;
  effort.left -= at - start;
  return start === 0 || text[start - 1] === "\n" ? start : undefined;
}

/** Compares lines from a line's start on; gives where they end. */
function matchDown(
  text: string,
  start: number,
  lines: readonly string[],
  indentation: string,
  effort: { left: number },
): number | undefined {
  let at = start;
  for (const line of lines) {
    effort.left -= line.length + indentation.length;
    if (effort.left < 0) return undefined;
    if (isBlank(line)) {
      const end = blankEnd(text, at, line, indentation);
      if (end === undefined) return undefined;
      at = end;
      continue;
    }
    if (!text.startsWith(indentation, at) || !text.startsWith(line, at + indentation.length)) return undefined;
    at += indentation.length + line.length;
  }
  // Whole lines: here "return x" doesn't stand for the start of "return xy".
  return lines.at(-1)?.endsWith("\n") === true || at === text.length || text[at] === "\n" ? at : undefined;
}

/** Empty lines before the first with content; gives where they start. */
function matchUp(text: string, start: number, lines: readonly string[], indentation: string): number | undefined {
  let at = start;
  for (let left = lines.length; left > 0; left--) {
    if (at === 0) return undefined;
    const before = at >= 2 ? text.lastIndexOf("\n", at - 2) + 1 : 0;
    if (blankEnd(text, before, "\n", indentation) !== at) return undefined;
    at = before;
  }
  return at;
}

/** Where an empty line ends that stands at an offset: it may have the indentation or nothing. */
function blankEnd(text: string, at: number, line: string, indentation: string): number | undefined {
  // Blanks that end a find are the start of a line that goes on: a shift would say nothing about them.
  if (!line.endsWith("\n")) return undefined;
  if (text[at] === "\n") return at + 1;
  if (text.startsWith(indentation, at) && text[at + indentation.length] === "\n") return at + indentation.length + 1;
  return undefined;
}
