import type { Source } from "@toolglot/core/text";
import { isDressed, isInvisible, isSeen, isUnseen, withoutInvisible } from "@toolglot/internal";

/**
 * Returns a value as a parameter has it, with `\n` line ends. Layout are one line break behind the opener and one in front of the closer,
 * with the closer's indentation, and one blank beside a delimiter. A text of one line loses all its outer white space; one of several
 * lines keeps the rest of it, and each line that is not the key's own loses at most that line's indentation.
 */
export function readValue(raw: string, indent: number): string {
  const lineBreak = raw.indexOf("\n");
  if (lineBreak < 0) return raw.trim();
  const isLaid = lineBreak === 0 || isUnseen(raw.slice(0, lineBreak));
  const start = isLaid ? lineBreak + 1 : 0;
  let end = raw.length;
  while (end > start && raw.charCodeAt(end - 1) !== 10 && !isSeen(raw.charCodeAt(end - 1))) end -= 1;
  if (end > start && raw.charCodeAt(end - 1) === 10) end -= raw.charCodeAt(end - 2) === 13 ? 2 : 1;
  else if (end > start) end = raw.length - (isPad(raw, raw.length - 1, -1) ? 1 : 0);
  const body = withLineFeeds(raw.slice(start, Math.max(start, end)));
  if (!body.includes("\n")) return body.trim();
  const text = isLaid ? body : unpadded(body);
  if (indent === 0) return withoutInvisible(text);
  return withoutInvisible(isLaid ? unindent(`\n${text}`, indent).slice(1) : unindent(text, indent));
}

/** Whether one blank stands at the edge of a text, and no more: the next unit in a direction is no white space. */
const isPad = (text: string, at: number, step: -1 | 1): boolean =>
  text.charCodeAt(at) === 32 && /\S/.test(text.charAt(at + step));

const unpadded = (text: string): string => (isPad(text, 0, 1) ? text.slice(1) : text);

const withLineFeeds = (text: string): string => (text.includes("\r") ? text.replaceAll("\r\n", "\n") : text);

function unindent(text: string, indent: number): string {
  return indent > 0 && text.includes("\n") ? text.replace(new RegExp(`\n[^\\S\n]{1,${indent}}`, "g"), "\n") : text;
}

/** Whether an invisible character stands in the white space around a text. */
export function hasInvisibleEdge(text: string): boolean {
  let first = 0;
  let last = text.length - 1;
  while (first < last && !isSeen(text.charCodeAt(first))) if (isInvisible(text.charCodeAt(first++))) return true;
  while (last >= 0 && !isSeen(text.charCodeAt(last))) if (isInvisible(text.charCodeAt(last--))) return true;
  return false;
}

/** Whether a value of one line stands in what may be no part of it. */
export const isDressedLine = (value: string): boolean => !value.includes("\n") && isDressed(value);

/** Whether lines of a value lose different amounts of white space, so that they are indented otherwise than written. */
export function isUneven(raw: string, indent: number): boolean {
  if (indent === 0) return false;
  const lines = raw.split("\n").slice(1);
  const lost = lines.filter((line) => !isUnseen(line)).map((line) => Math.min(line.search(/\S|$/), indent));
  return new Set(lost).size > 1;
}

/** Emits a value while it comes in: all of it, joined, is what {@link readValue} makes of the whole. */
export class ValueStream {
  readonly #indent: number;
  readonly #emit: (text: string) => void;
  readonly #start: number;
  /** Where the first text that is seen begins; -1 before it. */
  #first = -1;
  /** What stands before is given out; the first text, while it is not known how the value begins. */
  #taken = -1;
  /** After the last text that is seen: white space waits for what follows it. */
  #seen: number;
  /** Up to here the text is known. */
  #looked: number;
  /** Units given out. */
  #sent = 0;
  /** How the value begins if it has several lines, as long as that makes a difference. */
  #lead: string | undefined;

  constructor(start: number, indent: number, emit: (text: string) => void) {
    this.#start = this.#seen = this.#looked = start;
    this.#indent = indent;
    this.#emit = emit;
  }

  /** Emits the text up to an offset. */
  pass(source: Source, end: number): void {
    const from = this.#looked;
    if (end <= from) return;
    const fresh = source.slice(from, end);
    this.#looked = end;
    let last = fresh.length;
    while (last > 0 && !isSeen(fresh.charCodeAt(last - 1))) last -= 1;
    if (last === 0) return;
    const before = this.#seen;
    this.#seen = from + last;
    if (this.#first < 0) this.#begin(source, from, fresh.slice(0, last));
    else if (this.#lead !== undefined && source.slice(before, this.#seen).includes("\n")) this.#give(this.#lead);
    if (this.#lead !== undefined) return;
    const text = this.#taken === from ? fresh.slice(0, last) : source.slice(this.#taken, this.#seen);
    this.#taken = this.#seen;
    this.#give(unindent(withLineFeeds(text), this.#indent));
  }

  /** Emits what is left of a finished value. */
  end(value: string): void {
    this.#give(value.slice(this.#sent));
  }

  /** Begins with the first text: white space before it counts, or does so if another line follows. */
  #begin(source: Source, from: number, text: string): void {
    let first = 0;
    while (!isSeen(text.charCodeAt(first))) first += 1;
    this.#first = this.#taken = from + first;
    const lead = source.slice(this.#start, this.#first);
    const beforeX = (rest: string): string => readValue(lead + rest, this.#indent).split("x", 1)[0] ?? "";
    this.#lead = beforeX("x\nx");
    if (this.#lead === beforeX("x") || text.includes("\n", first)) this.#give(this.#lead);
  }

  #give(text: string): void {
    this.#lead = undefined;
    this.#sent += text.length;
    if (text !== "") this.#emit(text);
  }
}

/** Returns a value whose white space is kept: as it is written, less one line break at either end. */
export const exactValue = (raw: string): string => raw.replace(/^\r?\n/, "").replace(/\r?\n$/, "");

/** Emits a value while it comes in: all of it, joined, is what {@link exactValue} makes of the whole. */
export class ExactStream {
  readonly #emit: (text: string) => void;
  readonly #start: number;
  /** Text before this offset is given out, or layout. */
  #taken: number;
  #sent = 0;

  constructor(start: number, emit: (text: string) => void) {
    this.#start = this.#taken = start;
    this.#emit = emit;
  }

  /** Emits the text up to an offset, but for a line break that may be the last. */
  pass(source: Source, end: number): void {
    let text = source.slice(this.#taken, end);
    if (this.#taken === this.#start) {
      if (text === "\r") return;
      const layout = /^\r?\n/.exec(text)?.[0].length ?? 0;
      this.#taken += layout;
      text = text.slice(layout);
    }
    text = text.replace(/\r?\n$|\r$/, "");
    this.#taken += text.length;
    this.#give(text);
  }

  /** Emits what is left of a finished value. */
  end(value: string): void {
    this.#give(value.slice(this.#sent));
  }

  #give(text: string): void {
    this.#sent += text.length;
    if (text !== "") this.#emit(text);
  }
}
