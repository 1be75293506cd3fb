import { anyAt, behindSpace, type Mark, markAt, more } from "./marks.ts";
import { bodyOf, type RowMarks } from "./row-marks.ts";

/** Longer than any opening tag. */
export const maxTagLength = 1000;

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
export function bodyAt(text: string, at: number, marks: RowMarks, ended: boolean): number {
  const start = behindSpace(text, at);
  if (start >= text.length) return ended ? 1 : more;
  const body = bodyOf(marks);
  const unit = text.charCodeAt(start);
  if (body === "python") return 1;
  if (body === "json" || body === "keyed") return unit === 123 ? 1 : 0;
  if (unit === 123) return 1;
  return anyAt(text, start, [marks.argOpen, marks.callClose, ...marks.close, ...marks.stops], ended);
}

/** Whether a call can begin at an index, behind its wrapper or without one: 0, a higher number, or {@link more}. */
export function callAt(text: string, at: number, marks: RowMarks, ended: boolean): number {
  const start = behindSpace(text, at);
  if (start >= text.length) return ended ? 1 : more;
  const { row, isHeader, names } = marks;
  const callOpen = isHeader ? undefined : marks.callOpen;
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
  return names.callAt(text, next, marks, ended, start === at || callOpen !== undefined);
}
