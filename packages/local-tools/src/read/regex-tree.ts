/** A part of a regular expression, as `readRegex` reads it. `i`: case does not count there. */
export type Regex =
  | { kind: "char"; code: number; i: boolean; isEscape: boolean }
  | { kind: "dot"; all: boolean }
  | { kind: "set"; set: CharSet }
  | { kind: "at"; place: Place; ascii: boolean }
  | { kind: "group"; body: Regex; name: string | undefined; captures: boolean }
  | { kind: "look"; sign: "?=" | "?!" | "?<=" | "?<!"; body: Regex }
  | { kind: "same"; group: string }
  | { kind: "repeat"; body: Regex; min: number; max: number; isLazy: boolean }
  | { kind: "all" | "any"; parts: Regex[] };

/** `^` and `$` of lines, `\A` and `\z` of the text, edges of words and what is none (`\B`), and one side of an edge. */
export type Place = "^" | "$" | "\\A" | "\\z" | "\\b" | "\\B" | "\\<" | "\\>" | "start-half" | "end-half";

/** A set of characters. `shorthand`: `w`, `d` or `s`, which know all scripts unless `ascii`. */
export type CharSet =
  | { kind: "range"; from: number; to: number; i: boolean }
  | { kind: "shorthand"; name: "w" | "d" | "s"; ascii: boolean; negated: boolean }
  | { kind: "property"; source: string; i: boolean }
  | { kind: "union"; sets: CharSet[]; negated: boolean }
  | { kind: "&&" | "--" | "~~"; left: CharSet; right: CharSet };
