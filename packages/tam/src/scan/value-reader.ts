import type { EndOptions } from "@toolglot/core";
import { closesFence, type Source } from "@toolglot/core/text";
import { isLineSpace } from "@toolglot/internal";
import { ExactStream, ValueStream } from "../fields/value.ts";
import { normalizeKey } from "../names.ts";
import type { Draft } from "./draft.ts";
import {
  closerOf,
  type FieldStart,
  familyOf,
  fieldAt,
  isMark,
  isOpening,
  isUndecided,
  leadOf,
  markerAt,
  maxIndentLength,
  separatorBefore,
} from "./marks.ts";
import type { Field, OpenValue } from "./scan.ts";
import { atFence, atMarker, atTextEnd, closeValue, cutValue, setCheckpoint } from "./value-end.ts";

/** What may matter inside a value: runs of delimiters, markers; lines of fences when the block stands in one. */
const marks = /[»》>]{2}|[«《<]{2}|<[ \t]{0,9}\|/g;
const marksOrFence = /[»》>]{2}|[«《<]{2}|<[ \t]{0,9}\||^[ \t]{0,99}(?:`{3}|~{3})/gm;

/** Begins the value of a field. */
export function openValue(draft: Draft, source: Source, { text, separator, opener }: FieldStart): void {
  const { base, at } = source;
  const lead = leadOf(text);
  const key = text.slice(lead);
  const keyStart = base + at;
  const bodyStart = base + opener.end;
  if (draft.fresh) draft.indent = keyStart - draft.lineStart;
  const field: Field = {
    number: draft.scan.fields.length,
    lead: text.slice(0, lead),
    key,
    isName: /^command(?:_?\d+)?$/.test(normalizeKey(key)),
    keyStart,
    keyEnd: keyStart + text.length,
    bodyStart,
    bodyEnd: bodyStart,
    end: bodyStart,
    indent: draft.indent,
    raw: "",
    value: "",
  };
  draft.scan.fields.push(field);
  const run = { start: base + opener.start, end: bodyStart, text: opener.text };
  if (separator === "=") {
    const separatorAt = source.text.lastIndexOf("=", opener.start) + base;
    draft.note("equals-separator", separatorAt, separatorAt + 1);
  }
  // Whether the value begins after three or after four marks depends on its closer: it can't stream.
  const emit = opener.text.length > 3 ? undefined : draft.host.begin(field);
  draft.value = {
    field,
    opener: run,
    family: familyOf(run.text),
    stream: emit && (field.exact ? new ExactStream(bodyStart, emit) : new ValueStream(bodyStart, field.indent, emit)),
    // The name of a tool is no text that could hold fields.
    flat: field.isName || draft.shared.flat.has(bodyStart),
    nested: [],
    bodies: [],
    loose: [],
    asFields: false,
    opens: false,
    candidateIsNear: false,
    ended: false,
    fenceEnded: false,
    started: 0,
  };
  draft.fresh = false;
  source.at = opener.end;
}

/** Reads on inside a value, up to the next place that decides something. */
export function readValue(
  draft: Draft,
  source: Source,
  value: OpenValue,
  end: EndOptions | undefined,
): "more" | undefined {
  const { text, base } = source;
  const { fence } = draft;
  const ended = end !== undefined;
  const pattern = fence ? marksOrFence : marks;
  /** What stands before is dealt with. */
  let seen = source.at;
  pattern.lastIndex = seen;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const at = match.index;
    const mark = text.charAt(at);
    if (match[0].endsWith("|")) {
      const indent = indentBefore(draft, source, at);
      if (indent < 0) continue;
      const marker = markerAt(text, at, ended);
      if (marker === "more") {
        draft.waitsForLine = true;
        return waitAt(draft, source, value, at - indent, true);
      }
      if (!marker) continue;
      if (atMarker(draft, source, value, marker, base + at - indent)) return undefined;
      seen = pattern.lastIndex = marker.next;
    } else if (/[`~ \t]/.test(mark)) {
      if (at === source.at ? !draft.fresh : text.charCodeAt(at - 1) !== 10) continue;
      const lineBreak = text.indexOf("\n", at);
      if (lineBreak < 0 && !ended) {
        if (!/^[ \t]*(?:`+|~+)[ \t\r]*$/.test(text.slice(at, at + 300))) continue;
        return waitAt(draft, source, value, at, true);
      }
      const line = text.slice(at, lineBreak < 0 ? text.length : lineBreak);
      if (fence && closesFence(line, fence) && atFence(draft, source, value, base + at)) return undefined;
    } else {
      const answer = isOpening(mark.charCodeAt(0))
        ? atOpener(draft, source, value, at, ended, pattern)
        : atCloser(draft, source, value, at, ended, pattern);
      if (answer) return answer === "more" ? answer : undefined;
      seen = pattern.lastIndex;
    }
  }
  if (end) {
    atTextEnd(draft, source, value, end);
    return undefined;
  }
  let lastLine = text.length;
  while (lastLine > source.at && text.charCodeAt(lastLine - 1) !== 10) lastLine -= 1;
  if ((draft.fresh || lastLine > source.at) && lastLine >= seen && isUndecided(text, lastLine)) {
    draft.waitsForLine = text.length - lastLine > 300;
    return waitAt(draft, source, value, lastLine, true);
  }
  let hold = text.length;
  while (hold > seen && text.length - hold < 8 && isMark(text.charCodeAt(hold - 1))) hold -= 1;
  const separator = separatorBefore(text, hold, seen);
  if (separator >= 0) hold = separator;
  return waitAt(draft, source, value, hold, false);
}

/** Reads on from an index when more text comes, and emits what stands before. */
function waitAt(draft: Draft, source: Source, value: OpenValue, at: number, fresh: boolean): "more" {
  source.at = at;
  draft.fresh = fresh;
  giveOut(source, value, source.offset);
  return "more";
}

/** Emits the value's text up to an offset, as far as nothing can change it. */
function giveOut(source: Source, { stream, checkpoint, candidate }: OpenValue, end: number): void {
  if (!stream) return;
  if (candidate && candidate.start < end) end = candidate.start;
  if (checkpoint && checkpoint.offset < end) end = checkpoint.offset;
  stream.pass(source, end);
}

/** Returns the length of the white space before an index on its line; -1 when something else stands there, or too much. */
function indentBefore({ fresh }: Draft, { text, at: from }: Source, at: number): number {
  let line = at;
  while (line > from && at - line <= maxIndentLength && isLineSpace(text.charCodeAt(line - 1))) line -= 1;
  const isFirst = line === from ? fresh : text.charCodeAt(line - 1) === 10;
  return isFirst ? at - line : -1;
}

/**
 * Reads opening marks in a value: a field, or what looks like one within a line.
 *
 * ```text
 * content:»»»Write path:»»»a.txt««« first.«««
 *                      ^^^ nested: it needs a closer of its own before the value's counts
 * ```
 */
function atOpener(
  draft: Draft,
  source: Source,
  value: OpenValue,
  at: number,
  ended: boolean,
  pattern: RegExp,
): true | "more" | undefined {
  const { text, base, at: from } = source;
  let runEnd = at + 2;
  while (runEnd < text.length && runEnd - at < 9 && isOpening(text.charCodeAt(runEnd))) runEnd += 1;
  const separator = separatorBefore(text, at, from);
  if (separator < 0) {
    pattern.lastIndex = runEnd;
    return undefined;
  }
  const near = text.slice(Math.max(from, at - 256), at);
  const lineBreak = near.lastIndexOf("\n");
  let line = lineBreak < 0 ? (draft.fresh && near.length === at - from ? from : -1) : at - near.length + lineBreak + 1;
  let first = line;
  if (line >= 0) while (isLineSpace(text.charCodeAt(first))) first += 1;
  let field = line >= 0 && first - line <= maxIndentLength ? fieldAt(text, first, ended) : undefined;
  if (field === "more") return waitAt(draft, source, value, line, true);
  if (field?.opener.start !== at) {
    // Within a line: read as if it were a field of its own, for the opener's sake.
    line = -1;
    if (runEnd === text.length && runEnd - at < 9 && !ended) return waitAt(draft, source, value, separator, false);
    field = fieldAt(`x:${text.slice(at, runEnd)} `, 0, true) as FieldStart | undefined;
    if (!field) {
      pattern.lastIndex = runEnd;
      return undefined;
    }
  }
  const { length } = field.opener.text;
  pattern.lastIndex = at + length;
  if (line >= 0 && value.candidate) return closeValue(draft, source, value, value.candidate);
  const isOwn = (familyOf(field.opener.text) & value.family) !== 0;
  if (value.flat) {
    if (line >= 0) return cutValue(draft, source, value, base + line);
    value.opens ||= isOwn;
    return undefined;
  }
  if (!isOwn && line < 0) return undefined;
  setCheckpoint(value, base + (line < 0 ? separator : line), line >= 0);
  if (!isOwn) return undefined;
  value.opens = true;
  value.nested.push({ body: base + at + length, length });
  value.bodies.push(base + at + length);
  value.asFields ||= line >= 0 && value.started === 0 && draft.host.takes(field.text.slice(leadOf(field.text)));
  return undefined;
}

/** Reads closing marks in a value: they are a closer, and what follows decides what it closes. */
function atCloser(
  draft: Draft,
  source: Source,
  value: OpenValue,
  at: number,
  ended: boolean,
  pattern: RegExp,
): true | "more" | undefined {
  const { text, base } = source;
  let end = at + 2;
  while (end < text.length && isMark(text.charCodeAt(end)) && !isOpening(text.charCodeAt(end))) end += 1;
  if (end === text.length && !ended) {
    const hold = end - at > 16 ? end - 8 : at;
    return waitAt(draft, source, value, hold, draft.fresh && hold === source.at);
  }
  pattern.lastIndex = end;
  if (text.startsWith("<|", end - 1)) {
    const marker = markerAt(text, end - 1, ended);
    if (marker === "more") return waitAt(draft, source, value, at, draft.fresh && at === source.at);
    if (marker) end -= 1;
  }
  const run = closerOf(text, at, end);
  if (!run) return undefined;
  const isOwn = (familyOf(run.text) & value.family) !== 0;
  if (!isOwn && (value.otherFamily || value.nested.length > 0)) return undefined;
  draft.closer = { start: base + run.start, end: base + end, text: run.text };
  source.at = end;
  draft.fresh = false;
  giveOut(source, value, draft.closer.start);
  return true;
}
