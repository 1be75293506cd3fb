import { isSpace } from "@toolglot/internal";
import type { Marker, VariableMarker } from "../table/types.ts";

/** A marker, ready to be looked for. */
export interface Mark {
  /** Without outer white space; a space stands for any white space or none, U+0000 on both sides of its lead for the part that varies. */
  readonly texts: readonly string[];
  readonly special: boolean;
  readonly optional: boolean;
  /** It is read, and never written. */
  readonly unwritten: boolean;
  /** So many of the texts are its own; the others are slips. */
  readonly ownTexts: number;
  /** It counts at the start of a line only. */
  readonly lineStart: boolean;
  readonly look: LookForText;
}

/** The part of variable markers that the block at hand has. */
export interface Variable {
  value?: string;
}

/** A marker of white space alone is a line break. */
const folded = (text: string): string =>
  text
    .trim()
    .replace(/\s+/g, " ")
    .replaceAll(/(?<=[>[])(?=<)/g, " ") || "\n";

const made = new WeakMap<object, Mark>();

/** Makes a marker ready; each is made once. `look`: of markers whose texts are more than themselves. */
export function markOf(marker: Marker | VariableMarker, look: LookForText = textAt): Mark {
  let mark = made.get(marker);
  if (!mark) {
    const written = "text" in marker ? marker.text : `${marker.prefix}\0${marker.lead ?? ""}\0${marker.suffix}`;
    const others = "text" in marker ? (marker.lookAlikes ?? []) : [];
    // A fence before a special token may be missing.
    const own = /^\s*```</.test(written) ? [written, written.replace(/^\s*```/, "")] : [written];
    const { special = false, optional = false, unwritten = false } = marker;
    const lineStart = "lineStart" in marker && marker.lineStart === true;
    mark = {
      texts: [...own, ...others].map(folded),
      special,
      optional,
      unwritten,
      ownTexts: own.length,
      lineStart,
      look,
    };
    made.set(marker, mark);
  }
  return mark;
}

/** As {@link markOf}, for what ends a name: white space before it belongs to it. */
export function nameEndOf(marker: Marker | VariableMarker, look?: LookForText): Mark {
  const mark = markOf(marker, look);
  const isSpaced = "text" in marker && /^\s+\S/.test(marker.text);
  return isSpaced ? { ...mark, texts: mark.texts.map((text) => ` ${text}`) } : mark;
}

/** What {@link markAt} answers when only more text decides. */
export const more = -1;

/** What was found by the last successful look: it was not written as the table has it; it is another text that is read as it. */
export const last: { looksAlike: boolean; isOther: boolean } = { looksAlike: false, isOther: false };

/**
 * Returns the index behind a mark at an index of a text; 0 when it is not there, {@link more} when the text ends in it.
 */
export function markAt(text: string, at: number, mark: Mark, ended: boolean, variable?: Variable): number {
  let undecided = false;
  const { texts, look } = mark;
  for (let number = 0; number < texts.length; number += 1) {
    const found = look(text, at, texts[number] as string, ended, variable);
    if (found === more) undecided = true;
    else if (found > 0) {
      // One that is longer, and comes first.
      if (undecided) return more;
      last.isOther = number >= mark.ownTexts;
      last.looksAlike ||= last.isOther;
      return found;
    }
  }
  return undecided ? more : 0;
}

/** Looks for one text of a mark at an index: answers as {@link markAt}. */
export type LookForText = (text: string, start: number, wanted: string, ended: boolean, variable?: Variable) => number;

const textAt: LookForText = (text, start, wanted, ended) => {
  let at = start;
  for (let index = 0; index < wanted.length; index += 1) {
    const want = wanted.charCodeAt(index);
    if (want === 32) {
      while (isSpace(text.charCodeAt(at))) at += 1;
      continue;
    }
    if (at >= text.length) return ended ? 0 : more;
    if (text.charCodeAt(at) !== want) return 0;
    at += 1;
  }
  last.looksAlike = false;
  return at;
};

/** Returns the index of the first unit at or behind an index that is no white space. */
export function behindSpace(text: string, at: number): number {
  let next = at;
  while (isSpace(text.charCodeAt(next))) next += 1;
  return next;
}

/** Returns the index behind the first of several marks at an index, white space before it apart; 0, or {@link more}. */
export function anyAt(
  text: string,
  at: number,
  marks: readonly (Mark | undefined)[],
  ended: boolean,
  variable?: Variable,
): number {
  const start = behindSpace(text, at);
  let undecided = false;
  for (const mark of marks) {
    const found = mark ? markAt(text, start, mark, ended, variable) : 0;
    if (found > 0) return found;
    undecided ||= found === more;
  }
  return undecided ? more : 0;
}
