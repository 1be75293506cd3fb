import { differences } from "./match-differences.ts";
import { eachWord } from "./words.ts";

/** The lines of a text that are most like a text that is not in it. */
export interface NearestMatch {
  /** Lines, from 1, both included. */
  from: number;
  to: number;
  /** Those lines as they are; the middle of a long one may be left out. */
  match: string;
  /** What differs, one short sentence each, the most important first. */
  differs: string[];
}

/** Lines of `find` that are compared; of a longer one its first. */
const maxFindLines = 400;
/** Words, pairs of words and lines of `find` that are looked for. */
const maxFeatures = 10_000;
/** Characters of one line that are compared. */
const maxLineChars = 2_000;
/** Characters of one line that are shown. */
const maxShownChars = 400;
/** What a line without a partner costs. */
const gapCost = 0.02;
/** Candidates that are compared closely. */
const maxCandidates = 5;

/**
 * Finds the lines that are most like `find`: lines that share its rare words, then, of the best few, the one that most lines
 * can be paired with. Undefined when nothing of it is anywhere. For messages only: nothing is ever changed by it. Both texts
 * with LF ends; time is linear in the text and bounded in `find`.
 */
export function nearestMatch(text: string, find: string): NearestMatch | undefined {
  const wanted = find.split("\n", maxFindLines);
  while (wanted.length > 1 && wanted.at(-1)?.trim() === "") wanted.pop();
  while (wanted.length > 1 && wanted[0]?.trim() === "") wanted.shift();
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const scores = scoreLines(text, lines.length, wanted.join("\n"));
  const anchors = longestWords(wanted);
  let best: { from: number; to: number; likeness: number } | undefined;
  for (const start of candidates(scores, wanted.length)) {
    const found = align(lines, start, wanted, anchors);
    if (found !== undefined && (best === undefined || found.likeness > best.likeness)) best = found;
  }
  if (best === undefined) return undefined;
  const match = lines.slice(best.from, best.to);
  return {
    from: best.from + 1,
    to: best.to,
    match: match.map((line) => around(line, anchors, maxShownChars)).join("\n"),
    differs: differences(
      wanted,
      match.map((line) => around(line, anchors, maxLineChars)),
      best.from + 1,
    ),
  };
}

/** Returns a text with composed characters where it has others. */
function composed(text: string): string {
  return /[\u0300-\u036f\u3099\u309a]/.test(text) ? text.normalize("NFC") : text;
}

/** Calls `visit` with each feature of a text and its weight: words, two that follow each other, whole lines; -1 at the end of a line. */
function eachFeature(text: string, visit: (feature: number, weight: number) => void): void {
  let [before, line, count] = [0, 0, 0];
  const endLine = (): void => {
    if (count > 2) visit(line, 16);
    visit(-1, 0);
    [before, line, count] = [0, 0, 0];
  };
  eachWord(text, 0, text.length, (word, length) => {
    if (word === -1) {
      endLine();
      return;
    }
    visit(word, length > 1 ? Math.min(length, 12) : 0.25);
    if (count > 0) visit(Math.imul(before ^ 0x5bd1e995, 0x01000193) ^ word, 6);
    line = Math.imul(line ^ word, 0x5bd1e995);
    before = word;
    count++;
  });
  endLine();
}

/** Returns for each line how much it shares with `find`: what is rare in the text and has much weight counts most. */
function scoreLines(text: string, count: number, find: string): Float64Array {
  const features = new Map<number, number>();
  const weights: number[] = [];
  eachFeature(composed(find), (feature, weight) => {
    if (feature === -1 || weights.length >= maxFeatures || features.has(feature)) return;
    features.set(feature, weights.length);
    weights.push(weight);
  });
  const frequency = new Float64Array(weights.length);
  const seen = new Int32Array(weights.length).fill(-1);
  const hits: number[] = [];
  const ends = new Uint32Array(count);
  const sizes = new Uint32Array(count);
  let line = 0;
  eachFeature(composed(text), (feature, weight) => {
    if (line >= count) return;
    if (feature === -1) {
      ends[line++] = hits.length;
      return;
    }
    sizes[line] = (sizes[line] as number) + weight;
    const index = features.get(feature);
    if (index === undefined || seen[index] === line) return;
    seen[index] = line;
    frequency[index] = (frequency[index] as number) + 1;
    hits.push(index);
  });
  const rarity = frequency.map((times, index) => (weights[index] as number) / (1 + Math.log2(1 + times)));
  const scores = new Float64Array(count);
  for (let at = 0, index = 0; index < count; index++) {
    let score = 0;
    for (; at < (ends[index] as number); at++) score += rarity[hits[at] as number] as number;
    // Of two lines with the same words the shorter one is nearer.
    scores[index] = score / (1 + (sizes[index] as number) / 10_000);
  }
  return scores;
}

/** Returns the first lines of the best windows, none overlapping another. */
function candidates(scores: Float64Array, length: number): number[] {
  const last = Math.max(0, scores.length - length);
  const sums = new Float64Array(last + 1);
  let sum = 0;
  for (let at = 0; at < scores.length; at++) {
    sum += scores[at] as number;
    if (at >= length) sum -= scores[at - length] as number;
    const start = Math.max(0, at - length + 1);
    if (start <= last) sums[start] = sum;
  }
  const starts: number[] = [];
  for (let round = 0; round < maxCandidates; round++) {
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

/** Aligns the lines of find with those around a candidate. The match goes from the first line that has a partner to the last one. */
function align(
  lines: readonly string[],
  start: number,
  wanted: readonly string[],
  anchors: readonly string[],
): { from: number; to: number; likeness: number } | undefined {
  const slack = Math.min(wanted.length, 10);
  const from = Math.max(0, start - slack);
  const to = Math.min(lines.length, start + wanted.length + slack);
  const here = lines.slice(from, to).map((line) => keyOf(around(line, anchors, maxLineChars)));
  const keys = wanted.map((line) => keyOf(line.slice(0, maxLineChars)));
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
        (best[(row + 1) * width + column] as number) - gapCost,
        (best[row * width + column + 1] as number) - gapCost,
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
    } else if (value <= 0) break;
    else if (value <= (best[(row + 1) * width + column] as number) - gapCost + 1e-4) row++;
    else column++;
  }
  if (first === -1) return undefined;
  // Lines of find before its first partner and behind its last one most likely stand for the lines there.
  const begin = Math.max(0, from + first - firstRow);
  const end = Math.min(lines.length, from + last + 1 + (keys.length - 1 - lastRow));
  return { from: begin, to: end, likeness: total / all };
}

interface LineKey {
  indentation: string;
  text: string;
  words: ReadonlySet<number>;
  /** Words of more than one character. */
  long: ReadonlySet<number>;
  weight: number;
}

function keyOf(line: string): LineKey {
  const text = composed(line);
  const all: number[] = [];
  const long = new Set<number>();
  eachWord(text, 0, text.length, (word, length) => {
    all.push(word);
    if (length > 1) long.add(word);
  });
  const indentation = /^[ \t]*/.exec(line)?.[0] ?? "";
  return { indentation, text: all.join(" "), words: new Set(all), long, weight: 0.1 + Math.min(1, all.length / 4) };
}

/** Returns 0 to the weight of the wanted line, and a little for the same indentation. */
function likeness(wanted: LineKey, found: LineKey): number {
  const bonus = wanted.indentation === found.indentation ? 0.01 : 0;
  if (wanted.text === found.text) return wanted.weight + bonus;
  if (wanted.words.size === 0 || found.words.size === 0) return 0;
  let shared = 0;
  let long = 0;
  for (const word of wanted.words) {
    if (!found.words.has(word)) continue;
    shared++;
    if (wanted.long.has(word)) long++;
  }
  if (long === 0) return 0;
  // A find may be a part of a long line: what it lacks counts less than what it has.
  const share = shared / (wanted.words.size + 0.1 * (found.words.size - shared));
  return share < 0.3 ? 0 : Math.min(0.95, share) * wanted.weight + bonus;
}

function longestWords(wanted: readonly string[]): string[] {
  const words = new Set(
    wanted.slice(0, 20).flatMap((line) => line.slice(0, maxLineChars).match(/[\p{L}\p{N}_]{2,60}/gu) ?? []),
  );
  return [...words].sort((one, other) => other.length - one.length).slice(0, 20);
}

/** Of a long line the part around the longest word that find has, too. */
function around(line: string, words: readonly string[], room: number): string {
  if (line.length <= room) return line;
  const word = words.find((part) => line.includes(part));
  const at = word === undefined ? 0 : Math.max(0, line.indexOf(word) - Math.floor(room / 4));
  const part = line.slice(at, at + room).replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, "");
  return `${at > 0 ? "…" : ""}${part}${at + room < line.length ? "…" : ""}`;
}
