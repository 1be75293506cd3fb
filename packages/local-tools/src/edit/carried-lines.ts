import { diffArrays } from "diff";
import { commonEnds } from "../files/text.ts";
import { atomsOf, Forms, type Parts, withoutEnd } from "./file-forms.ts";
import type { FoldClass } from "./fold.ts";
import type { FoldedPlace, Span } from "./folded-find.ts";

/** A part of a text, and what takes its place. */
interface Replacement extends Span {
  replace: string;
}

/** Changes that turn a place into its replacement. */
interface Carried {
  made: Replacement[];
  /** Kinds of characters that are new, and were written in the form that the file has. */
  mapped: ReadonlySet<FoldClass>;
  /** A new character, of which find and file do not say for what it stands. */
  doubt?: string;
}

/** Lines, or words of a line, that are compared: above so many differences, only those at both ends are paired. */
const maxDifferences = 1_000;
/** Lines further on in which a changed line is looked for. */
const maxAhead = 20;

/**
 * Returns the replacements that turn a place into its replacement and change the file only where the replacement differs from find: what
 * both have keeps the characters of the file, also within a line, and a line that is moved takes them with it. What is new is written as
 * the replacement has it, but for characters of which the place shows that the file writes them in another form. With LF ends, as the text.
 */
export function carryOver(text: string, place: Pick<FoldedPlace, "find" | "replace" | "lines">): Carried {
  const { find, replace, lines } = place;
  const found = lines.map(({ from, to }) => text.slice(from, to));
  const forms = new Forms(text, place, found);
  // The file's form of each line. A blank one has none that a new blank line should get.
  const own = new Map<string, string>();
  for (const [index, line] of find.entries()) {
    if (line.trim() !== "" && !own.has(line)) own.set(line, found[index] as string);
  }
  const made: Replacement[] = [];
  let before: Pair | undefined;
  for (const pair of [...pairsOf(find, replace), undefined]) {
    const from = before === undefined ? (lines[0] as Span).from : (lines[before[0]] as Span).to;
    const to = pair === undefined ? (lines.at(-1) as Span).to : (lines[pair[0]] as Span).from;
    const [oldFrom, newFrom] = before === undefined ? [0, 0] : [before[0] + 1, before[1] + 1];
    const [oldTo, newTo] = pair ?? [find.length, replace.length];
    const changed = changedLines(find.slice(oldFrom, oldTo), replace.slice(newFrom, newTo));
    const news = replace.slice(newFrom, newTo).map((line, index) => {
      const old = oldFrom + (changed.get(index) ?? Number.NaN);
      const form = changed.has(index)
        ? changedLine(find[old] as string, found[old] as string, line, forms)
        : (own.get(line) ?? forms.writeLine(line));
      const isLast = newFrom + index === replace.length - 1 && old !== find.length - 1;
      // The last line may continue behind the place: white space at a line's end would then stand within it.
      return isLast ? form.trimEnd() + forms.write(line.slice(line.trimEnd().length)) : form;
    });
    if (oldFrom < oldTo || news.length > 0) {
      const around = [...(before === undefined ? [] : [""]), ...news, ...(pair === undefined ? [] : [""])];
      made.push({ from, to, replace: around.join("\n") });
    }
    before = pair;
  }
  return { made, mapped: forms.mapped, ...(forms.doubt === undefined ? {} : { doubt: forms.doubt }) };
}

/** The numbers of a line of find and of the same line of the replacement. The last line is paired with the last one only. */
type Pair = [find: number, replace: number];

function pairsOf(find: readonly string[], replace: readonly string[]): Pair[] {
  const pairs = same(find, replace);
  return pairs.filter(([old, now]) => now < replace.length - 1 || old === find.length - 1);
}

/** Pairs of equal items, in order. Those at both ends are found first, and all of them unless there are too many differences. */
function same(find: readonly string[], replace: readonly string[]): Pair[] {
  const [head, tail] = commonEnds(find, replace);
  const pairs = Array.from({ length: head }, (_, index): Pair => [index, index]);
  const olds = find.slice(head, find.length - tail);
  const news = replace.slice(head, replace.length - tail);
  let [old, now] = [head, head];
  for (const { added, removed, count } of diffArrays(olds, news, { maxEditLength: maxDifferences }) ?? []) {
    for (let index = 0; index < count && !added && !removed; index++) pairs.push([old + index, now + index]);
    if (!added) old += count;
    if (!removed) now += count;
  }
  for (let index = tail; index > 0; index--) pairs.push([find.length - index, replace.length - index]);
  return pairs;
}

/** Returns which of the old lines each of the new ones is, changed: they have half of their different words in common. In order. */
function changedLines(olds: readonly string[], news: readonly string[]): Map<number, number> {
  const changed = new Map<number, number>();
  if (olds.length === 0) return changed;
  const [words, others] = [news, olds].map((lines) => lines.map((line) => new Set(wordsOf(line.trim()))));
  // What both have, or all of one.
  const lengthOf = (own: Iterable<string>, other?: ReadonlySet<string>): number => {
    let length = 0;
    for (const word of own) if (other === undefined || other.has(word)) length += word.length;
    return length;
  };
  const lengths = (others ?? []).map((all) => lengthOf(all));
  let next = 0;
  for (const [index, own] of (words ?? []).entries()) {
    const length = lengthOf(own);
    const isAlike = (old: number): boolean => {
      const most = Math.max(length, lengths[old] ?? 0);
      if (2 * Math.min(length, lengths[old] ?? 0) < most) return false;
      const shared = lengthOf(own, others?.[old]);
      return shared > 0 && 2 * shared >= most;
    };
    let old = next;
    while (old < Math.min(olds.length, next + maxAhead) && !isAlike(old)) old++;
    if (old >= Math.min(olds.length, next + maxAhead)) continue;
    changed.set(index, old);
    next = old + 1;
  }
  return changed;
}

function wordsOf(line: string): string[] {
  return line.match(/[\p{L}\p{M}\p{N}_]+|[\s\S]/gu) ?? [];
}

/** Returns a line of find that the replacement changes, as the file has it: all that stays keeps the file's characters. */
function changedLine(find: string, found: string, replace: string, forms: Forms): string {
  const [[want, wantEnd], [have, haveEnd], [line, end]] = [find, found, replace].map(withoutEnd) as [
    Parts,
    Parts,
    Parts,
  ];
  const atoms = atomsOf(want, have);
  const at = kept(want, line);
  const isKept = ({ from, to }: Span): boolean => {
    for (let index = from; index < to; index++) if (at[index] !== (at[from] as number) + index - from) return false;
    return at[from] !== undefined;
  };
  let [written, done] = ["", 0];
  for (const atom of atoms.filter(isKept)) {
    const start = at[atom.from] as number;
    written += forms.write(line.slice(done, start)) + atom.found;
    done = start + atom.to - atom.from;
  }
  return written + forms.write(line.slice(done)) + (end === wantEnd ? haveEnd : forms.writeEnd(end));
}

/** Returns where each character of a line stands in another: that of words both have, and those at both ends of words that differ. */
function kept(line: string, other: string): (number | undefined)[] {
  const at: (number | undefined)[] = [];
  const [words, others] = [wordsOf(line), wordsOf(other)];
  const [starts, otherStarts] = [words, others].map(startsOf) as [number[], number[]];
  let [before, beforeOther] = [0, 0];
  for (const [word, twin] of [...same(words, others), [words.length, others.length] as Pair]) {
    const [from, to] = [starts[before] as number, starts[word] as number];
    const [otherFrom, otherTo] = [otherStarts[beforeOther] as number, otherStarts[twin] as number];
    const [gap, otherGap] = [line.slice(from, to), other.slice(otherFrom, otherTo)];
    const [head, tail] = commonEnds(gap, otherGap);
    for (let index = 0; index < head; index++) at[from + index] = otherFrom + index;
    for (let index = tail; index > 0; index--) at[to - index] = otherTo - index;
    for (let index = 0; index < (words[word] ?? "").length; index++) at[to + index] = otherTo + index;
    [before, beforeOther] = [word + 1, twin + 1];
  }
  return at;
}

function startsOf(words: readonly string[]): number[] {
  let length = 0;
  return [0, ...words.map((word) => (length += word.length))];
}
