import { matchAt } from "@toolglot/internal";

/** Letters, digits and joiners of words, as the inside of a JavaScript class with the flag `u`. */
export const word = "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\u200c\\u200d";

/** What the classes of Python patterns hold: as in Unicode. */
const classes: Readonly<Record<string, string>> = { d: "\\p{Nd}", s: "\\p{White_Space}", w: word };

/** A pattern, or a part of one. */
export interface Part {
  /** What matches it. */
  whole: string;
  /**
   * What matches it in a text that may go on: where the text ends too early, an empty group is set, and all the rest matches. Which of the
   * two comes first is decided in the order in which the pattern itself would be tried. Undefined when JavaScript can't say that.
   */
  partial: string | undefined;
  /** What its matches begin with, also cut off at the end of the text, if not with nothing at all; undefined when that may be anything. */
  first: string | undefined;
  /** It may match nothing. */
  empty?: boolean | undefined;
  /** It is one character. */
  single?: boolean;
  /** It begins with any number of this character: where it fails, it fails at each of them. */
  run?: string | undefined;
  /** Of a few characters, those that it may begin with, and those that may follow a match and belong to a longer one. */
  begins: string;
  goesOn: string;
  /**
   * How often the end of a part is no matter of the next character: each may cost the length of a text once more. A choice that the next
   * character does not make counts a little.
   */
  doubts: number;
}

/** The end of the text so far, as an empty group that is set there. */
const ended = "$()";

const meet = (one: string, other: string): boolean => [...one].some((char) => other.includes(char));

/** What stands at a place, and takes no character. */
const place = (whole: string, partial: string | undefined, first: string | undefined = ""): Part => ({
  whole,
  partial,
  first,
  empty: first === "",
  begins: "",
  goesOn: "",
  doubts: 0,
});

const single = (source: string, begins: string): Part => ({
  ...place(source, `(?:${source}|${ended})`, source),
  single: true,
  begins,
});

/** Returns a character as a pattern writes it, in a class and outside. */
const unit = (char: string): string =>
  /[\w <>"':,]/.test(char) ? char : `\\u{${(char.codePointAt(0) as number).toString(16)}}`;

function inSequence(parts: readonly Part[]): Part {
  const [head] = parts;
  const solid = parts.findIndex((part) => !part.empty);
  const made = joined(parts, "", parts.slice(0, solid + 1 || undefined));
  // A fixed beginning is looked for as a whole.
  for (const part of head?.single ? parts.slice(1) : []) {
    if (!part.single) break;
    made.first += `(?:${part.whole}|$)`;
  }
  made.begins = made.goesOn = "";
  let begins = true;
  for (const part of parts) {
    if (meet(made.goesOn, part.begins)) made.doubts += 1;
    const passes = part.empty || part.begins === "";
    made.goesOn = (passes ? made.goesOn : "") + part.goesOn;
    if (begins) made.begins += part.begins;
    begins &&= passes;
  }
  return { ...made, run: head?.run, empty: solid < 0 };
}

/** Returns a pattern that matches what the first of several patterns matches. */
function choiceOf(parts: readonly Part[]): Part {
  const [only] = parts;
  if (parts.length === 1 && only) return only;
  const made = joined(parts, "|", parts);
  const isOpen = new Set(made.begins).size < made.begins.length;
  return {
    ...made,
    partial: made.partial && `(?:${made.partial})`,
    empty: parts.some((part) => part.empty),
    doubts: made.doubts + (isOpen ? 0.01 : 0),
  };
}

/** What parts are together; `heads` are those that a match may begin with. */
function joined(parts: readonly Part[], between: string, heads: readonly Part[]): Part {
  const partials = parts.map((part) => part.partial);
  const firsts = heads.map((part) => part.first);
  const all = (key: "whole" | "begins" | "goesOn", glue = ""): string => parts.map((part) => part[key]).join(glue);
  return {
    whole: all("whole", between),
    partial: partials.includes(undefined) ? undefined : partials.join(between),
    first: firsts.includes(undefined) ? undefined : [...new Set(firsts)].filter(Boolean).join("|"),
    begins: all("begins"),
    goesOn: all("goesOn"),
    doubts: parts.reduce((sum, { doubts }) => sum + doubts, 0),
  };
}

/** A pattern as it was translated. */
export interface Translated extends Part {
  /** `u`, and `i` where the pattern has it. */
  flags: string;
  /** Names of its groups. */
  names: string[];
}

const escapeForm = String.raw`\\(?:x[\da-fA-F]{2}|u[\da-fA-F]{4}|[pP]\{[^{}]*\}|[^])`;
const escapes = new RegExp(`${escapeForm}|[^]`, "uy");
const classForm = new RegExp(`(\\^?)(\\]?(?:${escapeForm}|(?!\\[:)[^\\]\\\\])*)\\]`, "uy");
const groupForm = /\?(?:P?<([\p{L}_][\p{L}\p{N}_]*)>|P=([^)]*)\)|[:=!])/uy;
const endless = "a repetition that the next character does not end";
const quantifier = /[*+?]|\{(?!,?\})\d*,?\d*\}/y;
const counts: Readonly<Record<string, string>> = { "*": "0,", "+": "1,", "?": "0,1" };

/**
 * Translates a pattern of Python's `regex` module, with DOTALL on.
 *
 * @throws TypeError for a pattern that is none, for what JavaScript has no form for, and for what no template needs: looking back, `\b`, `\B`,
 * `\U`, numbers of groups, comments, `(?m)`, `\W` in a class; and for a repeated group whose turns can be split in several ways, which
 * may take very long. `where` begins its message.
 */
export function translatePattern(source: string, where: string, most: number): Translated {
  const refuse = (what: string): never => {
    throw new SyntaxError(`${what} is not read`);
  };
  const flags = /^(?:\(\?[isu]+\))*/.exec(source)?.[0] ?? "";
  const names: string[] = [];
  const mode = flags.includes("i") ? "iu" : "u";
  const samples = [...new Set(`${source}é${String.fromCharCode(...Array(128).keys())}`)];
  let at = flags.length;

  const read = (form: RegExp): RegExpExecArray | null => {
    const found = matchAt(form, source, at);
    at += found?.[0].length ?? 0;
    return found;
  };
  const one = (form: string): Part =>
    single(form, samples.filter((char) => new RegExp(form, mode).test(char)).join(""));

  /** Returns what an escapeForm stands for, in a class or outside. */
  const escaped = (text: string, inClass: boolean): string => {
    const letter = text.charAt(1);
    const known = classes[letter.toLowerCase()];
    if (known) {
      if (letter === letter.toLowerCase()) return inClass ? known : `[${known}]`;
      if (inClass && letter === "W") refuse("\\W in a class");
      return inClass ? known.replace("p", "P") : `[^${known}]`;
    }
    // These mean the same to JavaScript.
    if (text.length > 3 || /[fnrtv0]/.test(letter) || (inClass && letter === "b")) return text;
    return /\w/.test(letter) || text.length < 2 ? refuse(text) : unit(text.slice(1));
  };

  const atom = (): Part => {
    const text = read(escapes)?.[0] as string;
    switch (text) {
      case ".":
        return one("[^]");
      case "[": {
        const [, not, inner = ""] = read(classForm) ?? refuse("[");
        const items = inner.replace(new RegExp(escapes, "gu"), (item) =>
          item.length > 1 && item.startsWith("\\") ? escaped(item, true) : item === "-" ? item : unit(item),
        );
        return one(`[${not}${items}]`);
      }
      case "(":
        return group();
      case "^":
      case "\\A":
        return place("(?<![^])", `(?:${ended}|(?<![^]))`);
      case "$":
        return place("(?=\\n?(?![^]))", `(?=\\n?${ended})`, "\\n|$");
      case "\\Z":
        return place("(?![^])", ended, "$");
    }
    if (/^[*+?]$/.test(text)) refuse(`${text} behind nothing`);
    return one(text.startsWith("\\") ? escaped(text, false) : unit(text));
  };

  const group = (): Part => {
    const [kind = "", name, known] = read(groupForm) ?? [];
    if (known) return { ...place(`(?:\\k<${known}>)`, undefined, undefined), begins: samples.join("") };
    if (kind === "" && source[at] === "?") refuse(`(${source.slice(at, at + 3)}`);
    if (name) names.push(name);
    const inner = choice();
    // Its closing bracket, or the end: then the brackets don't match.
    at += 1;
    const whole = `(${name ? `?<${name}>` : kind || "?:"}${inner.whole})`;
    if (kind === "?!") return place(whole, undefined);
    const looks = kind === "?=";
    return {
      ...inner,
      whole,
      partial: inner.partial && `(${looks ? kind : "?:"}${inner.partial})`,
      single: false,
      ...(looks && { run: undefined, begins: "", goesOn: "" }),
    };
  };

  const repeated = (item: Part): Part => {
    const text = read(quantifier)?.[0];
    if (!text) {
      if (/^\{[eids]/.test(source.slice(at, at + 2))) refuse("{e}");
      return item;
    }
    const [low = "", high = low] = (counts[text] ?? text.slice(1, -1)).split(",");
    const least = Number(low);
    const most = high === "" ? Infinity : Number(high);
    const lazy = source[at] === "?" ? "?" : "";
    at += lazy.length;
    if (most > 1 && (item.doubts || item.empty || meet(item.goesOn, item.begins))) refuse(endless);
    const range = (from: number): string => `{${from},${most === Infinity ? "" : most - least + from}}${lazy}`;
    // The end is met where the next turn would begin: in the order of a turn more, or a turn less.
    const next = most === least ? "" : lazy ? `(?:|${ended})` : `(?:${ended}|)`;
    // A single character needs no group in its turns, only in those that must be there.
    const turns = item.single
      ? `${least > 0 ? `${item.partial}{${least}}` : ""}${item.whole}${range(0)}`
      : `${item.partial}${range(least)}`;
    return {
      ...item,
      whole: `${item.whole}${range(least)}`,
      // JavaScript takes back a turn that matches nothing, and what that turn has seen of the text.
      partial: item.partial === undefined || (item.empty && least < most) ? undefined : turns + next,
      empty: item.empty || least === 0,
      single: false,
      run: item.single && least < 2 && most === Infinity ? item.whole : undefined,
      goesOn: least < most ? item.goesOn + item.begins : item.goesOn,
    };
  };

  const sequence = (): Part => {
    const parts: Part[] = [];
    while (at < source.length && !/[|)]/.test(source.charAt(at))) parts.push(repeated(atom()));
    return inSequence(parts);
  };

  const choice = (): Part => {
    const parts = [sequence()];
    for (; source[at] === "|"; parts.push(sequence())) at += 1;
    return choiceOf(parts);
  };

  try {
    const part = choice();
    if (part.doubts >= most + 1) refuse(endless);
    if (at !== source.length) refuse("a bracket");
    const translated = { ...part, flags: mode, names };
    new RegExp(part.whole + (part.partial ?? ""), translated.flags);
    return translated;
  } catch (error) {
    throw new TypeError(`${where}: ${(error as Error).message}, in the pattern ${JSON.stringify(source)}`);
  }
}
