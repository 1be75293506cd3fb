import { isDressed, isLineSpace } from "@toolglot/internal";

const space = "[^\\S\\n]{0,32}";
/** What a key is made of: no line breaks, separators or delimiters, and nothing that sentences and code end with. */
const keyUnit = "[^\\n:：=«»《》<>(){};,，。；（）|]";
const field = new RegExp(`(${keyUnit}{1,100})([:：=])${space}([»》>]{2,9})`, "y");
const unfinishedField = new RegExp(`${keyUnit}{0,100}(?:[:：=]${space}[»》>]{0,8})?$`, "y");

const keyBefore = new RegExp(`${keyUnit}{1,100}`, "y");

const gap = "[ \\t]{0,9}";
/** Returns what matches a marker, by the words of its name. */
export const markerPattern = (name: string): string => `<${gap}\\|${gap}\\[${gap}${name}_tool${gap}\\]${gap}\\|${gap}>`;
const marker = new RegExp(`${markerPattern("(?:(request)|end)")}([ \\t\\r]*)(\\n|$)`, "iy");
const unfinishedMarker = /^<[ \t]*(?:\|[ \t|[\]\w>]{0,80})?$/;

/** A run of delimiters. Offsets are those of the text it was found in. */
export interface Run {
  start: number;
  end: number;
  text: string;
}

/** A key with its separator and the delimiter that opens its value. */
export interface FieldStart {
  /** The key, and signs before it. */
  text: string;
  separator: string;
  opener: Run;
}

/**
 * Returns the length of the delimiter at the beginning of a run, 0 when there is none. A delimiter is two to four marks, of one kind
 * or a mixture; three or more of one kind are taken apart from other marks beside them, which are the value's.
 */
function delimiterLength(run: string): number {
  let same = 1;
  while (same < run.length && run.charAt(same) === run.charAt(0)) same += 1;
  const length = same > 2 ? same : run.length;
  return length < 2 || length > 4 ? 0 : length;
}

/** Returns the closing delimiter at the end of a run of closing marks. */
export function closerOf(text: string, start: number, end: number): Run | undefined {
  if (end - start > 8) start = end - 8;
  const run = text.slice(start, end);
  const length = run === "«««" ? 3 : delimiterLength(mirror(run));
  return length > 0 ? { start: end - length, end, text: run.slice(-length) } : undefined;
}

/** Returns the opening delimiter that a closing one answers. */
export function mirror(run: string): string {
  let mirrored = "";
  for (const mark of run) mirrored = (mark === "«" ? "»" : mark === "《" ? "》" : ">") + mirrored;
  return mirrored;
}

/** Families of marks as bits, since a mixture is of several: guillemets, their look-alikes of East Asia, angles. */
export function familyOf(run: string): number {
  let family = 0;
  for (let at = 0; at < run.length; at += 1) {
    const code = run.charCodeAt(at);
    family |= code > 0x3000 ? 2 : code > 0x80 ? 1 : 4;
  }
  return family;
}

/** Returns the field that begins at an index; `"more"` when more text decides. */
export function fieldAt(text: string, at: number, ended: boolean): FieldStart | "more" | undefined {
  if (text.charCodeAt(at) === 35) return undefined;
  field.lastIndex = at;
  const match = field.exec(text);
  if (!match) {
    unfinishedField.lastIndex = at;
    return !ended && unfinishedField.test(text) ? "more" : undefined;
  }
  const [all, key = "", separator = "", run = ""] = match;
  const end = at + all.length;
  if (end === text.length && !ended && run.length < 9) return "more";
  const length = run === "»»»" ? 3 : delimiterLength(run);
  if (length === 0 || !/[\p{L}\p{N}]/u.test(key)) return undefined;
  const start = end - run.length;
  return { text: key.trimEnd(), separator, opener: { start, end: start + length, text: run.slice(0, length) } };
}

/** Returns how many units of what stands before a separator are no part of the key: it is a name, bare or in quotes or emphasis. */
export function leadOf(text: string): number {
  if (/^\w/.test(text)) return 0;
  const list = /^[^\p{L}\p{N}]\s+/u.exec(text)?.[0].length ?? 0;
  if (isDressed(text.slice(list))) return list;
  return /^[^\p{L}\p{N}_]+/u.exec(text)?.[0].length ?? 0;
}

/** Whether a field that lost its opener, or part of it, may begin at an index; `"more"` when more text decides. */
export function looksLikeField(text: string, at: number, opener: string, ended: boolean): boolean | "more" {
  keyBefore.lastIndex = at;
  const { length } = keyBefore.exec(text)?.[0] ?? "";
  const after = text.charAt(at + length);
  if (after === "" && length < 100 && !ended) return "more";
  return after !== "" && (/[:：=]/.test(after) || opener.includes(after));
}

/** A start or end marker at an index, with nothing after it on its line; `end` without white space, `next` past the line. */
export interface Marker {
  isStart: boolean;
  end: number;
  next: number;
}

/** Returns the marker at an index; `"more"` when more text decides. */
export function markerAt(text: string, at: number, ended: boolean): Marker | "more" | undefined {
  marker.lastIndex = at;
  const match = marker.exec(text);
  if (!match) return !ended && unfinishedMarker.test(text.slice(at, at + 82)) ? "more" : undefined;
  const [all, request, blank = "", lineBreak = ""] = match;
  if (lineBreak === "" && !ended) return "more";
  const next = at + all.length;
  return { isStart: request !== undefined, end: next - lineBreak.length - blank.length, next };
}

/** Whether a text that the end cut off may have become an end marker. */
export function isCutEndMarker(text: string): boolean {
  return "<|[end_tool]|>".startsWith(text.replace(/\s/g, "").toLowerCase());
}

/** Whether more text may make a field or a marker of an unfinished line. */
export function isUndecided(text: string, lineStart: number): boolean {
  let at = lineStart;
  while (at < text.length && isLineSpace(text.charCodeAt(at))) at += 1;
  if (at - lineStart > maxIndentLength) return false;
  if (at === text.length) return true;
  return text.charCodeAt(at) === 60 ? markerAt(text, at, false) === "more" : fieldAt(text, at, false) === "more";
}

/** A line indented further opens no field and holds no marker, when it stands in a value. */
export const maxIndentLength = 99;

/** Whether a unit is part of a delimiter. */
export function isMark(code: number): boolean {
  return isOpening(code) || code === 60 || code === 0xab || code === 0x300a;
}

/** Whether a unit is part of an opening delimiter. */
export function isOpening(code: number): boolean {
  return code === 62 || code === 0xbb || code === 0x300b;
}

/** Returns the index of a separator that only blanks stand between and an index; -1 when there is none after `from`. */
export function separatorBefore(text: string, at: number, from: number): number {
  let colon = at - 1;
  while (colon >= from && at - colon < 34) {
    const code = text.charCodeAt(colon);
    if (code === 58 || code === 61 || code === 0xff1a) return colon;
    if (!isLineSpace(code)) break;
    colon -= 1;
  }
  return -1;
}
