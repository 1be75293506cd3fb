import type { CharSet, Regex } from "./regex-tree.ts";

export interface RegexUse {
  /** On text of ASCII alone: the same, faster. */
  ascii?: boolean;
  /** On a line by itself, on many lines, to find those that may fit, or on a whole text, in which a line end is a character. Default: a line. */
  on?: "line" | "lines" | "text";
}

/** An expression of JavaScript's, with its flags. */
interface Source {
  source: string;
  flags: string;
}

/** Writes an expression in JavaScript's syntax. Undefined where that can't be for this use. */
export function regexSource(regex: Regex, { ascii = false, on = "line" }: RegexUse = {}): Source | undefined {
  const cases = new Set(casesOf(regex));
  // Without case in all of it, the engine's own flag is faster.
  const isCaseless = cases.has(true) && !cases.has(false);
  const source = new SourceWriter({ ascii, on, isCaseless }).write(regex);
  if (on === "lines" && has(regex, ({ kind }) => kind === "look")) return undefined;
  return { source, flags: `${isCaseless ? "i" : ""}${on === "lines" ? "m" : ""}v` };
}

/** Checks whether an expression has a line end, written or as a class of nothing else. A class of more is one of the line's characters, as in ripgrep. */
export function asksForLineEnd(regex: Regex): boolean {
  return has(regex, (part) => (part.kind === "char" ? part.code === 10 : part.kind === "set" && isLineEnd(part.set)));
}

function isLineEnd(set: CharSet): boolean {
  if (set.kind === "union") return !set.negated && set.sets.length > 0 && set.sets.every(isLineEnd);
  return set.kind === "range" && set.from === 10 && set.to === 10;
}

/** Checks whether an expression has this character; not by a class of others. */
export function asksFor(regex: Regex, code: number): boolean {
  return has(regex, (part) =>
    part.kind === "char" ? part.code === code : part.kind === "set" && names(part.set, code),
  );
}

/** Checks whether it may match further lines, where line ends are characters. */
export function mayCrossLines(regex: Regex): boolean {
  return has(regex, (part) =>
    part.kind === "dot" ? part.all : part.kind === "set" && (isWide(part.set) || names(part.set, 10)),
  );
}

/** Checks whether what is written differs for ASCII alone. */
export function knowsScripts(regex: Regex): boolean {
  return has(regex, (part) =>
    part.kind === "at" ? !/^(?:[$^]|\\[Az])$/.test(part.place) : part.kind === "set" && isScripted(part.set),
  );
}

function has(regex: Regex, test: (part: Regex) => boolean): boolean {
  if (test(regex)) return true;
  if ("parts" in regex) return regex.parts.some((part) => has(part, test));
  return "body" in regex && has(regex.body, test);
}

function setsIn(set: CharSet): CharSet[] {
  if (set.kind === "union") return set.sets;
  return "left" in set ? [set.left, set.right] : [];
}

function names(set: CharSet, code: number): boolean {
  if (set.kind === "union" && set.negated) return false;
  return set.kind === "range" ? set.from === code && set.to === code : setsIn(set).some((one) => names(one, code));
}

/** `[\s\S]` and the like. */
function isWide(set: CharSet): boolean {
  const wide = new RegExp(`^${writeSet(set, all)}$`, "v");
  return ["\n", "a", " ", "1", "é", "漢"].every((char) => wide.test(char));
}

function isScripted(set: CharSet): boolean {
  return (set.kind === "shorthand" && !set.ascii) || setsIn(set).some(isScripted);
}

/** For each part with letters, whether case counts not. */
function* casesOf(regex: Regex): Generator<boolean> {
  if (regex.kind === "char" && hasCase(regex.code)) yield regex.i;
  if (regex.kind === "set") yield* casesOfSet(regex.set);
  // The engine's flag would change what these are: a word of ASCII has no ſ.
  if (regex.kind === "same" || (regex.kind === "at" && regex.ascii)) yield false;
  for (const part of "parts" in regex ? regex.parts : "body" in regex ? [regex.body] : []) yield* casesOf(part);
}

function* casesOfSet(set: CharSet): Generator<boolean> {
  if (set.kind === "property" || set.kind === "range") yield set.i;
  if (set.kind === "shorthand" && set.ascii) yield false;
  for (const one of setsIn(set)) yield* casesOfSet(one);
}

interface SetUse {
  ascii: boolean;
  isCaseless: boolean;
}
const all: SetUse = { ascii: false, isCaseless: false };

const shorthands = {
  w: "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}",
  d: "\\p{Nd}",
  s: "\\p{White_Space}",
};
const asciiShorthands = { w: "0-9A-Za-z_", d: "0-9", s: "\\t-\\r " };
/** In text of ASCII alone the engine's own are the same. */
const edgesOfAscii: Readonly<Record<string, string>> = {
  "\\b": "\\b",
  "\\B": "\\B",
  "\\<": "\\b(?=\\w)",
  "\\>": "\\b(?<=\\w)",
  "start-half": "(?<!\\w)",
  "end-half": "(?!\\w)",
};

class SourceWriter {
  readonly #use: SetUse & Required<RegexUse>;

  constructor(use: SetUse & Required<RegexUse>) {
    this.#use = use;
  }

  write(regex: Regex): string {
    if (regex.kind === "char") return this.#char(regex.code, regex.i);
    if (regex.kind === "dot") return regex.all && this.#use.on === "text" ? "[\\s\\S]" : "[^\\n]";
    if (regex.kind === "set") return this.#set(regex.set);
    if (regex.kind === "at") return this.#place(regex.place, regex.ascii);
    if (regex.kind === "look") return `(${regex.sign}${this.write(regex.body)})`;
    if (regex.kind === "same") return /^\d/.test(regex.group) ? `(?:\\${regex.group})` : `\\k<${regex.group}>`;
    if (regex.kind === "any") return regex.parts.map((part) => this.write(part)).join("|");
    if (regex.kind === "group") {
      const start = regex.name === undefined ? (regex.captures ? "" : "?:") : `?<${regex.name}>`;
      return `(${start}${this.write(regex.body)})`;
    }
    if (regex.kind === "repeat") return this.#repeat(regex);
    return regex.parts.map((part) => (part.kind === "any" ? `(?:${this.write(part)})` : this.write(part))).join("");
  }

  #repeat({ body, min, max, isLazy }: Regex & { kind: "repeat" }): string {
    const source = this.write(body);
    const isAtom = body.kind === "char" || body.kind === "dot" || body.kind === "set" || body.kind === "group";
    const times =
      max === Number.POSITIVE_INFINITY
        ? (["*", "+"][min] ?? `{${min},}`)
        : min === 0 && max === 1
          ? "?"
          : `{${min}${min === max ? "" : `,${max}`}}`;
    return `${isAtom ? source : `(?:${source})`}${times}${isLazy ? "?" : ""}`;
  }

  #char(code: number, i: boolean): string {
    const variants = i && !this.#use.isCaseless ? caseVariants(code) : [];
    if (variants.length === 0) return outside(code);
    return `[${[code, ...variants].map(inside).join("")}]`;
  }

  #set(set: CharSet): string {
    const source = writeSet(set, this.#use);
    return this.#use.on === "lines" && new RegExp(source, "v").test("\n") ? `[${source}--\\n]` : source;
  }

  #place(place: string, ascii: boolean): string {
    if (place === "^" || place === "$") {
      if (this.#use.on !== "text") return place;
      return place === "^" ? "(?<![^\\n])" : "(?![^\\n])";
    }
    if (place === "\\A" || place === "\\z") return place === "\\A" ? "^" : "$";
    if (this.#use.ascii) return edgesOfAscii[place] as string;
    const word = `[${ascii ? asciiShorthands.w : shorthands.w}]`;
    const [before, behind, notBefore, notBehind] = [`(?<=${word})`, `(?=${word})`, `(?<!${word})`, `(?!${word})`];
    const edges: Readonly<Record<string, string>> = {
      "\\b": `(?:${before}${notBehind}|${notBefore}${behind})`,
      "\\B": `(?:${before}${behind}|${notBefore}${notBehind})`,
      "\\<": notBefore + behind,
      "\\>": before + notBehind,
      "start-half": notBefore,
      "end-half": notBehind,
    };
    return edges[place] as string;
  }
}

/** Returns a set as an operand of others. */
function writeSet(set: CharSet, use: SetUse): string {
  if (set.kind === "property" || set.kind === "range") {
    const members = writeMembers(set, use);
    return set.kind === "property" && members === set.source ? members : `[${members}]`;
  }
  if (set.kind === "shorthand") {
    const { name, negated } = set;
    if (use.ascii) return `\\${negated ? name.toUpperCase() : name}`;
    return `[${negated ? "^" : ""}${(set.ascii ? asciiShorthands : shorthands)[name]}]`;
  }
  if (set.kind === "union") {
    const [only, ...more] = set.sets;
    if (!set.negated && only !== undefined && more.length === 0) return writeSet(only, use);
    return `[${set.negated ? "^" : ""}${set.sets.map((one) => writeMembers(one, use)).join("")}]`;
  }
  const [left, right] = [set.left, set.right].map((one) => `[${writeMembers(one, use)}]`);
  return set.kind === "~~" ? `[[${left}--${right}][${right}--${left}]]` : `[${left}${set.kind}${right}]`;
}

/** Returns what stands for a set within the brackets of a union. */
function writeMembers(set: CharSet, use: SetUse): string {
  if (set.kind === "range") {
    return withCases(inside(set.from) + (set.from === set.to ? "" : `-${inside(set.to)}`), set.i, use);
  }
  if (set.kind === "property") return withCases(set.source, set.i, use);
  if (set.kind === "union" && !set.negated) return set.sets.map((one) => writeMembers(one, use)).join("");
  return writeSet(set, use);
}

/** With the other case of its letters, where the engine's flag does not stand for that. */
function withCases(source: string, i: boolean, { isCaseless }: SetUse): string {
  if (!i || isCaseless) return source;
  const known = knownCases.get(source);
  if (known !== undefined) return known;
  // Each takes a millisecond. Nobody writes so many.
  if (knownCases.size >= maxKnown) knownCases.clear();
  const [own, folded] = [new RegExp(`^[${source}]$`, "v"), new RegExp(`^[${source}]$`, "iv")];
  const others = [...otherCases().keys()].filter((char) => !own.test(char) && folded.test(char));
  const written = source + others.map((char) => inside(char.codePointAt(0) as number)).join("");
  knownCases.set(source, written);
  return written;
}

const maxKnown = 500;
const knownCases = new Map<string, string>();

function caseVariants(code: number): number[] {
  const char = String.fromCodePoint(code);
  const folded = new RegExp(`^${outside(code)}$`, "iv");
  const others = [...(otherCases().get(char) ?? [])].filter((other) => other !== char && folded.test(other));
  return others.map((other) => other.codePointAt(0) as number);
}

function hasCase(code: number): boolean {
  return cased.test(String.fromCodePoint(code));
}

const cased = /[\p{Cased}\p{Changes_When_Casemapped}\p{Changes_When_Casefolded}]/u;
let cases: Map<string, Set<string>> | undefined;

/** Returns all characters that may have another case, and those that may be the same but for it. */
function otherCases(): ReadonlyMap<string, ReadonlySet<string>> {
  if (cases !== undefined) return cases;
  cases = new Map();
  for (let code = 0x41; code < 0x1f000; code++) {
    if (!hasCase(code)) continue;
    const char = String.fromCodePoint(code);
    const family = new Set([char]);
    for (const other of [char.toLowerCase(), char.toUpperCase(), char.toUpperCase().toLowerCase()]) {
      for (const one of cases.get(other) ?? (other.length === char.length ? [other] : [])) family.add(one);
    }
    for (const one of family) cases.set(one, family);
  }
  return cases;
}

function outside(code: number): string {
  const char = String.fromCodePoint(code);
  if (/[\\^$.*+?()[\]{}|/]/.test(char)) return `\\${char}`;
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code === 0x2028 || code === 0x2029 ? hex(code) : char;
}

function inside(code: number): string {
  return /[0-9A-Za-z_ ]/.test(String.fromCodePoint(code)) || code >= 0x100 ? String.fromCodePoint(code) : hex(code);
}

function hex(code: number): string {
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u{${code.toString(16)}}`;
}
