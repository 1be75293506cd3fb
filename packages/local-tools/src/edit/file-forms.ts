import { type FoldClass, fold, foldedForm } from "./fold.ts";
import type { FoldedPlace, Span } from "./folded-find.ts";

/** A line without its end, and that end. */
export type Parts = [line: string, end: string];

export function withoutEnd(line: string): Parts {
  const folded = fold(line);
  const length = folded.endOf(folded.folded.length);
  return [line.slice(0, length), line.slice(length)];
}

/** A part of a line of find, and what the file has for it. */
interface Atom extends Span {
  found: string;
  /** Both without what is hidden beside them. */
  bare: readonly [find: string, found: string];
}

/** Returns the smallest parts of two lines that are the same but for what no reader sees. None where they differ in more. */
export function atomsOf(want: string, have: string): Atom[] {
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
export class Forms {
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

  /** Returns white space at a line's end, as the file has it for that of find. */
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

  /** Returns new text in the file's form. */
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
    // A call that writes both, where its find has only the one, identifies neither.
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
