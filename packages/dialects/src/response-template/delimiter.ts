import { matchAt } from "@toolglot/internal";
import { translatePattern } from "./python-pattern.ts";

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
  /** `open`: more text must come to decide. `long`: what begins here is longer than a delimiter may be. */
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
  readonly names: readonly string[];
  /** It takes nothing, and stands where this one follows anywhere. */
  readonly ahead?: Pattern;
}

/** Text that stands anywhere before what a pattern looks ahead for: `(?=.*x)`. */
const lookahead = /^\(\?=(?:\.|\[\\s\\S])\*\??([^|()]+)\)$/;

/**
 * Returns what finds a pattern of Python's.
 *
 * @param most How often the length of a text may come into the time of a place.
 * @throws TypeError for a pattern that JavaScript can't do, or that may take too long; `where` begins its message.
 */
export function patternOf(source: string, where: string, most = 2): Pattern {
  const part = translatePattern(source, where, most);
  const inner = lookahead.exec(source)?.[1];
  const made = (form: string | undefined, flag: string): RegExp | undefined =>
    form === undefined ? form : new RegExp(form, part.flags + flag);
  return {
    whole: made(part.whole, "y") as RegExp,
    partial: made(part.partial, "y"),
    candidate: part.empty ? undefined : made(part.first && `(?=${part.first})`, "g"),
    run: part.partial === undefined ? undefined : made(part.run && `(?!${part.run})`, "g"),
    names: part.names,
    ...(inner && { ahead: patternOf(inner, where) }),
  };
}

/** Returns where a match ends that begins at an index, or behind it; another number for none. It makes nothing that costs memory. */
function endOf(pattern: RegExp, text: string, index: number, none: number): number {
  pattern.lastIndex = index;
  return pattern.test(text) ? pattern.lastIndex : none;
}

const width = (text: string, at: number): number => ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);

/** Returns the offset behind a hit from which the next one is looked for. */
export const behindHit = (hit: Hit, text: string): number =>
  hit.end > hit.start ? hit.end : hit.end + width(text, hit.end);

/** Looks for one delimiter in a text that grows. Each place is decided once, by the 1,000 units from there on. */
export interface Finder {
  /** Returns the first at or behind an offset, which never decreases. `final`: the view ends with the text. */
  next(view: View, offset: number, final: boolean): Hit | undefined;
  /** As `next`, and what is too long counts as nothing. */
  nextShort(view: View, offset: number, final: boolean): Hit | undefined;
  /** Goes on behind what is longer than a delimiter may be. */
  pass(hit: Hit): void;
}

/** Makes what looks for a pattern. `spare`: units that it may look at beyond those of a delimiter. */
export function finderOf(pattern: Pattern, spare = 0): Finder {
  const { whole, partial, candidate, run } = pattern;
  const ahead = pattern.ahead && finderOf(pattern.ahead);
  /** It stands nowhere before. */
  let from = 0;
  let known: Hit | undefined;

  const next: Finder["next"] = (view, offset, final) => {
    if (known && known.start >= offset) return known;
    known = undefined;
    from = Math.max(from, offset);
    if (ahead) {
      const hit = ahead.nextShort(view, offset, final);
      return hit || !final ? { state: hit?.state ?? "open", start: offset, end: offset, captures: {} } : undefined;
    }
    const { text, base } = view;
    const place = (index: number): number => (candidate ? endOf(candidate, text, index, text.length + 1) : index);
    for (let at = place(from - base); at <= text.length; ) {
      from = base + at;
      const hit = decide(text, at, base, final);
      if (hit && !(run && hit.state === "long")) {
        if (hit.state !== "open") known = hit;
        return hit;
      }
      const end = run ? endOf(run, text, at, 0) : 0;
      // Of the characters of a run that is longer than a delimiter, the last ones are left.
      at = place(Math.max(hit ? end - maxDelimiter : end, at + width(text, at)));
    }
    from = base + text.length;
    return undefined;
  };

  const decide = (text: string, at: number, base: number, final: boolean): Hit | undefined => {
    // One unit more, for what looks at the one before.
    const left = Math.max(0, at - 1);
    const hit = (state: Hit["state"], length: number, captures: Hit["captures"] = {}): Hit => ({
      state,
      start: base + at,
      end: base + at + length,
      captures,
    });
    for (let size = maxDelimiter; ; size *= 8) {
      const cut = at + size <= text.length;
      const window = text.slice(left, at + size);
      const index = at - left;
      if (partial && endOf(partial, window, index, -1) < 0) return undefined;
      const match = matchAt(whole, window, index);
      const isOpen = !match || !partial || matchAt(partial, window, index)?.some((group, at) => at > 0 && group === "");
      if (isOpen && cut && spare > 0 && size < maxWindow) {
        spare -= size;
        continue;
      }
      if (isOpen && !cut && !final) return hit("open", 0);
      if (!match) return partial && cut ? hit("long", width(text, at)) : undefined;
      const captures = Object.fromEntries(Object.entries(match.groups ?? {}).filter(([, text]) => text !== undefined));
      return hit("found", match[0].length, captures);
    }
  };

  const pass = (hit: Hit): void => {
    known = undefined;
    from = hit.end;
  };

  return {
    next,
    nextShort(view, offset, final) {
      let hit = next(view, offset, final);
      for (; hit?.state === "long"; hit = next(view, offset, final)) pass(hit);
      return hit;
    },
    pass,
  };
}
