import { linesOf } from "../files/text.ts";
import { withoutDoubled } from "./indentation.ts";
import { indentationOf } from "./levels.ts";
import { withLf } from "./line-ends.ts";
import type { Problem } from "./problem-text.ts";
import type { FileTextEdit } from "./types.ts";

/** Note on a pair that {@link fittingHalves} changed. */
export const fittedNote =
  "was fitted to the lines of its find: indentation or line ends around them that only one of the two has stand there once, and join no lines.";

/** Both with LF ends. */
type Halves = Pick<FileTextEdit, "find" | "replace">;

/** Returns the halves of a pair whose find stands in the file once, as {@link halvesAt} does; else the pair. The text has LF ends. */
export function fittingHalves(text: string, edit: FileTextEdit): FileTextEdit | Problem | undefined {
  const [find, replace] = [withLf(edit.find), withLf(edit.replace)];
  const at = edit.all === true || find === "" ? -1 : text.indexOf(find);
  if (at === -1 || text.includes(find, at + 1)) return edit;
  const halves = { find, replace };
  const fitting = halvesAt(text, at, at + find.length, halves);
  return fitting === halves ? edit : fitting && { ...edit, ...fitting };
}

/**
 * Returns the halves of an edit of a place, so that they are of the same lines: a find that was cut takes with it what its replacement
 * has, or lacks, again. A problem where that is unclear: the edit would write lines twice, or with an indentation that neither half
 * shows. Undefined for a find that stands there by accident: it has another indentation. What is more in `find` stands before the place.
 * `isForgiven`: find differs in what no reader sees, so that less is certain.
 */
export function halvesAt(
  text: string,
  from: number,
  to: number,
  halves: Halves,
  isForgiven = false,
): Halves | Problem | undefined {
  const { find, replace } = halves;
  const doubled = doubledLines(text, from, to, halves);
  if (doubled !== undefined) return problem(doubled);
  const before = text.slice(text.lastIndexOf("\n", from - 1) + 1, from);
  const isWhole = find.endsWith("\n") || /^(?:\n|$)/.test(text.slice(to, to + 1));
  if (isPadded(before, text.slice(to, to + 1), find, replace)) {
    const ends = /\n*$/.exec(replace)?.[0] ?? "";
    return { find: find.slice(1).replace(/\n(\n*)$/, (_, more) => more.slice(0, ends.length)), replace };
  }
  if (!isWhole || before === "" || /\S/.test(before)) return halves;
  if (indentationOf(find) !== "") return find.trim() === find.trimStart() && !/\n./.test(replace) ? halves : undefined;
  return behindIndentation(before, halves, text[to] === "\n", isForgiven);
}

/** The same for a find of whole lines that begins behind the indentation `own` of the first one. */
function behindIndentation(own: string, halves: Halves, hasEnd: boolean, isForgiven: boolean): Halves | Problem {
  const { find, replace } = halves;
  if (replace === "" || find.startsWith("\n")) return { find: own + find, replace };
  const once = withoutDoubled(own, find, replace);
  if (once !== replace) {
    // A replacement of whole lines for a find that was cut at both ends.
    const isCut = hasEnd && !find.endsWith("\n") && once.endsWith("\n");
    return isCut && once.endsWith("\n\n") ? problem(doubtful) : { find, replace: isCut ? once.slice(0, -1) : once };
  }
  const [first = "", ...others] = linesOf(find).filter((line) => line.trim() !== "");
  const [start = "", ...rest] = linesOf(replace).filter((line) => line.trim() !== "");
  const twin = start.trim() === first.trim() ? undefined : others.find((line) => line.trim() === start.trim());
  const isMoved = /^\s*\n/.test(replace) || (twin !== undefined && indentationOf(twin) !== own);
  const isDeep = (line: string): boolean => indentationOf(line).startsWith(own) && !isForgiven;
  const isLess = others.length === 0 && !rest.every(isDeep);
  // Once more the indentation of the line, before lines that are deeper, and not a change of nothing but that.
  const isTwice = indentationOf(start) === own && rest.length > 0 && replace !== own + find;
  return isMoved || isLess || isTwice ? problem(doubtful) : halves;
}

const doubtful =
  "find begins behind the indentation of its line, and replace has lines with another one, which can be meant in two ways: begin both with the line's indentation, and write that of each line";

/** Of a find that begins within the indentation of its line, where its lines don't fit with another one. */
export const cutIndentation: Problem = {
  type: "InvalidInput",
  message:
    "find begins within the indentation of its line, so that nothing says how deep the lines of replace are: begin both with the line's whole indentation",
};

/** Checks whether a find has line ends around its lines that the replacement has not: it would join lines that are none of its own. */
function isPadded(before: string, behind: string, find: string, replace: string): boolean {
  if (!/^\n[ \t]*\S/.test(find) || !/^[ \t]*\S/.test(replace)) return false;
  const level = indentationOf(replace);
  const isHead = before.trim() !== "" && (indentationOf(find.slice(1)) === level || !/^ ?$/.test(level));
  return (
    (isHead && (find.endsWith("\n") || /^\n?$/.test(behind))) ||
    (/\S\n+$/.test(find) && /\S$/.test(replace) && /[^\n]/.test(behind))
  );
}

function problem(message: string): Problem {
  return { type: "InvalidInput", message };
}

/** Lines are known again by so many letters and digits. */
const minKnown = 8;

/** Returns why a replacement would write lines twice that stand right beside the place, and of which find has none. */
function doubledLines(text: string, at: number, to: number, { find, replace }: Halves): string | undefined {
  const end = to - (find.endsWith("\n") ? 1 : 0);
  const [olds, news] = [find, replace].map((half) => half.replace(/\n$/, "").split("\n")) as [string[], string[]];
  const countOf = (side: readonly string[], isHead: boolean): number => {
    const own = (count: number): string[] => (isHead ? news.slice(0, count) : news.slice(news.length - count));
    const its = (count: number): string[] => (isHead ? side.slice(side.length - count) : side.slice(0, count));
    for (let count = Math.min(news.length, side.length); count > 0; count--)
      if (isKnown(own(count)) && own(count).join("\n") === its(count).join("\n")) return count;
    return 0;
  };
  if (text[at - 1] === "\n" && news[0] !== olds[0]) {
    const above = countOf(linesBefore(text, at, news.length), true);
    if (above > 0) return sayDoubled("begins", "before", above);
  }
  if (text[end] !== "\n" || news.at(-1) === olds.at(-1)) return undefined;
  const below = countOf(linesBehind(text, end + 1, news.length), false);
  return below > 0 ? sayDoubled("ends", "behind", below) : undefined;
}

function linesBefore(text: string, to: number, count: number): string[] {
  let from = to;
  for (let line = 0; line < count && from > 0; line++) from = text.lastIndexOf("\n", from - 2) + 1;
  return text.slice(from, Math.max(from, to - 1)).split("\n");
}

function linesBehind(text: string, from: number, count: number): string[] {
  let to = from - 1;
  for (let line = 0; line < count && to < text.length; line++) {
    const next = text.indexOf("\n", to + 1);
    to = next === -1 ? text.length : next;
  }
  return text.slice(from, to).split("\n");
}

function sayDoubled(verb: string, side: string, count: number): string {
  const lines = count === 1 ? "a line that stands" : `${count} lines that stand`;
  return `replace ${verb} with ${lines} right ${side} find in the file, and would stand there twice: take ${count === 1 ? "it" : "them"} out of replace, or put ${count === 1 ? "it" : "them"} into find as well`;
}

function isKnown(lines: readonly string[]): boolean {
  return (lines.join("").match(/[\p{L}\p{N}]/gu)?.length ?? 0) >= minKnown;
}
