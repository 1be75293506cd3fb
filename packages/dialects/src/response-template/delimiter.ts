import { createRecord } from "@toolglot/core";
import { matchAt } from "@toolglot/internal";
import { choiceOf, literalPart, type Part, translatePattern } from "./python-pattern.ts";

/** A delimiter is no longer: what a text decides is decided within so many units. */
export const maxDelimiter = 1_000;

/** The engine of patterns has memory for a few million characters. */
const maxWindow = 1_000_000;

/** A piece of a text; `base` is the offset of its first unit in the whole. */
export interface View {
  text: string;
  base: number;
}

/** A delimiter in a text, or the place where one may stand. */
export interface Hit {
  /** `open`: more text must come to tell. `long`: what begins here is longer than a delimiter may be. */
  state: "found" | "open" | "long";
  start: number;
  end: number;
  /** Texts of the named groups that took part. */
  captures: Readonly<Record<string, string>>;
}

/** What finds a delimiter. */
export interface Pattern {
  /** Finds it at an index. */
  readonly whole: RegExp;
  /** Finds it, or its beginning at the end of the text; see {@link Part}. */
  readonly partial: RegExp | undefined;
  /** Finds an index where it may begin. Missing: at each. */
  readonly candidate: RegExp | undefined;
  /** Finds the end of characters at which it fails when it fails at the first of them. */
  readonly run: RegExp | undefined;
  /** So many units before an index have a say. */
  readonly context: number;
  readonly names: readonly string[];
  /** It is a choice at its outermost. */
  readonly choice: boolean;
  /** It takes nothing, and stands where this one follows anywhere. */
  readonly ahead?: Pattern;
}

/** Text that stands anywhere before what a pattern looks ahead for: `(?=.*x)`. */
const lookahead = /^\(\?=(?:\.|\[\\s\\S\]|\[\\S\\s\])\*\??([^|]+)\)$/;

/**
 * Returns what finds a pattern of Python's.
 *
 * @throws TypeError for a pattern that JavaScript can't do; `where` begins its message.
 */
export function patternOf(source: string, where: string): Pattern {
  const pattern = madeOf(translatePattern(source, where), where);
  const inner = lookahead.exec(source)?.[1];
  if (inner === undefined) return pattern;
  try {
    return { ...pattern, ahead: madeOf(translatePattern(inner, where), where) };
  } catch {
    // The brackets are none of a pair: "(?=.*a)b(?=c)".
    return pattern;
  }
}

/** Returns what finds one of several texts, the longest first. */
export function literalsPattern(texts: readonly string[], where: string): Pattern {
  const longestFirst = [...new Set(texts)].sort((one, other) => other.length - one.length);
  return madeOf({ ...choiceOf(longestFirst.map(literalPart)), flags: "u", names: [] }, where);
}

function madeOf(part: Part & { flags: string; names: readonly string[] }, where: string): Pattern {
  if (part.names.includes("__proto__")) throw new TypeError(`${where}: a group can't have the name "__proto__"`);
  const regExp = (source: string | undefined, flag: string): RegExp | undefined =>
    source ? new RegExp(source, part.flags + flag) : undefined;
  return {
    whole: new RegExp(part.whole, `${part.flags}y`),
    partial: part.partial === undefined ? undefined : new RegExp(part.partial, `${part.flags}y`),
    candidate: part.empty ? undefined : regExp(part.first, "g"),
    run: regExp(part.partial && part.run && `(?!${part.run})`, "g"),
    context: part.behind ? maxDelimiter : 1,
    names: part.names,
    choice: part.choice === true,
  };
}

const width = (text: string, at: number): number => ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);

/** Returns the offset behind a hit from which the next one is looked for. */
export const behindHit = (hit: Hit, text: string): number =>
  hit.end > hit.start ? hit.end : hit.end + width(text, hit.end);

/** Looks for one delimiter in a text that grows. Each place is decided once, by the 1,000 units from there on. */
export class Finder {
  readonly #pattern: Pattern;
  readonly #ahead: Finder | undefined;
  /** It stands nowhere before. */
  #from = 0;
  #hit: Hit | undefined;

  /** Units that it may look at beyond those of a delimiter. */
  #spare: number;

  constructor(pattern: Pattern, spare = 0) {
    this.#pattern = pattern;
    this.#spare = spare;
    this.#ahead = pattern.ahead && new Finder(pattern.ahead);
  }

  /** What this waits for, when its place is known, and only more text can tell whether it is there. */
  get ahead(): Finder | undefined {
    return this.#ahead;
  }

  /** Text before this offset is not needed any more. */
  get needed(): number {
    return this.#from - this.#pattern.context;
  }

  /** Returns the first at or behind an offset, which never decreases. `final`: the view ends with the text. */
  next(view: View, offset: number, final: boolean): Hit | undefined {
    if (this.#hit && this.#hit.start >= offset) return this.#hit;
    this.#hit = undefined;
    this.#from = Math.max(this.#from, offset);
    if (this.#ahead) return this.#lookAhead(this.#ahead, view, offset, final);
    const { text, base } = view;
    for (let at = this.#candidate(text, this.#from - base); at >= 0; ) {
      this.#from = base + at;
      const hit = this.#decide(text, at, base, final);
      const { run } = this.#pattern;
      if (hit && !(run && hit.state === "long")) {
        if (hit.state !== "open") this.#hit = hit;
        return hit;
      }
      const end = run ? (matchAt(run, text, at)?.index ?? 0) : 0;
      // Of the characters of a run that is longer than a delimiter, the last ones are left.
      const next = hit ? end - maxDelimiter : end;
      at = this.#candidate(text, Math.max(next, at + width(text, at)));
    }
    this.#from = base + text.length;
    return undefined;
  }

  /** Goes on behind what is longer than a delimiter may be. */
  pass(hit: Hit): void {
    this.#hit = undefined;
    this.#from = hit.end;
  }

  /** As `next`, and what is too long counts as nothing. */
  nextShort(view: View, offset: number, final: boolean): Hit | undefined {
    let hit = this.next(view, offset, final);
    while (hit?.state === "long") {
      this.pass(hit);
      hit = this.next(view, offset, final);
    }
    return hit;
  }

  #lookAhead(finder: Finder, view: View, offset: number, final: boolean): Hit | undefined {
    const hit = finder.nextShort(view, offset, final);
    if (!hit && final) return undefined;
    return { state: hit?.state ?? "open", start: offset, end: offset, captures: {} };
  }

  #candidate(text: string, from: number): number {
    const { candidate } = this.#pattern;
    if (!candidate) return from <= text.length ? from : -1;
    if (from > text.length) return -1;
    return matchAt(candidate, text, from)?.index ?? -1;
  }

  #decide(text: string, at: number, base: number, final: boolean): Hit | undefined {
    const { whole, partial, context, names } = this.#pattern;
    const left = Math.max(0, at - context);
    const hit = (state: Hit["state"], length: number, captures: Hit["captures"] = {}): Hit => ({
      state,
      start: base + at,
      end: base + at + length,
      captures,
    });
    for (let size = maxDelimiter; ; size *= 8) {
      const cut = at + size <= text.length;
      const window = text.slice(left, at + size);
      let undecided = true;
      if (partial) {
        const match = matchAt(partial, window, at - left);
        if (!match) return undefined;
        undecided = match.some((group, index) => index > 0 && group !== undefined);
      }
      if (undecided && cut && this.#spare > 0 && size < maxWindow) {
        this.#spare -= size;
        continue;
      }
      if (undecided && !cut && !final) return hit("open", 0);
      const match = matchAt(whole, window, at - left);
      if (!match) return partial && cut ? hit("long", width(text, at)) : undefined;
      const captures = createRecord<string>();
      for (const name of names) {
        const captured = match.groups?.[name];
        if (captured !== undefined) captures[name] = captured;
      }
      return hit("found", match[0].length, captures);
    }
  }
}
