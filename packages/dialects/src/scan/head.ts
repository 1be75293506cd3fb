import { headerAt } from "../engines/harmony.ts";
import { behindSpace, type Mark, markAt, more, type Variable } from "./marks.ts";
import { bodyOf, type RowMarks } from "./row-marks.ts";

/** Longer than any opening tag. */
export const maxTagLength = 1000;
/** A name longer than this is none. */
const maxNameLength = 256;

/** A name that the end of the text cut off; a word of a sentence ends in a sign, or stands behind a blank. */
const cutName = /^[\w.:-]{0,99}\w$/;

/** Attributes that the end of the text cut off. */
const cutAttributes =
  /^(?:\s{1,9}[\w:-]{1,100}\s{0,9}=\s{0,9}(?:"[^"<]*"|'[^'<]*'))*\s{0,9}(?:[\w:-]{1,100}\s{0,9}=\s{0,9}(?:"[^"<]*|'[^'<]*)?)?$/;

/** The head of a call: what stands between its opener and its arguments. */
export interface CallHead {
  name: string;
  id: string | undefined;
  /** Of the name. */
  start: number;
  /** Where the arguments begin. */
  end: number;
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

/**
 * Reads a name that is plain text, from an index to the mark that ends it or to what begins the arguments. Undefined where none can be,
 * `"more"` when only more text decides.
 */
export function nameAt(text: string, at: number, marks: RowMarks, ended: boolean): CallHead | "more" | undefined {
  if (marks.isHeader) {
    const header = headerAt(text, at, ended);
    if (!header || header === "more") return header;
    const { recipient, start, end } = header;
    return recipient === undefined ? undefined : { name: recipient, id: undefined, start, end };
  }
  const { nameEnds, idMark, argOpen, callClose, close, row } = marks;
  const start = behindSpace(text, at);
  const body = bodyOf(marks);
  const behind = body === "json" || body === "keyed" ? undefined : [argOpen, callClose, ...close];
  const taken = row.engine === "keyed" ? [] : nameEnds;
  const limit = Math.min(text.length, start + maxNameLength);
  let idStart: number | undefined;
  let nameEnd = 0;
  const head = (end: number, next: number): CallHead | undefined => {
    const name = text.slice(start, idStart === undefined ? end : nameEnd).trim();
    // Where no mark of its own shows that it is a name, several words are prose.
    const isWord = body === "tags" && (!marks.callOpen || next === end);
    if ((isWord ? /[\s<{}"]/ : /[\n<]/).test(name)) return undefined;
    const id = idStart === undefined ? undefined : text.slice(idStart, end).trim();
    return { name, id, start, end: next };
  };
  for (let index = start; index <= limit; index += 1) {
    const unit = text.charCodeAt(index);
    let undecided = false;
    for (const mark of taken) {
      const next = markAt(text, index, mark, ended);
      if (next > 0 && !undecided) return head(index, next);
      undecided ||= next === more;
    }
    if (idMark && idStart === undefined) {
      const next = markAt(text, index, idMark, ended);
      if (next > 0) [nameEnd, idStart] = [index, next];
      undecided ||= next === more;
    }
    if (behind) {
      const next = anyAt(text, index, behind, ended);
      if (next > 0 && body === "tags") return head(index, index);
      // White space alone decides nothing: what ends the name may stand behind it.
      undecided ||= next === more && unit === 60;
    } else if (unit === 123) return head(index, index);
    if (undecided || index >= text.length) return ended ? undefined : "more";
    // No name holds `<` or `[`, and most places of a text are none: they are passed over at once.
    if (unit === 60 || (unit === 91 && index !== nameEnd)) return undefined;
  }
  return undefined;
}

const anyName = /[\w.:-]{1,100}/y;

/** Returns the index behind the header of a run; 0 when there is none, or {@link more}. */
export function headerEndAt(text: string, at: number, { header }: RowMarks, ended: boolean): number {
  if (!header) return 0;
  const start = behindSpace(text, at);
  const [before, behind] = header;
  const begun = text.slice(start, start + before.length);
  if (begun !== before) return !ended && begun.length < before.length && before.startsWith(begun) ? more : 0;
  anyName.lastIndex = start + before.length;
  const name = anyName.exec(text)?.[0].length ?? 0;
  const next = start + before.length + name;
  const rest = text.slice(next, next + behind.length);
  if (rest !== behind) return !ended && rest.length < behind.length && behind.startsWith(rest) ? more : 0;
  return next + behind.length;
}

/** Returns the index behind what ends an opening tag whose attributes begin at an index; 0 when nothing does, or {@link more}. */
export function tagEndAt(text: string, at: number, tagEnd: Mark, ended: boolean): number {
  let quote = "";
  let isAssigned = false;
  for (let index = at; index < at + maxTagLength; index += 1) {
    if (index >= text.length) return ended ? 0 : more;
    const unit = text.charAt(index);
    const end = quote === "" ? markAt(text, index, tagEnd, ended) : 0;
    if (end !== 0) return end;
    if (quote === "" && unit === "<") return 0;
    // A quote that is no value's opens nothing: it would take in the tag's end, and what stands behind it.
    if (quote === unit) quote = "";
    else if (quote === "" && isAssigned && (unit === '"' || unit === "'")) quote = unit;
    isAssigned = unit === "=" || (isAssigned && unit === " ");
  }
  return 0;
}

/** Whether the arguments of a call can begin at an index: 0, a higher number, or {@link more}. */
function bodyAt(text: string, at: number, marks: RowMarks, ended: boolean): number {
  const start = behindSpace(text, at);
  if (start >= text.length) return ended ? 1 : more;
  const body = bodyOf(marks);
  const unit = text.charCodeAt(start);
  if (body === "python") return 1;
  if (body === "json" || body === "keyed") return unit === 123 ? 1 : 0;
  if (unit === 123) return 1;
  return anyAt(text, start, [marks.argOpen, marks.callClose, ...marks.close, ...marks.stops], ended);
}

/** Whether the end of the text cut off the header of a message to a tool. */
const isCutHeader = (text: string, at: number): boolean =>
  /^(?:<\|start\|>assistant)?\s{0,9}(?:<\|channel\|>\s{0,9}\w{1,40}\s{1,9})?to=/.test(text.slice(at, at + 100)) &&
  text.startsWith("<|", at) &&
  headerAt(text, at, false) === "more";

/** Whether a call can begin at an index, behind its wrapper or without one: 0, a higher number, or {@link more}. */
export function callAt(text: string, at: number, marks: RowMarks, ended: boolean): number {
  const start = behindSpace(text, at);
  if (start >= text.length) return ended ? 1 : more;
  const { row } = marks;
  const callOpen = marks.isHeader ? undefined : marks.callOpen;
  const { name } = row.call;
  let next = start;
  if (callOpen) {
    const end = markAt(text, start, callOpen, ended);
    if (end === more) return ended ? 1 : more;
    if (end === 0 && !callOpen.optional) return 0;
    if (end > 0) next = end;
    if (next >= text.length) return ended ? 1 : more;
  } else if (row.list && text.charCodeAt(next) === 91) {
    next = behindSpace(text, next + 1);
    if (next >= text.length) return ended ? 1 : more;
    if (text.charCodeAt(next) === 93) return 1;
  }
  if (marks.asJson && text.charCodeAt(next) === 123) return 1;
  if (name.at === "key" || name.at === "only-key") {
    // Some write the name before the object, all the same.
    const form = name.at === "key" && row.list && marks.close.length > 0 ? /^(?:[\w.:-]{1,100})?\{/ : /^\{/;
    const rest = text.slice(next, next + 102);
    if (form.test(rest)) return 1;
    return /^[\w.:-]{1,100}$/.test(rest) && rest.length < 101 && !ended ? more : 0;
  }
  if (name.at === "attribute") {
    if (next >= text.length) return ended ? 1 : more;
    if (!/\s/.test(text.charAt(next))) return 0;
    const end = tagEndAt(text, next, marks.callEnd, ended);
    if (end > 0) return bodyAt(text, end, marks, ended);
    return end === 0 && ended && cutAttributes.test(text.slice(next, next + maxTagLength)) ? 1 : end;
  }
  const head = nameAt(text, next, marks, ended);
  if (head === "more") return more;
  // A name that the end cut off.
  if (!head && marks.isHeader) return ended && isCutHeader(text, next) ? 1 : 0;
  if (!head) return ended && (start === at || callOpen) && cutName.test(text.slice(next, next + 101)) ? 1 : 0;
  return !/[\p{L}\p{N}_]/u.test(head.name) && !row.call.nameKey ? 0 : bodyAt(text, head.end, marks, ended);
}
