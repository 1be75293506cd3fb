import { linesOf } from "./line-ends.ts";
import { differences } from "./passage-differences.ts";

/** The passage of a text that is most like a text that is not in it. */
export interface NearestPassage {
  /** Lines, from 1, both included. */
  from: number;
  to: number;
  /** Those lines as they are; the middle of a long one may be left out. */
  passage: string;
  /** What differs, one short sentence each, the most telling first. */
  differs: string[];
}

/** Lines of `find` that are compared; of a longer one its first. */
const FIND_LINES = 400;
/** Words of `find` that are looked for. */
const FIND_WORDS = 2_000;
/** Characters of one line that are compared. */
const LINE_CHARS = 2_000;
/** Candidates that are compared closely. */
const CANDIDATES = 5;

/**
 * Finds the passage that is most like `find`: lines that share its rare words, then, of the best few, the one that most lines
 * can be paired with. Undefined when nothing of it is anywhere. For messages only: nothing is ever changed by it. Both texts
 * with LF ends; time is linear in the text and bounded in `find`.
 */
export function nearestPassage(text: string, find: string): NearestPassage | undefined {
  const wanted = linesOf(find).slice(0, FIND_LINES).map(bareLine);
  while (wanted.length > 1 && wanted.at(-1)?.trim() === "") wanted.pop();
  while (wanted.length > 1 && wanted[0]?.trim() === "") wanted.shift();
  const words = new Map<string, number>();
  for (const line of wanted) for (const word of wordsOf(line)) if (words.size < FIND_WORDS) number(words, word);
  const lines = linesOf(text).map(bareLine);
  const starts = candidates(lines, scoreLines(lines, words), wanted.length);
  let best: { from: number; to: number; likeness: number } | undefined;
  for (const start of starts) {
    const found = align(lines, start, wanted);
    if (found !== undefined && (best === undefined || found.likeness > best.likeness)) best = found;
  }
  if (best === undefined) return undefined;
  const passage = lines.slice(best.from, best.to);
  return {
    from: best.from + 1,
    to: best.to,
    passage: passage.map((line, index) => shortLine(line, wanted[index] ?? "")).join("\n"),
    differs: differences(wanted, passage, best.from + 1),
  };
}

function bareLine(line: string): string {
  return line.endsWith("\n") ? line.slice(0, -1) : line;
}

/** Words, numbers and single signs, folded: lower case, without accents of their own. */
function wordsOf(line: string): string[] {
  const text = line.length > LINE_CHARS * 4 ? line.slice(0, LINE_CHARS * 4) : line;
  return (
    text
      .normalize("NFC")
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}_]+|[^\s\p{L}\p{M}\p{N}_]/gu) ?? []
  );
}

function number(words: Map<string, number>, word: string): void {
  if (!words.has(word)) words.set(word, words.size);
}

/** For each line, how much it shares with `find`: rare words and long ones count most. */
function scoreLines(lines: readonly string[], words: ReadonlyMap<string, number>): Float64Array {
  const frequency = new Float64Array(words.size);
  const hits: number[] = [];
  const ends = new Uint32Array(lines.length);
  const seen = new Int32Array(words.size).fill(-1);
  for (const [index, line] of lines.entries()) {
    for (const word of wordsOf(line)) {
      const found = words.get(word);
      if (found === undefined || seen[found] === index) continue;
      seen[found] = index;
      frequency[found] = (frequency[found] as number) + 1;
      hits.push(found);
    }
    ends[index] = hits.length;
  }
  const weights = new Float64Array(words.size);
  for (const [word, index] of words) {
    const isWord = /[\p{L}\p{N}_]/u.test(word);
    weights[index] = (isWord ? Math.min(word.length, 12) : 0.25) / (1 + Math.log2(1 + (frequency[index] as number)));
  }
  const scores = new Float64Array(lines.length);
  let at = 0;
  for (let index = 0; index < lines.length; index++) {
    let score = 0;
    for (; at < (ends[index] as number); at++) score += weights[hits[at] as number] as number;
    // Of two lines with the same words the shorter one is nearer.
    scores[index] = score / (1 + (lines[index] as string).length / 10_000);
  }
  return scores;
}

/** The first lines of the best windows, none overlapping another. */
function candidates(lines: readonly string[], scores: Float64Array, length: number): number[] {
  const last = Math.max(0, lines.length - length);
  const sums = new Float64Array(last + 1);
  let sum = 0;
  for (let at = 0; at < lines.length; at++) {
    sum += scores[at] as number;
    if (at >= length) sum -= scores[at - length] as number;
    const start = Math.max(0, at - length + 1);
    if (start <= last) sums[start] = sum;
  }
  const starts: number[] = [];
  for (let turn = 0; turn < CANDIDATES; turn++) {
    let best = -1;
    for (let start = 0; start <= last; start++) {
      const value = sums[start] as number;
      if (value > 1e-9 && (best === -1 || value > (sums[best] as number) + 1e-9)) best = start;
    }
    if (best === -1) break;
    starts.push(best);
    const reach = Math.max(1, Math.ceil(length / 2));
    sums.fill(0, Math.max(0, best - reach + 1), Math.min(last + 1, best + reach));
  }
  return starts;
}

/**
 * Lays the find lines along the lines around a candidate, where most of it fits. The passage goes from the line of the first to
 * that of the last line which has a partner.
 */
function align(
  lines: readonly string[],
  start: number,
  wanted: readonly string[],
): { from: number; to: number; likeness: number } | undefined {
  const slack = Math.min(wanted.length, 10);
  const from = Math.max(0, start - slack);
  const to = Math.min(lines.length, start + wanted.length + slack);
  const here = lines.slice(from, to).map(keyOf);
  const keys = wanted.map(keyOf);
  const width = here.length + 1;
  // The best sum of likenesses of a row of pairs, from each pair of places on.
  const best = new Float32Array((keys.length + 1) * width);
  const pairs = new Float32Array((keys.length + 1) * width);
  for (let row = keys.length - 1; row >= 0; row--) {
    for (let column = here.length - 1; column >= 0; column--) {
      // Far from the diagonal nothing is compared.
      const off = Math.abs(column - row - (start - from));
      const like = off > slack + 2 ? 0 : likeness(keys[row] as LineKey, here[column] as LineKey);
      pairs[row * width + column] = like;
      best[row * width + column] = Math.max(
        like > 0 ? like + (best[(row + 1) * width + column + 1] as number) : 0,
        best[(row + 1) * width + column] as number,
        best[row * width + column + 1] as number,
      );
    }
  }
  const total = best[0] as number;
  const all = keys.reduce((sum, key) => sum + key.weight, 0);
  if (total <= 0.2 * all) return undefined;
  let [row, column, first, last, firstRow, lastRow] = [0, 0, -1, -1, 0, 0];
  while (row < keys.length && column < here.length) {
    const value = best[row * width + column] as number;
    const like = pairs[row * width + column] as number;
    if (like > 0 && value <= like + (best[(row + 1) * width + column + 1] as number) + 1e-4) {
      if (first === -1) [first, firstRow] = [column, row];
      [last, lastRow] = [column, row];
      row++;
      column++;
    } else if (value <= (best[(row + 1) * width + column] as number) + 1e-4) row++;
    else column++;
  }
  if (first === -1) return undefined;
  // Lines of find before its first partner and behind its last one most likely stand for the lines there.
  const begin = Math.max(0, from + first - firstRow);
  const end = Math.min(lines.length, from + last + 1 + (keys.length - 1 - lastRow));
  return { from: begin, to: end, likeness: total / all };
}

interface LineKey {
  text: string;
  words: ReadonlySet<string>;
  weight: number;
}

function keyOf(line: string): LineKey {
  const words = wordsOf(line.slice(0, LINE_CHARS));
  return { text: words.join(" "), words: new Set(words), weight: 0.1 + Math.min(1, words.length / 4) };
}

/** 0 to the weight of the wanted line. */
function likeness(wanted: LineKey, found: LineKey): number {
  if (wanted.text === found.text) return wanted.weight;
  if (wanted.words.size === 0 || found.words.size === 0) return 0;
  let shared = 0;
  let long = 0;
  for (const word of wanted.words) {
    if (!found.words.has(word)) continue;
    shared++;
    if (word.length > 1) long++;
  }
  if (long === 0) return 0;
  // A find may be a part of a long line: what it lacks counts less than what it has.
  const share = shared / (wanted.words.size + 0.1 * (found.words.size - shared));
  return share < 0.3 ? 0 : Math.min(0.95, share) * wanted.weight;
}

/** A long line around the part that is like the wanted one. */
function shortLine(line: string, wanted: string): string {
  const room = 400;
  if (line.length <= room) return line;
  const word = (wanted.match(/[\p{L}\p{N}_]{3,60}/gu) ?? []).find((part) => line.includes(part));
  const at = word === undefined ? 0 : Math.max(0, line.indexOf(word) - 60);
  const part = line.slice(at, at + room).replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, "");
  return `${at > 0 ? "…" : ""}${part}${at + room < line.length ? "…" : ""}`;
}
