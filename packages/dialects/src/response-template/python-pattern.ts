import { type Cursor, classes, escapedCode, property, readClass, skip, take, unit, word } from "./python-classes.ts";

/** A pattern, or a part of one. */
export interface Part {
  /** What matches it. */
  whole: string;
  /**
   * What matches it in a text that may go on: where the text ends too early, an empty group is set, and all the rest matches. Which of the
   * two comes first is decided in the order in which the pattern itself would be tried. Undefined when JavaScript can't say that.
   */
  partial: string | undefined;
  /** What its matches begin with, if not with nothing at all; undefined when that may be anything. */
  first: string | undefined;
  /** It may match nothing. */
  empty?: boolean;
  /** It is one character. */
  single?: boolean;
  /** It begins with any number of this character: where it fails, it fails at each of them. */
  run?: string | undefined;
  /** It looks at what stands before it. */
  behind?: boolean;
  /** It is a choice, and needs a group around it. */
  choice?: boolean;
}

/** The end of the text so far, as an empty group that is set there. */
const ended = "$()";
/** What looks back can't tell at the end of the text: more of it may come first. */
const orEnded = (source: string): string => `(?:${ended}|${source})`;

/** What stands at a place, and takes no character. */
const place = (whole: string, partial: string | undefined, behind = false): Part => ({
  whole,
  partial,
  first: "",
  empty: true,
  behind,
});

const single = (source: string): Part => ({
  whole: source,
  partial: `(?:${source}|${ended})`,
  first: source,
  single: true,
});

/** Returns a text as a pattern. */
export const literalPart = (text: string): Part => inSequence([...text].map((char) => single(unit(char))));

function inSequence(parts: readonly Part[]): Part {
  const [head] = parts;
  if (parts.length === 1 && head) return head;
  const solid = parts.findIndex((part) => !part.empty);
  const heads = solid < 0 ? parts : parts.slice(0, solid + 1);
  return { ...joined(parts, "", heads), run: head?.run, empty: solid < 0 };
}

/** Returns a pattern that matches what the first of several patterns matches. */
export function choiceOf(parts: readonly Part[]): Part {
  const [only] = parts;
  if (parts.length === 1 && only) return only;
  const made = joined(parts, "|", parts);
  return {
    ...made,
    partial: made.partial === undefined ? undefined : `(?:${made.partial})`,
    empty: parts.some((part) => part.empty),
    choice: true,
  };
}

/** What parts are together; `heads` are those that a match may begin with. */
function joined(parts: readonly Part[], between: string, heads: readonly Part[]): Part {
  const partials = parts.map((part) => part.partial);
  const firsts = heads.map((part) => part.first);
  return {
    whole: parts.map((part) => part.whole).join(between),
    partial: partials.includes(undefined) ? undefined : partials.join(between),
    first: firsts.includes(undefined) ? undefined : [...new Set(firsts)].filter(Boolean).join("|"),
    behind: parts.some((part) => part.behind),
  };
}

/** A pattern as it was translated. */
export interface Translated extends Part {
  /** `u`, and `i` where the pattern has it. */
  flags: string;
  /** Names of its groups. */
  names: string[];
}

/**
 * Translates a pattern of Python's `regex` module, with DOTALL on.
 *
 * @throws TypeError for a pattern that is none, and for what JavaScript has no form for. `where` begins its message.
 */
export function translatePattern(source: string, where: string): Translated {
  const refuse = (why: string): never => {
    throw new TypeError(`${where}: ${why}, in the pattern ${JSON.stringify(source)}`);
  };
  const flags = /^(?:\(\?[a-zA-Z0-9]+\))*/.exec(source)?.[0] ?? "";
  const letters = flags.replace(/[(?)]/g, "");
  const strange = /[^ismu]/.exec(letters)?.[0];
  if (strange !== undefined) refuse(`JavaScript has no flag for (?${strange})`);
  const cursor: Cursor = { text: source, at: flags.length, refuse };
  const names: string[] = [];
  const part = new Reader(cursor, letters.includes("m"), names).choice();
  if (cursor.at < source.length) refuse("a ) has no (");
  const translated = { ...part, flags: letters.includes("i") ? "iu" : "u", names };
  try {
    new RegExp(part.whole, translated.flags);
    if (part.partial !== undefined) new RegExp(part.partial, translated.flags);
  } catch {
    refuse("JavaScript can't read it");
  }
  return translated;
}

/** Reads a pattern, and writes it anew. */
class Reader {
  readonly #cursor: Cursor;
  /** The flag `m` is on. */
  readonly #byLine: boolean;
  readonly #names: string[];

  constructor(cursor: Cursor, byLine: boolean, names: string[]) {
    this.#cursor = cursor;
    this.#byLine = byLine;
    this.#names = names;
  }

  choice(): Part {
    const parts = [this.#sequence()];
    while (skip(this.#cursor, "|")) parts.push(this.#sequence());
    return choiceOf(parts);
  }

  #sequence(): Part {
    const parts: Part[] = [];
    const { text } = this.#cursor;
    while (this.#cursor.at < text.length && !/[|)]/.test(text.charAt(this.#cursor.at))) {
      const atom = this.#atom();
      if (atom) parts.push(this.#repeated(atom));
    }
    return parts.length ? inSequence(parts) : place("", "");
  }

  #atom(): Part | undefined {
    const cursor = this.#cursor;
    const char = take(cursor);
    switch (char) {
      case ".":
        return single("[^]");
      case "[":
        return single(readClass(cursor));
      case "(":
        return this.#group();
      case "\\":
        return this.#escape();
      case "^": {
        const start = this.#byLine ? "(?<![^\\n])" : "(?<![^])";
        return place(start, orEnded(start));
      }
      case "$":
        return this.#byLine
          ? { whole: "(?![^\\n])", partial: `(?:(?=\\n)|${ended})`, first: "\\n|$" }
          : { whole: "(?=\\n?(?![^]))", partial: `(?=\\n?${ended})`, first: "\\n|$" };
      case "*":
      case "+":
      case "?":
        return cursor.refuse(`nothing stands before ${char}`);
      default:
        return single(unit(char));
    }
  }

  #escape(): Part {
    const cursor = this.#cursor;
    const letter = take(cursor);
    const known = classes.get(letter.toLowerCase());
    if (known !== undefined) return single(`[${letter === letter.toLowerCase() ? "" : "^"}${known}]`);
    switch (letter) {
      case "":
        return cursor.refuse("a \\ ends it");
      case "A":
        return place("(?<![^])", orEnded("(?<![^])"));
      case "Z":
      case "z":
        return { whole: "(?![^])", partial: ended, first: "$" };
      case "b":
      case "B": {
        const inWord = `[${word}]`;
        const edge = `(?:(?<=${inWord})(?!${inWord})|(?<!${inWord})(?=${inWord}))`;
        const whole = letter === "b" ? edge : `(?!${edge})`;
        return place(whole, `(?:${whole}(?=[^])|${ended})`);
      }
      case "p":
      case "P":
        return single(property(cursor, letter));
    }
    const code = escapedCode(cursor, letter);
    if (code === undefined && /[1-9]/.test(letter))
      return { whole: `(?:\\${letter})`, partial: undefined, first: undefined };
    return code === undefined ? cursor.refuse(`JavaScript has nothing for \\${letter}`) : single(unit(code));
  }

  /** Reads a group; the cursor is behind its `(`. Nothing for a comment. */
  #group(): Part | undefined {
    const cursor = this.#cursor;
    if (skip(cursor, "?#")) {
      const end = cursor.text.indexOf(")", cursor.at);
      if (end < 0) cursor.refuse("a comment has no )");
      cursor.at = end + 1;
      return undefined;
    }
    const names = this.#names;
    if (skip(cursor, "?P=")) {
      const name = /^[^)]*/.exec(cursor.text.slice(cursor.at))?.[0] ?? "";
      cursor.at += name.length + 1;
      if (!names.includes(name)) cursor.refuse(`there is no group ${name}`);
      return { whole: `(?:\\k<${name}>)`, partial: undefined, first: undefined };
    }
    const kind = ["?:", "?=", "?!", "?<=", "?<!"].find((start) => skip(cursor, start));
    if (kind !== undefined) return this.#closed(kind, `(${kind}`);
    const name = /^\?P?<([\p{L}_][\p{L}\p{N}_]*)>/u.exec(cursor.text.slice(cursor.at, cursor.at + 200));
    if (name?.[1] !== undefined) {
      if (names.includes(name[1])) cursor.refuse(`two groups are named ${name[1]}`);
      cursor.at += name[0].length;
      names.push(name[1]);
      return this.#closed("", `(?<${name[1]}>`);
    }
    if (cursor.text[cursor.at] === "?")
      cursor.refuse(`JavaScript has no group (${cursor.text.slice(cursor.at, cursor.at + 2)}`);
    return this.#closed("", "(");
  }

  #closed(kind: string, opener: string): Part {
    const inner = this.choice();
    if (!skip(this.#cursor, ")")) this.#cursor.refuse("a ( has no )");
    const whole = `${opener}${inner.whole})`;
    const looksBack = kind.startsWith("?<");
    if (looksBack || kind === "?!") {
      return place(whole, looksBack ? orEnded(whole) : undefined, looksBack || inner.behind === true);
    }
    return {
      ...inner,
      whole,
      partial: inner.partial === undefined ? undefined : `(${kind || "?:"}${inner.partial})`,
      single: false,
      choice: false,
      run: kind === "?=" ? undefined : inner.run,
    };
  }

  #repeated(atom: Part): Part {
    const cursor = this.#cursor;
    const found = /^(?:[*+?]|\{\d*,\d*\}|\{\d+\})/.exec(cursor.text.slice(cursor.at, cursor.at + 24))?.[0];
    if (found === undefined || found === "{,}") {
      if (/^\{[eids]/.test(cursor.text.slice(cursor.at, cursor.at + 2))) cursor.refuse("JavaScript has no {e}");
      return atom;
    }
    cursor.at += found.length;
    const lazy = skip(cursor, "?") ? "?" : "";
    if (/^[*+?]/.test(cursor.text.slice(cursor.at)))
      cursor.refuse(`JavaScript has no ${found}${lazy}${cursor.text[cursor.at]}`);
    const [least, most] = boundsOf(found);
    if (most < least) cursor.refuse(`${found} must go up`);
    const range = (low: number): string =>
      `{${low},${most === Number.POSITIVE_INFINITY ? "" : most - least + low}}${lazy}`;
    const rest: Part = {
      whole: `${atom.whole}${range(least)}`,
      partial: undefined,
      first: atom.first,
      empty: atom.empty || least === 0,
      behind: atom.behind === true,
      run: atom.single && least < 2 && most === Number.POSITIVE_INFINITY ? atom.whole : undefined,
    };
    // JavaScript takes back a turn that matches nothing, and what that turn has seen of the text.
    if (atom.partial === undefined || (atom.empty && least < most)) return rest;
    // The end is met where the next turn would begin: in the order of a turn more, or a turn less.
    const next = most === least ? "" : lazy ? `(?:|${ended})` : `(?:${ended}|)`;
    // A single character needs no group in its turns, only in those that must be there.
    const turns = atom.single
      ? `${least > 0 ? `${atom.partial}{${least}}` : ""}${atom.whole}${range(0)}`
      : `${atom.partial}${range(least)}`;
    return { ...rest, partial: `${turns}${next}` };
  }
}

function boundsOf(found: string): [number, number] {
  if (found === "*") return [0, Number.POSITIVE_INFINITY];
  if (found === "+") return [1, Number.POSITIVE_INFINITY];
  if (found === "?") return [0, 1];
  const [low = "", high = low] = found.slice(1, -1).split(",");
  return [Number(low), high === "" ? Number.POSITIVE_INFINITY : Number(high)];
}
