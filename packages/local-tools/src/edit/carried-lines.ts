import { diffArrays } from "diff";
import { type FoldClass, fold, foldedForm } from "./fold.ts";
import type { FoldedPlace, Span } from "./folded-find.ts";

/** A part of a text, and what takes its place. */
export interface Replacement extends Span {
  replace: string;
}

/** What turns a place into its replacement. */
export interface Carried {
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
 * The replacements that turn a place into its replacement and change the file only where the replacement differs from find: what both
 * have keeps the characters of the file, also within a line, and a line that is moved takes them with it. What is new is written as the
 * replacement has it, but for characters of which the place shows that the file writes them in another form. With LF ends, as the text.
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
      // The last line may go on behind the place: white space at a line's end would then stand within it.
      return isLast ? form.trimEnd() + line.slice(line.trimEnd().length) : form;
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
  const shorter = Math.min(find.length, replace.length);
  let [head, tail] = [0, 0];
  while (head < shorter && find[head] === replace[head]) head++;
  while (tail < shorter - head && find.at(-1 - tail) === replace.at(-1 - tail)) tail++;
  const pairs: Pair[] = [];
  for (let index = 0; index < head; index++) pairs.push([index, index]);
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

/** Which of the old lines each of the new ones is, changed: they have half of their words in common. In order. */
function changedLines(olds: readonly string[], news: readonly string[]): Map<number, number> {
  const changed = new Map<number, number>();
  let next = 0;
  for (const [index, line] of news.entries()) {
    const words = wordsOf(line.trim());
    for (let old = next; old < Math.min(olds.length, next + maxAhead); old++) {
      const others = wordsOf((olds[old] as string).trim());
      const left = new Map<string, number>();
      for (const word of others) left.set(word, (left.get(word) ?? 0) + 1);
      const shared = words.filter((word) => {
        const count = left.get(word) ?? 0;
        left.set(word, count - 1);
        return count > 0;
      });
      if (shared.join("").length * 2 < Math.max(line.trim().length, (olds[old] as string).trim().length)) continue;
      if (shared.length === 0) continue;
      changed.set(index, old);
      next = old + 1;
      break;
    }
  }
  return changed;
}

function wordsOf(line: string): string[] {
  return line.match(/[\p{L}\p{M}\p{N}_]+|[\s\S]/gu) ?? [];
}

/** A line of find that the replacement changes, as the file has it: all that stays keeps the file's characters. */
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

type Parts = [line: string, end: string];

/** A line and the white space, or what else no reader sees, at its end. */
function withoutEnd(line: string): Parts {
  const folded = fold(line);
  const length = folded.endOf(folded.folded.length);
  return [line.slice(0, length), line.slice(length)];
}

/** Where each character of a line stands in another: that of words both have, and those at both ends of words that differ. */
function kept(line: string, other: string): (number | undefined)[] {
  const at: (number | undefined)[] = [];
  const [words, others] = [wordsOf(line), wordsOf(other)];
  const [starts, otherStarts] = [words, others].map(startsOf) as [number[], number[]];
  let [before, beforeOther] = [0, 0];
  for (const [word, same_] of [...same(words, others), [words.length, others.length] as Pair]) {
    const [from, to] = [starts[before] as number, starts[word] as number];
    const [otherFrom, otherTo] = [otherStarts[beforeOther] as number, otherStarts[same_] as number];
    const [gap, otherGap] = [line.slice(from, to), other.slice(otherFrom, otherTo)];
    const shorter = Math.min(gap.length, otherGap.length);
    let [head, tail] = [0, 0];
    while (head < shorter && gap[head] === otherGap[head]) at[from + head] = otherFrom + head++;
    while (tail < shorter - head && gap.at(-1 - tail) === otherGap.at(-1 - tail))
      at[to - 1 - tail] = otherTo - 1 - tail++;
    for (let index = 0; index < (words[word] ?? "").length; index++) at[to + index] = otherTo + index;
    [before, beforeOther] = [word + 1, same_ + 1];
  }
  return at;
}

function startsOf(words: readonly string[]): number[] {
  let length = 0;
  return [0, ...words.map((word) => (length += word.length))];
}

/** A part of a line of find, and what the file has for it. */
interface Atom extends Span {
  found: string;
  /** Both without what is hidden beside them. */
  bare: readonly [find: string, found: string];
}

/** The smallest parts of two lines that are the same but for what no reader sees. None where they differ in more. */
function atomsOf(want: string, have: string): Atom[] {
  const [wanted, found] = [want, have].map((line) => fold(line, { isPart: true }));
  const atoms: Atom[] = [];
  const length = wanted?.folded.length ?? 0;
  if (wanted === undefined || found === undefined || wanted.folded !== found.folded) return atoms;
  for (let [from, to] = [0, 1]; to <= length; to++) {
    if (!wanted.isBoundary(to) || !found.isBoundary(to)) continue;
    const [of, file] = [wanted, found].map(({ startOf, endOf }) => ({
      from: from === 0 ? 0 : startOf(from),
      to: startOf(to),
      bare: [startOf(from), endOf(to)] as const,
    })) as [Span & { bare: readonly [number, number] }, Span & { bare: readonly [number, number] }];
    const bare = [want.slice(...of.bare), have.slice(...file.bare)] as const;
    atoms.push({ from: of.from, to: of.to, found: have.slice(file.from, file.to), bare });
    from = to;
  }
  return atoms;
}

/** In which form the file has the characters that a find has in another. */
class Forms {
  readonly mapped: Set<FoldClass> = new Set();
  doubt: string | undefined;
  readonly #text: string;
  readonly #call: { find: string; replace: string };
  /** What stands in the file for a character of find. */
  readonly #seen = new Map<string, Set<string>>();
  /** What stands in the file for the white space at the ends of lines. */
  readonly #ends = new Map<string, Set<string>>();
  /** Of the special characters of a class: whether the file has plain ones for them, or the same. */
  readonly #classes = new Map<FoldClass, Set<"plain" | "own">>();

  constructor(text: string, call: Pick<FoldedPlace, "find" | "replace">, found: readonly string[]) {
    this.#text = text;
    // Indentation is read by itself.
    const [find, replace] = [call.find, call.replace].map((lines) => lines.map((line) => line.trim()).join("\n"));
    this.#call = { find: find as string, replace: replace as string };
    for (const [row, line] of call.find.entries()) {
      const its = found[row] as string;
      if (line === its && !special.test(line) && !/\s$/.test(line)) continue;
      const [[want, wantEnd], [have, haveEnd]] = [line, its].map(withoutEnd) as [Parts, Parts];
      if (wantEnd !== "") this.#ends.set(wantEnd, (this.#ends.get(wantEnd) ?? new Set()).add(haveEnd));
      for (const { bare, from, to, found: all } of atomsOf(want, have)) {
        this.#note(...bare);
        const isHidden = to - from > bare[0].length;
        if (isHidden) this.#ofClass("hidden").add(all.length > bare[1].length ? "own" : "plain");
      }
    }
  }

  /** White space at a line's end, as the file has it for that of find. */
  writeEnd(end: string): string {
    const [only, ...more] = this.#ends.get(end) ?? [];
    if (only === undefined || only === end || more.length > 0) return this.write(end);
    this.mapped.add("ends");
    return only;
  }

  writeLine(line: string): string {
    const [text, end] = special.test(line) || /\s$/.test(line) ? withoutEnd(line) : [line, ""];
    return this.write(text) + this.writeEnd(end);
  }

  /** New text, in the file's form. */
  write(text: string): string {
    if (this.#seen.size === 0 && this.#classes.size === 0) return text;
    const { folded, startOf, endOf, isBoundary } = fold(text, { isPart: true });
    let [written, done] = ["", 0];
    const writeHidden = (to: number): void => {
      for (const character of text.slice(done, to)) written += this.#form(character);
    };
    for (let [from, to] = [0, 1]; to <= folded.length; to++) {
      if (!isBoundary(to)) continue;
      writeHidden(startOf(from));
      written += this.#form(text.slice(startOf(from), endOf(to)));
      [from, done] = [to, endOf(to)];
    }
    writeHidden(text.length);
    return written;
  }

  #note(find: string, found: string): void {
    const [foldClass, plain] = foldedForm(find) ?? [];
    if (foldClass === undefined && find === found) return;
    const seen = this.#seen.get(find) ?? new Set();
    this.#seen.set(find, seen.add(found));
    if (foldClass !== undefined) this.#ofClass(foldClass).add(found === plain ? "plain" : "own");
  }

  #ofClass(foldClass: FoldClass): Set<"plain" | "own"> {
    const seen = this.#classes.get(foldClass) ?? new Set();
    this.#classes.set(foldClass, seen);
    return seen;
  }

  #form(character: string): string {
    const [foldClass, plain] = foldedForm(character) ?? [];
    const [only, ...more] = this.#seen.get(character) ?? [];
    if (foldClass === undefined) {
      // The file may have both: then the plain one is none too few.
      if (only === undefined || more.length > 0 || this.#text.includes(character)) return character;
      this.mapped.add(foldedForm(only)?.[0] ?? "composed");
      return only;
    }
    const [first, ...others] = only === undefined ? this.#ofClass(foldClass) : [only === plain ? "plain" : "own"];
    // A call that writes both, where its find has only the one, says of neither what it is.
    const { find, replace } = this.#call;
    const hasBoth =
      first === "plain" && plain !== "" && replace.includes(plain as string) && !find.includes(plain as string);
    if (more.length > 0 || others.length > 0 || hasBoth) this.doubt ??= character;
    const written = only ?? (first === "plain" ? (plain as string) : character);
    if (written !== character) this.mapped.add(foldClass);
    return written;
  }
}

/** What may have another form. */
const special = /[^\0-\x7f]/;
