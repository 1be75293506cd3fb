import { matchWildcard } from "@toolglot/internal";

/** One part of a pattern: any number of characters, or one that the test accepts. */
type Part = "*" | CharTest;
type CharTest = (char: string) => boolean;

/** Reads the set behind a `[` at `start`; `end` is where its last character stands. Undefined for one that can't match. */
type ReadSet = (chars: readonly string[], start: number) => { accepts: CharTest; end: number } | undefined;

/** A pattern for one path segment; `deep` is `**`: any number of segments. */
export type Segment = { deep: true } | NamePattern;

/** `name`, or `*` and `ending`, is the whole pattern; else its parts are. */
interface NamePattern {
  deep: false;
  parts: readonly Part[];
  name?: string;
  ending?: string;
}

/** POSIX classes, ASCII only, as they stand in the brackets of a regular expression. */
export const posixClasses: ReadonlyMap<string, string> = new Map([
  ["alnum", "0-9A-Za-z"],
  ["alpha", "A-Za-z"],
  ["blank", " \\t"],
  ["cntrl", "\\x00-\\x1f\\x7f"],
  ["digit", "0-9"],
  ["graph", "!-~"],
  ["lower", "a-z"],
  ["print", " -~"],
  ["punct", "!-\\/:-@\\[-`\\{-~"],
  ["space", " \\t-\\r"],
  ["upper", "A-Z"],
  ["xdigit", "0-9A-Fa-f"],
]);

/** Parses a pattern over a whole path as Python's `fnmatch` does: `*` takes slashes, too. It takes at most pattern × path steps. */
export function pathMatcher(pattern: string): (path: string) => boolean {
  const parts = partsOf(Array.from(pattern), fnmatchSet, false) ?? [];
  return (path) => fits(parts, path);
}

/** Reads the pattern of one segment as git does; undefined for one that can't match anything (an open class, a `\` at the end). */
export function parseSegment(text: string): Segment | undefined {
  if (text === "**") return { deep: true };
  // Most patterns are that simple.
  const plain = /^(\*?)([^*?[\\]*)$/.exec(text);
  if (plain !== null) {
    const [, star, rest = ""] = plain;
    return star === "" ? { deep: false, parts: [], name: rest } : { deep: false, parts: [], ending: rest };
  }
  const parts = partsOf([...text], gitSet, true);
  return parts === undefined ? undefined : { deep: false, parts };
}

/** Checks whether path segments fit a pattern from end to end. `**` at its end needs at least one segment. */
export function fitsPath(pattern: readonly Segment[], path: readonly string[]): boolean {
  const [only] = pattern;
  if (pattern.length === 1 && only?.deep === false) return path.length === 1 && fitsName(only, path[0] as string);
  // `a/**` is `a`, one segment, and any number more.
  const steps: readonly Segment[] = pattern.at(-1)?.deep ? [...pattern.slice(0, -1), anyName, { deep: true }] : pattern;
  return matchWildcard(
    steps.length,
    path.length,
    (at) => steps[at]?.deep === true,
    (at, on) => {
      const step = steps[at];
      return step?.deep === false && fitsName(step, path[on] as string);
    },
  );
}

const anyName: NamePattern = { deep: false, parts: [], ending: "" };

/** Checks whether a name fits a segment's pattern. Takes pattern × name steps at most, whatever both are. */
function fitsName({ name, ending, parts }: NamePattern, text: string): boolean {
  if (name !== undefined) return text === name;
  return ending === undefined ? fits(parts, text) : text.endsWith(ending);
}

function fits(parts: readonly Part[], text: string): boolean {
  const chars = Array.from(text);
  return matchWildcard(
    parts.length,
    chars.length,
    (at) => parts[at] === "*",
    (at, on) => (parts[at] as CharTest)(chars[on] as string),
  );
}

function partsOf(chars: readonly string[], readSet: ReadSet, escapes: boolean): Part[] | undefined {
  const parts: Part[] = [];
  for (let at = 0; at < chars.length; at++) {
    const char = chars[at] as string;
    if (char === "*") {
      if (parts.at(-1) !== "*") parts.push("*");
    } else if (char === "?") {
      parts.push(() => true);
    } else if (char === "[") {
      const set = readSet(chars, at + 1);
      if (set === undefined) return undefined;
      parts.push(set.accepts);
      at = set.end;
    } else if (char === "\\" && escapes) {
      const next = chars[++at];
      if (next === undefined) return undefined;
      parts.push(range(next));
    } else {
      parts.push(range(char));
    }
  }
  return parts;
}

/** Parses a set of `fnmatch`. One without an end is a plain `[`; a `]` right at its beginning is one of its characters. */
function fnmatchSet(chars: readonly string[], start: number): ReturnType<ReadSet> {
  const negated = chars[start] === "!";
  const first = negated ? start + 1 : start;
  const end = chars.indexOf("]", first + 1);
  if (end === -1) return { accepts: range("["), end: start - 1 };
  const tests: CharTest[] = [];
  for (let at = first; at < end; at++) {
    const isRange = chars[at + 1] === "-" && at + 2 < end;
    tests.push(range(chars[at] as string, chars[isRange ? at + 2 : at]));
    if (isRange) at += 2;
  }
  return { accepts: (char) => tests.some((test) => test(char)) !== negated, end };
}

/** Parses a set of git, with POSIX classes and escapes. */
function gitSet(chars: readonly string[], start: number): ReturnType<ReadSet> {
  const negated = chars[start] === "!" || chars[start] === "^";
  const first = negated ? start + 1 : start;
  const tests: CharTest[] = [];
  let at = first;
  for (; chars[at] !== "]" || at === first; ) {
    const named = chars[at] === "[" ? /^\[:([a-z]*):\]/.exec(chars.slice(at, at + 12).join("")) : null;
    if (named !== null) {
      const set = posixClasses.get(named[1] as string);
      if (set === undefined) return undefined;
      const expression = new RegExp(`[${set}]`);
      tests.push((char) => expression.test(char));
      at += named[0].length;
      continue;
    }
    const low = setChar(chars, at);
    if (low === undefined) return undefined;
    at = low.next;
    const isRange = chars[at] === "-" && chars[at + 1] !== undefined && chars[at + 1] !== "]";
    const high = isRange ? setChar(chars, at + 1) : low;
    if (high === undefined) return undefined;
    at = high.next;
    tests.push(range(low.char, high.char));
  }
  return { accepts: (char) => tests.some((test) => test(char)) !== negated, end: at };
}

function setChar(chars: readonly string[], at: number): { char: string; next: number } | undefined {
  const escaped = chars[at] === "\\";
  const char = chars[escaped ? at + 1 : at];
  return char === undefined ? undefined : { char, next: at + (escaped ? 2 : 1) };
}

/** Accepts the characters from one to another, by code point. */
function range(low: string, high: string = low): CharTest {
  const [from = 0, to = 0] = [low.codePointAt(0), high.codePointAt(0)];
  return (char) => {
    const code = char.codePointAt(0) ?? 0;
    return from <= code && code <= to;
  };
}

/** Returns all that a pattern with `{a,b}` in it stands for, in order; undefined when that is more than `most`. */
export function expandBraces(pattern: string, most: number): string[] | undefined {
  const all: string[] = [];
  const pending = [pattern];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const either = firstBraces(next);
    if (either === undefined) all.push(next);
    else pending.push(...either.reverse());
    if (all.length + pending.length > most) return undefined;
  }
  return all;
}

/** Returns the alternatives of the first `{a,b}`; undefined when there is none. */
function firstBraces(pattern: string): string[] | undefined {
  for (let start = 0; start < pattern.length; start++) {
    if (pattern[start] === "\\") start++;
    else if (pattern[start] === "{") {
      const end = closing(pattern, start);
      if (end === undefined) continue;
      const choices = splitOutsideBraces(pattern.slice(start + 1, end), (char) => char === ",");
      if (choices.length > 1) return choices.map((choice) => pattern.slice(0, start) + choice + pattern.slice(end + 1));
    }
  }
  return undefined;
}

function closing(pattern: string, start: number): number | undefined {
  let depth = 0;
  for (let at = start; at < pattern.length; at++) {
    if (pattern[at] === "\\") at++;
    else if (pattern[at] === "{") depth++;
    else if (pattern[at] === "}" && --depth === 0) return at;
  }
  return undefined;
}

/** Splits where no brace is open; an open one that is never closed doesn't count. */
export function splitOutsideBraces(text: string, splits: (char: string) => boolean): string[] {
  const pieces: string[] = [];
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at] as string;
    if (char === "\\") at++;
    else if (char === "{") at = closing(text, at) ?? at;
    else if (splits(char)) {
      pieces.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return [...pieces, text.slice(start)];
}
