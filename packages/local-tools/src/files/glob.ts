/** One part of a name pattern: a character, any one, any number, or one of a class. */
type Part = { is: "one"; of: (char: string) => boolean } | { is: "many" };

/** A pattern for one path segment; `deep` is `**`: any number of segments. */
export type Segment = { deep: true } | NamePattern;

/** `name`, or `*` and `ending`, is all that it says; else its parts do. */
interface NamePattern {
  deep: false;
  parts: readonly Part[];
  name?: string;
  ending?: string;
}

/** Classes of POSIX, ASCII. */
const posix: Readonly<Record<string, RegExp>> = {
  alnum: /[0-9A-Za-z]/,
  alpha: /[A-Za-z]/,
  blank: /[ \t]/,
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it is the class of them
  cntrl: /[\x00-\x1f\x7f]/,
  digit: /[0-9]/,
  graph: /[!-~]/,
  lower: /[a-z]/,
  print: /[ -~]/,
  punct: /[!-/:-@[-`{-~]/,
  space: /[ \t-\r]/,
  upper: /[A-Z]/,
  xdigit: /[0-9A-Fa-f]/,
};

/** Reads the pattern of one segment as git does; undefined for one that can't match anything (an open class, a `\` at the end). */
export function parseSegment(text: string): Segment | undefined {
  if (text === "**") return { deep: true };
  // Most patterns are that simple.
  const plain = /^(\*?)([^*?[\\]*)$/.exec(text);
  if (plain !== null) {
    const [, star, rest = ""] = plain;
    return star === "" ? { deep: false, parts: [], name: rest } : { deep: false, parts: [], ending: rest };
  }
  const chars = [...text];
  const parts: Part[] = [];
  for (let at = 0; at < chars.length; at++) {
    const char = chars[at] as string;
    if (char === "*") {
      if (parts.at(-1)?.is !== "many") parts.push({ is: "many" });
    } else if (char === "?") {
      parts.push({ is: "one", of: () => true });
    } else if (char === "[") {
      const found = parseClass(chars, at + 1);
      if (found === undefined) return undefined;
      parts.push({ is: "one", of: found.of });
      at = found.end;
    } else if (char === "\\") {
      const next = chars[++at];
      if (next === undefined) return undefined;
      parts.push({ is: "one", of: (other) => other === next });
    } else {
      parts.push({ is: "one", of: (other) => other === char });
    }
  }
  return { deep: false, parts };
}

/** A `[…]`; `end` is where its `]` stands. */
function parseClass(
  chars: readonly string[],
  start: number,
): { of: (char: string) => boolean; end: number } | undefined {
  let at = start;
  const not = chars[at] === "!" || chars[at] === "^";
  if (not) at++;
  const tests: ((char: string) => boolean)[] = [];
  for (let first = true; ; first = false) {
    const char = chars[at];
    if (char === undefined) return undefined;
    if (char === "]" && !first) break;
    const named = char === "[" ? /^\[:([a-z]*):\]/.exec(chars.slice(at, at + 12).join("")) : null;
    if (named !== null) {
      const of = posix[named[1] as string];
      if (of === undefined) return undefined;
      tests.push((other) => of.test(other));
      at += named[0].length;
      continue;
    }
    const low = classChar(chars, at);
    if (low === undefined) return undefined;
    at = low.next;
    if (chars[at] === "-" && chars[at + 1] !== undefined && chars[at + 1] !== "]") {
      const high = classChar(chars, at + 1);
      if (high === undefined) return undefined;
      at = high.next;
      tests.push((other) => order(low.char, other) && order(other, high.char));
    } else {
      tests.push((other) => other === low.char);
    }
  }
  return { of: (char) => tests.some((test) => test(char)) !== not, end: at };
}

function classChar(chars: readonly string[], at: number): { char: string; next: number } | undefined {
  const escaped = chars[at] === "\\";
  const char = chars[escaped ? at + 1 : at];
  return char === undefined ? undefined : { char, next: at + (escaped ? 2 : 1) };
}

function order(first: string, second: string): boolean {
  return (first.codePointAt(0) ?? 0) <= (second.codePointAt(0) ?? 0);
}

/** Whether a name fits a segment's pattern. Takes pattern × name steps at most, whatever both are. */
function fitsName(pattern: NamePattern, name: string): boolean {
  if (pattern.name !== undefined) return name === pattern.name;
  if (pattern.ending !== undefined) return name.endsWith(pattern.ending);
  const { parts } = pattern;
  const chars = [...name];
  return wildcard(
    parts.length,
    chars.length,
    (at) => parts[at]?.is === "many",
    (at, on) => {
      const part = parts[at];
      return part?.is === "one" && part.of(chars[on] as string);
    },
  );
}

/** Whether path segments fit a pattern from end to end. `**` at its end needs at least one segment. */
export function fitsPath(pattern: readonly Segment[], path: readonly string[]): boolean {
  const [only] = pattern;
  if (pattern.length === 1 && only?.deep === false) return path.length === 1 && fitsName(only, path[0] as string);
  // `a/**` is `a`, one segment, and any number more.
  const steps: readonly Segment[] = pattern.at(-1)?.deep ? [...pattern.slice(0, -1), anyName, { deep: true }] : pattern;
  return wildcard(
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

/** Matching with stars, going back to the last star only: what an earlier star took can stay as it is. */
function wildcard(
  length: number,
  end: number,
  isStar: (at: number) => boolean,
  fits: (at: number, on: number) => boolean,
): boolean {
  let at = 0;
  let on = 0;
  let star = -1;
  let taken = 0;
  while (on < end) {
    if (at < length && isStar(at)) {
      star = at++;
      taken = on;
    } else if (at < length && fits(at, on)) {
      at++;
      on++;
    } else if (star !== -1) {
      at = star + 1;
      on = ++taken;
    } else {
      return false;
    }
  }
  while (at < length && isStar(at)) at++;
  return at === length;
}
