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
}

/** The part of variable markers that the block at hand has. */
export interface Variable {
  value?: string;
}

const bar = 0xff5c;
const isBar = (unit: number): boolean => unit === bar || unit === 0x2016 || unit === 124;

/** A marker of white space alone is a line break. */
const folded = (text: string): string =>
  text
    .trim()
    .replace(/\s+/g, " ")
    .replaceAll(/(?<=[>[])(?=<)/g, " ") || "\n";

const made = new WeakMap<object, Mark>();

/** Makes a marker ready; each is made once. */
export function markOf(marker: Marker | VariableMarker): Mark {
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
    };
    made.set(marker, mark);
  }
  return mark;
}

/** As {@link markOf}, for what ends a name: white space before it belongs to it. */
export function nameEndOf(marker: Marker | VariableMarker): Mark {
  const mark = markOf(marker);
  const isSpaced = "text" in marker && /^\s+\S/.test(marker.text);
  return isSpaced ? { ...mark, texts: mark.texts.map((text) => ` ${text}`) } : mark;
}

/** What {@link textAt} and {@link markAt} answer when only more text decides. */
export const more = -1;

/** What was found by the last successful look: it was not written as the table has it; it is another text that is read as it. */
export const last: { looksAlike: boolean; isOther: boolean } = { looksAlike: false, isOther: false };

/**
 * Returns the index behind a mark at an index of a text; 0 when it is not there, {@link more} when the text ends in it. The bars of
 * DeepSeek's tokens may be U+2016, ASCII or doubled, and U+2581 an underscore: that is what copies and tokenizers make of them.
 */
export function markAt(text: string, at: number, mark: Mark, ended: boolean, variable?: Variable): number {
  let undecided = false;
  const { texts } = mark;
  for (let number = 0; number < texts.length; number += 1) {
    const found = textAt(text, at, texts[number] as string, ended, variable);
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

function textAt(text: string, start: number, wanted: string, ended: boolean, variable?: Variable): number {
  let at = start;
  let looksAlike = false;
  let varied: string | undefined;
  for (let index = 0; index < wanted.length; index += 1) {
    const want = wanted.charCodeAt(index);
    if (want === 32) {
      while (isSpace(text.charCodeAt(at))) at += 1;
      continue;
    }
    if (want === 0) {
      const lead = wanted.slice(index + 1, wanted.indexOf("\0", index + 1));
      index += lead.length + 1;
      const known = variable?.value;
      const from = at;
      if (known !== undefined) {
        if (text.length - at < known.length && !ended && known.startsWith(text.slice(at))) return more;
        at += text.startsWith(known, at) ? known.length : 0;
      } else if (text.startsWith(lead, at)) {
        at += lead.length;
        while (at - from < 16 + lead.length && /[A-Za-z0-9]/.test(text.charAt(at))) at += 1;
        if (at >= text.length && !ended) return more;
        if (at === from + lead.length) at = from;
      }
      varied = text.slice(from, at);
      continue;
    }
    if (at >= text.length) return ended ? 0 : more;
    const unit = text.charCodeAt(at);
    if (unit !== want) {
      if (!((want === bar && isBar(unit)) || (want === 0x2581 && unit === 95))) return 0;
      looksAlike = true;
    }
    at += 1;
    if (want === bar && isBar(text.charCodeAt(at))) {
      at += 1;
      looksAlike = true;
    }
  }
  if (variable && varied !== undefined) variable.value ??= varied;
  last.looksAlike = looksAlike;
  return at;
}

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
