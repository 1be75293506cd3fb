import { diffArrays } from "diff";
import { commonEnds, lineCounter, linesOf } from "../files/text.ts";

export interface UnifiedDiffOptions {
  /** Unchanged lines around a change. Default 3. */
  context?: number;
  /** Lines of the diff that are shown; a note counts those that follow. Default: all. */
  maxLines?: number;
  /** UTF-16 units of the diff that are shown, the note not counted. Default: all. */
  maxChars?: number;
  /** Milliseconds after which what is left of a large comparison counts as replaced whole. Default 500. */
  timeoutMs?: number;
}

/** A unified diff, and how many lines it adds and removes (all of them, shortened or not). */
export interface UnifiedDiff {
  /** Empty when nothing differs. */
  text: string;
  added: number;
  removed: number;
  /** Lines were left out of `text`. */
  cut: boolean;
}

/** A run of lines: in both, only in the old text, only in the new. */
interface Run {
  kind: " " | "-" | "+";
  lines: readonly string[];
}

/** Bounds of one comparison; above them a part counts as replaced whole. */
const maxEditLength = 1_000;
/** Lines of both texts together that are compared without a look at the clock: the bound above is enough. */
const fewLines = 2_000;

/**
 * Returns the unified diff of two texts, as `patch` and `git apply` read it. `null`: there is no such file before, or after. The diff is
 * always right; where two large texts have little in common it may not be the shortest.
 */
export function unifiedDiff(
  path: string,
  before: string | null,
  after: string | null,
  { context = 3, maxLines = Infinity, maxChars = Infinity, timeoutMs = 500 }: UnifiedDiffOptions = {},
): UnifiedDiff {
  if (before === after) return { text: "", added: 0, removed: 0, cut: false };
  const { olds, news, skipped } = differingPart(before ?? "", after ?? "", context);
  const runs = compare(linesOf(olds), linesOf(news), Date.now() + timeoutMs);
  const shown: string[] = [];
  let [lines, chars, left] = [maxLines, maxChars, 0];
  const add = (line: string): void => {
    lines--;
    chars -= line.length;
    if (left === 0 && lines >= 0 && chars >= 0) shown.push(line);
    else left++;
  };
  add(`--- ${before === null ? "/dev/null" : quoted(`a/${path}`)}\n`);
  add(`+++ ${after === null ? "/dev/null" : quoted(`b/${path}`)}\n`);
  for (const hunk of hunksOf(runs, context, skipped + 1)) {
    add(`@@ -${range(hunk.oldStart, hunk.oldLines)} +${range(hunk.newStart, hunk.newLines)} @@\n`);
    for (const { kind, lines: all } of hunk.runs) {
      for (const line of all) add(line.endsWith("\n") ? kind + line : `${kind}${line}\n\\ No newline at end of file\n`);
    }
  }
  if (left > 0) shown.push(`(${left} more line${left === 1 ? "" : "s"} of this diff left out)\n`);
  return { text: shown.join(""), added: count(runs, "+"), removed: count(runs, "-"), cut: left > 0 };
}

/** Two texts without the lines that both begin and end with, save `context` lines; and how many lines are skipped at the beginning. */
function differingPart(
  before: string,
  after: string,
  context: number,
): { olds: string; news: string; skipped: number } {
  const most = Math.min(before.length, after.length);
  const head = longest(most, (from, to) => before.slice(from, to) === after.slice(from, to));
  const tail = longest(most - head, (from, to) => {
    return (
      before.slice(before.length - to, before.length - from) === after.slice(after.length - to, after.length - from)
    );
  });
  let start = head === 0 ? 0 : before.lastIndexOf("\n", head - 1) + 1;
  for (let line = 0; line < context && start > 0; line++) {
    start = start === 1 ? 0 : before.lastIndexOf("\n", start - 2) + 1;
  }
  // The line that the common end begins in may begin in another way.
  let end = before.length - tail;
  for (let line = 0; line <= context && end < before.length; line++) {
    end = before.indexOf("\n", end) + 1 || before.length;
  }
  return {
    olds: before.slice(start, end),
    news: after.slice(start, end + after.length - before.length),
    skipped: lineCounter(before)(start) - 1,
  };
}

/** Returns the greatest length up to which two texts are equal. `isEqual`: in a part of it whose beginning is known to be. */
function longest(most: number, isEqual: (from: number, to: number) => boolean): number {
  let [low, high] = [0, most];
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (isEqual(low, middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

function compare(olds: readonly string[], news: readonly string[], deadline: number): Run[] {
  const [head, tail] = commonEnds(olds, news);
  return joined([
    { kind: " ", lines: olds.slice(0, head) },
    ...compareMiddle(olds.slice(head, olds.length - tail), news.slice(head, news.length - tail), deadline),
    { kind: " ", lines: olds.slice(olds.length - tail) },
  ]);
}

/** Returns runs without empty ones, and no two of a kind one after the other. */
function joined(runs: readonly Run[]): Run[] {
  const found: { kind: Run["kind"]; lines: string[] }[] = [];
  for (const { kind, lines } of runs) {
    if (lines.length === 0) continue;
    const last = found.at(-1);
    if (last?.kind !== kind) found.push({ kind, lines: [...lines] });
    else for (const line of lines) last.lines.push(line);
  }
  return found;
}

function compareMiddle(olds: string[], news: string[], deadline: number): Run[] {
  const numbers = new Map<string, number>();
  const numberOf = (line: string): number => {
    const known = numbers.get(line);
    if (known !== undefined) return known;
    numbers.set(line, numbers.size);
    return numbers.size - 1;
  };
  const oldNumbers = olds.map(numberOf);
  const newNumbers = news.map(numberOf);
  const runs: Run[] = [];
  let [oldAt, newAt] = [0, 0];
  const take = (kind: Run["kind"], length: number): void => {
    if (length === 0) return;
    runs.push({ kind, lines: kind === "+" ? news.slice(newAt, newAt + length) : olds.slice(oldAt, oldAt + length) });
    if (kind !== "+") oldAt += length;
    if (kind !== "-") newAt += length;
  };
  const between = (oldEnd: number, newEnd: number): void => {
    const changes = changesOf(oldNumbers.slice(oldAt, oldEnd), newNumbers.slice(newAt, newEnd), deadline);
    if (changes === undefined) {
      take("-", oldEnd - oldAt);
      take("+", newEnd - newAt);
      return;
    }
    for (const { kind, length } of changes) take(kind, length);
  };
  const whole = changesOf(oldNumbers, newNumbers, deadline);
  if (whole !== undefined) {
    for (const { kind, length } of whole) take(kind, length);
    return runs;
  }
  // Too different to be compared whole: between lines that both texts have once, and in the same order.
  for (const [oldLine, newLine] of anchorsOf(oldNumbers, newNumbers)) {
    between(oldLine, newLine);
    take(" ", 1);
  }
  between(olds.length, news.length);
  return runs;
}

function changesOf(
  olds: number[],
  news: number[],
  deadline: number,
): { kind: Run["kind"]; length: number }[] | undefined {
  if (olds.length === 0 || news.length === 0) {
    return [
      { kind: "-", length: olds.length },
      { kind: "+", length: news.length },
    ];
  }
  const timeout = olds.length + news.length <= fewLines ? Infinity : deadline - Date.now();
  if (timeout <= 0) return undefined;
  const changes = diffArrays(olds, news, { maxEditLength: maxEditLength, timeout });
  return changes?.map(({ added, removed, count }) => ({ kind: added ? "+" : removed ? "-" : " ", length: count }));
}

/** Pairs of places of lines that are there once in both, the longest rising row of them (patience diff). */
function anchorsOf(olds: readonly number[], news: readonly number[]): [number, number][] {
  const newPlaces = places(news);
  const pairs = [...places(olds)].flatMap(([line, oldAt]): [number, number][] => {
    const newAt = newPlaces.get(line);
    return oldAt === undefined || newAt === undefined ? [] : [[oldAt, newAt]];
  });
  pairs.sort(([one], [other]) => one - other);
  // The last pair of the best row of each length, and what stands before each pair in its row.
  const ends: number[] = [];
  const previous = new Int32Array(pairs.length).fill(-1);
  pairs.forEach(([, newAt], index) => {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((pairs[ends[middle] as number] as [number, number])[1] < newAt) low = middle + 1;
      else high = middle;
    }
    previous[index] = low === 0 ? -1 : (ends[low - 1] as number);
    ends[low] = index;
  });
  const row: [number, number][] = [];
  for (let at = ends.at(-1) ?? -1; at !== -1; at = previous[at] as number) row.push(pairs[at] as [number, number]);
  return row.reverse();
}

/** Returns where each line is; undefined for a line that is there more than once. */
function places(lines: readonly number[]): Map<number, number | undefined> {
  const found = new Map<number, number | undefined>();
  lines.forEach((line, at) => {
    found.set(line, found.has(line) ? undefined : at);
  });
  return found;
}

interface Hunk {
  oldStart: number;
  oldLines: number;
  newStart: number;
  newLines: number;
  runs: Run[];
}

function hunksOf(runs: readonly Run[], context: number, firstLine: number): Hunk[] {
  const hunks: Hunk[] = [];
  let hunk: Hunk | undefined;
  let [oldLine, newLine] = [firstLine, firstLine];
  let lead: readonly string[] = [];
  runs.forEach((run, index) => {
    const length = run.lines.length;
    if (run.kind === " ") {
      if (hunk !== undefined && (index === runs.length - 1 || length > 2 * context)) {
        addRun(hunk, { kind: " ", lines: run.lines.slice(0, context) });
        hunk = undefined;
      } else if (hunk !== undefined) addRun(hunk, run);
      lead = context === 0 ? [] : run.lines.slice(-context);
    } else {
      if (hunk === undefined) {
        const back = lead.length;
        hunk = { oldStart: oldLine - back, oldLines: 0, newStart: newLine - back, newLines: 0, runs: [] };
        addRun(hunk, { kind: " ", lines: lead });
        hunks.push(hunk);
      }
      addRun(hunk, run);
    }
    if (run.kind !== "+") oldLine += length;
    if (run.kind !== "-") newLine += length;
  });
  return hunks;
}

function addRun(hunk: Hunk, run: Run): void {
  hunk.runs.push(run);
  if (run.kind !== "+") hunk.oldLines += run.lines.length;
  if (run.kind !== "-") hunk.newLines += run.lines.length;
}

/** Returns a range as text; one without lines names the line before it. */
function range(start: number, lines: number): string {
  return `${lines === 0 ? start - 1 : start},${lines}`;
}

function count(runs: readonly Run[], kind: Run["kind"]): number {
  return runs.reduce((sum, run) => (run.kind === kind ? sum + run.lines.length : sum), 0);
}

/** Returns a path with quotes, backslashes or control characters as git writes it. */
function quoted(path: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what has to be quoted
  return /["\\\u0000-\u001f\u007f]/.test(path) ? JSON.stringify(path) : path;
}
