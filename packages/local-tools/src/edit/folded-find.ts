import { byteOrderMark, eachOccurrence, lineCounter } from "../files/text.ts";
import { type FoldClass, type FoldedText, fold, foldClasses } from "./fold.ts";
import { withLf } from "./line-ends.ts";
import type { FileTextEdit } from "./types.ts";

/** A part of a text, end exclusive. */
export interface Span {
  from: number;
  to: number;
}

/** Place where a find stands but for what no reader sees. */
export interface FoldedPlace {
  /** Lines of the find without their ends, as many as the place has: blank lines that the file lacks are left out, here and in `replace`. */
  find: string[];
  replace: string[];
  /** What the text has for each line of `find`, without the line's end. */
  lines: Span[];
  /** What differs, and in which lines of the text, from 1; of the find, or of its lines with another indentation. */
  differs(find?: readonly string[]): [what: string, lines: number[]][];
}

/** Which places {@link findFolded} takes. */
interface FindOptions {
  /** The file was folded without indentation: only whole lines fit. Default false. */
  bare?: boolean;
  /** Nothing else was folded, so that nothing else may differ. Default false. */
  exact?: boolean;
  /** Called for each place with what makes it, and where it begins in the text; false ends the search. */
  visit(place: (() => FoldedPlace) | undefined, start: number): boolean;
}

/**
 * Looks for a find that does not occur, without what no reader sees (`foldClasses`), and without regard to blank lines at the
 * find's two ends and to whether the file's last line has an end. One that would cut a character, or an indentation, is visited as undefined: it is never
 * edited, and makes another one doubtful. Nothing fits a find that holds white space only, or begins with a byte order mark, which is not
 * part of the text. Linear in both, but for what `visit` does; the file with LF ends.
 */
export function findFolded(
  file: FoldedText,
  edit: FileTextEdit,
  { bare = false, exact = false, visit }: FindOptions,
): void {
  const find = withLf(edit.find);
  // Blanks that end a find are the start of a line that is cut: nothing shows which indentation they are.
  if (find.startsWith(byteOrderMark) || (bare && /\n[ \t]+$/.test(find))) return;
  const { folded } = file;
  const wanted = dividedFind(fold(find, { isPart: true, bare, except: exact ? "all" : undefined }).folded);
  if (wanted === undefined) return;
  eachOccurrence(folded, wanted.core, true, (at) => {
    const fit = fitAt(file, wanted, at);
    const { head, tail } = wanted;
    if (fit === undefined || (exact && (fit.above < head || fit.below < tail || !fit.hasBlanks))) return true;
    const isWhole = (fit.from === 0 || folded[fit.from - 1] === "\n") && /^\n?$/.test(folded.charAt(fit.to));
    if (bare && !isWhole) return true;
    // Blanks that a find begins with are all of its line's indentation.
    const before = folded.slice(Math.max(0, at - maxIndentation), at);
    const isIndented = /^[ \t]/.test(wanted.core) && /(?:^|\n)[ \t]+$/.test(before);
    const isCut = isIndented || !file.isBoundary(fit.from) || !file.isBoundary(fit.to);
    return visit(isCut ? undefined : () => placeOf(file, wanted, fit, edit), file.startOf(at));
  });
}

/** Longer ones are none. */
const maxIndentation = 200;

/** A folded find: so many line ends, then its content, then further line ends. */
interface DividedFind {
  head: number;
  core: string;
  tail: number;
  /** The white space behind all that. */
  blanks: string;
}

function dividedFind(folded: string): DividedFind | undefined {
  let [from, to] = [0, folded.length];
  while (folded[from] === "\n") from++;
  while (to > from && /[\t-\f ]/.test(folded[to - 1] as string)) to--;
  if (from === to) return undefined;
  const rest = folded.slice(to);
  const blanks = rest.slice(rest.lastIndexOf("\n") + 1);
  return { head: from, core: folded.slice(from, to), tail: rest.length - blanks.length, blanks };
}

/** A place that fits: the content from `from` to `to` in the folded text, and the line ends around it that belong to the find. */
interface Fit extends Span {
  above: number;
  below: number;
  /** Whether the white space behind them is there, too. */
  hasBlanks: boolean;
}

function fitAt({ folded }: FoldedText, wanted: DividedFind, from: number): Fit | undefined {
  const { head, core, tail, blanks } = wanted;
  const to = from + core.length;
  let [above, below] = [0, 0];
  while (above < head && folded[from - above - 1] === "\n") above++;
  while (below < tail && folded[to + below] === "\n") below++;
  if (above < head) {
    // Blank lines are missing. The content must begin its line all the same, and the line above keeps its end.
    if (above === 0 && from > 0) return undefined;
    if (above < from) above--;
  }
  const hasBlanks = below === tail && folded.startsWith(blanks, to + below);
  const isLineEnd = to === folded.length || folded[to] === "\n";
  return hasBlanks || isLineEnd ? { from, to, above, below, hasBlanks } : undefined;
}

function placeOf(file: FoldedText, written: DividedFind, found: Fit, call: FileTextEdit): FoldedPlace {
  const [wanted, fit, edit] = withoutMargins(written, found, call);
  const [find, replace] = fittingLines(file, wanted, fit, edit);
  const lines = spansOf(file, fit, fit.to + fit.below + (fit.hasBlanks ? wanted.blanks.length : 0));
  const isOther = fit !== found && (fit.above !== found.above || fit.below !== found.below || wanted !== written);
  const around = isOther
    ? ([["blank lines around it", [lineCounter(file.source)(file.startOf(fit.from))]]] as const)
    : [];
  const differs: FoldedPlace["differs"] = (own = find) => {
    const said = differencesAt(file, wanted, fit, own, lines);
    return [
      ...said,
      ...around
        .filter(([what]) => said.every(([other]) => other !== what))
        .map(([what, at]): [string, number[]] => [what, [...at]]),
    ];
  };
  return { find, replace, lines, differs };
}

/** Where blank lines around a find are missing, a replacement that has fewer at this end takes none away from the lines beside it. */
function withoutMargins(wanted: DividedFind, fit: Fit, edit: FileTextEdit): [DividedFind, Fit, FileTextEdit] {
  const { head, tail } = wanted;
  const isLacking = fit.above < head || fit.below < tail;
  if (!isLacking || edit.replace.trim() === "") return [wanted, fit, edit];
  const [above, below] = [/^\s*\n/, /\n\s*$/].map(
    (ends) => (ends.exec(edit.replace)?.[0].match(/\n/g) ?? []).length,
  ) as [number, number];
  const kept = { ...fit, above: Math.min(fit.above, above), below: Math.min(fit.below, below) };
  if (above > 0 || head === 0 || tail === 0 || wanted.blanks !== "")
    return [wanted, { ...kept, hasBlanks: fit.hasBlanks && kept.below === fit.below }, edit];
  // Only find has line ends before it: those behind it are one too many, too.
  const lines = withLf(edit.find).split("\n").slice(head, -1);
  kept.below = below === 0 ? 0 : Math.min(fit.below, tail - 1);
  return [
    { ...wanted, head: 0, tail: tail - 1 },
    { ...kept, hasBlanks: kept.below === tail - 1 },
    { ...edit, find: lines.join("\n") },
  ];
}

/** Returns the lines of find and replace for a place: both lose the blank lines, or the last line end, that the file lacks there. */
function fittingLines(
  file: FoldedText,
  { head, tail }: DividedFind,
  fit: Fit,
  edit: FileTextEdit,
): [string[], string[]] {
  let find = withLf(edit.find).split("\n");
  let replace = withLf(edit.replace).split("\n");
  const isAroundBoth = head > 0 && countWhile(replace.slice(0, -1), isWhite) >= head;
  if (fit.above < head) {
    find = find.slice(head - fit.above);
    const blank = countWhile(replace.slice(0, -1), isWhite);
    replace = replace.slice(blank - keptEnds(blank, head, fit.above));
  }
  if (fit.hasBlanks) return [find, replace];
  if (tail === 0) {
    const last = find.at(-1) as string;
    const hasWhite = file.startOf(fit.to) > file.endOf(fit.to);
    const white = hasWhite ? "" : last.slice(last.trimEnd().length);
    return [withoutWhite(find, white), withoutWhite(replace, white)];
  }
  find = withoutEnds(find, tail - fit.below);
  const blank = countWhile(replace.slice(1).reverse(), isWhite);
  const kept = isAroundBoth ? Math.max(0, fit.below + blank - tail) : keptEnds(blank, tail, fit.below);
  // Blank lines that are not there are no reason to join the last line with the next: only an empty replacement takes all of it.
  const least = replace.every(isWhite) ? 0 : Math.min(1, fit.below);
  return [find, withoutEnds(replace, blank - kept, Math.max(0, least - kept))];
}

/** Returns how many of a replacement's line ends at one end stay, where find has `wanted` of them, and the file only `found`. */
function keptEnds(written: number, wanted: number, found: number): number {
  return written >= wanted ? found + written - wanted : Math.min(found, written);
}

/** Takes this white space off the end of the last line. */
function withoutWhite(lines: readonly string[], white: string): string[] {
  const last = lines.at(-1) as string;
  return [...lines.slice(0, -1), last.endsWith(white) ? last.slice(0, last.length - white.length) : last];
}

/** Takes line ends off the end, with the white space behind them, and adds others. */
function withoutEnds(lines: readonly string[], count: number, added = 0): string[] {
  const kept = lines.slice(0, lines.length - count);
  const last = kept.at(-1) ?? "";
  return [...kept.slice(0, -1), isWhite(last) ? "" : last, ...Array<string>(added).fill("")];
}

function isWhite(line: string): boolean {
  return fold(line).folded === "";
}

function countWhile<T>(items: readonly T[], test: (item: T) => boolean): number {
  const end = items.findIndex((item) => !test(item));
  return end === -1 ? items.length : end;
}

/**
 * Returns what the source has for each line of a place. A place that begins or ends with its line has all of the line, with what no
 * reader sees there: otherwise white space of the line's end would stand behind the new text. A place that begins with a line's
 * end has the white space before it, too.
 */
function spansOf(file: FoldedText, { from, above }: Fit, end: number): Span[] {
  const { folded, source } = file;
  const begin = from - above;
  const isLineStart = begin === 0 || folded[begin - 1] === "\n";
  let start = isLineStart || above > 0 ? file.endOf(begin) : file.startOf(begin);
  const spans: Span[] = [];
  let at = begin;
  for (let next = folded.indexOf("\n", at); next !== -1 && next < end; next = folded.indexOf("\n", at)) {
    spans.push({ from: start, to: file.startOf(next) });
    at = next + 1;
    start = file.endOf(at);
  }
  const isLineEnd = end === folded.length || folded[end] === "\n";
  // A find that ends with a line end has nothing of the line behind it.
  const to = at === end && spans.length > 0 ? start : isLineEnd ? file.startOf(end) : file.endOf(end);
  return [...spans, { from: start, to: Math.min(to, source.length) }];
}

function differencesAt(
  { source, folded }: FoldedText,
  { head, tail, blanks }: DividedFind,
  fit: Fit,
  find: readonly string[],
  spans: readonly Span[],
): ReturnType<FoldedPlace["differs"]> {
  const lineOf = lineCounter(source);
  const numbers = spans.map(({ from }) => lineOf(from));
  const [want, have] = [find.join("\n"), spans.map(({ from, to }) => source.slice(from, to)).join("\n")];
  const first = numbers[fit.above] as number;
  const last = numbers[find.length - 1 - fit.below] as number;
  const differs: ReturnType<FoldedPlace["differs"]> = [];
  for (const [foldClass, name] of Object.entries(foldClasses) as [FoldClass, string][]) {
    const lines = want === have ? [] : linesThatDiffer(want, have, foldClass).map((index) => numbers[index] as number);
    if (foldClass === "ends" && blanks !== "" && !fit.hasBlanks && !lines.includes(last)) lines.push(last);
    if (lines.length > 0) differs.push([name, lines]);
  }
  const lacksEnd = tail > 0 && fit.to === folded.length;
  const around = [...(fit.above < head ? [first] : []), ...(fit.below < tail - (lacksEnd ? 1 : 0) ? [last] : [])];
  if (around.length > 0) differs.push(["blank lines around it", [...new Set(around)]]);
  if (lacksEnd) differs.push(["the missing line end at the end of the file", [last]]);
  return differs;
}

/** Returns which lines would differ if this class were not folded, from 0. */
function linesThatDiffer(want: string, have: string, except: FoldClass): number[] {
  const [wanted, found] = [want, have].map((text) => fold(text, { except }).folded.split("\n")) as [string[], string[]];
  return [...wanted.keys()].filter((index) => wanted[index] !== found[index]);
}
