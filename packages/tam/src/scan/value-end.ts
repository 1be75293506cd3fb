import type { EndOptions } from "@toolglot/core";
import { closesFence, isCutOff, type Source } from "@toolglot/core/text";
import { exactValue, readValue } from "../fields/value.ts";
import { type Draft, isStopped } from "./draft.ts";
import { findSwallowed } from "./field-doubts.ts";
import { familyOf, fieldAt, isCutEndMarker, looksLikeField, type Marker, markerAt, mirror, type Run } from "./marks.ts";
import type { OpenValue } from "./scan.ts";

// Where a value ends, and what happens when that is in doubt.
//
// A value ends at a closer of its own family that is followed by what may follow a value: a field, a comment, a marker, a
// fence, the end. Openers inside a value count: as many closers belong to them. When the text shows that they never
// balance, reading rolls back to the first of them (the checkpoint), and from there on they are taken for fields (`flat`).
// Where an opener without a match stands is remembered, so that none is read a third time. Text before a checkpoint is
// final, and streams.

/** Reads on after a closer: what follows it decides whether it ends the value. */
export function readAfterCloser(
  draft: Draft,
  source: Source,
  value: OpenValue,
  closer: Run,
  end: EndOptions | undefined,
): "more" | undefined {
  const hasMore = draft.skipSpace(source);
  if (!hasMore && !end) return "more";
  // At the end of a text without an end marker, a closer shorter than its opener was cut itself.
  const isCut = closer.text.length < value.opener.text.length;
  const follows = hasMore ? mayFollow(draft, source, end !== undefined) : !isCut || isStopped(end);
  if (follows === "more") return "more";
  const maybeField = follows ? false : looksLikeField(source.text, source.at, value.opener.text, end !== undefined);
  if (maybeField === "more") return "more";
  draft.closer = undefined;
  const verdict = judgeCloser(value, closer, follows, maybeField, source);
  if (verdict === "ends") closeValue(draft, source, value, closer);
  else if (verdict === "again") rollBack(draft, source, value);
  else if (draft.fresh) source.seek(draft.lineStart);
  return undefined;
}

/** Whether the text from here on may follow a value: a lookahead. */
function mayFollow(draft: Draft, source: Source, ended: boolean): boolean | "more" {
  const { text, at } = source;
  const { fresh, fence } = draft;
  const mark = text.charAt(at);
  if (mark === "#" && fresh) return true;
  if (mark === "<") {
    const marker = markerAt(text, at, ended);
    if (marker === "more") {
      draft.waitsForLine = true;
      return "more";
    }
    if (!marker) return ended && isCutEndMarker(text.slice(at, at + 40));
    return fresh || !marker.isStart;
  }
  if ((mark === "`" || mark === "~") && fresh) {
    const lineBreak = text.indexOf("\n", at);
    const line = text.slice(at, lineBreak < 0 ? at + 300 : lineBreak);
    if (lineBreak < 0 && !ended && /^(?:`+|~+)[ \t\r]*$/.test(line)) {
      draft.waitsForLine = true;
      return "more";
    }
    if ((lineBreak >= 0 || ended) && closesFence(line, fence ?? { mark, length: 3 })) return true;
  }
  const field = fieldAt(text, at, ended);
  return field === "more" ? field : field !== undefined;
}

/** Returns what a closer is. `again`: the end, but the openers in the value are rather fields. */
function judgeCloser(
  value: OpenValue,
  closer: Run,
  follows: boolean,
  maybeField: boolean,
  source: Source,
): "ends" | "again" | "data" {
  if ((familyOf(closer.text) & value.family) === 0) {
    if (follows && !value.otherFamily) {
      value.otherFamily = closer;
      setCheckpoint(value, closer.start, false);
    }
    return "data";
  }
  if (value.field.isName) return "ends";
  const top = value.nested.at(-1);
  if (top) {
    if (!follows && top.length !== closer.text.length) return "data";
    value.nested.pop();
    if (!follows) value.loose.push(top.body);
    return "data";
  }
  if (follows) return value.asFields && !value.flat ? "again" : "ends";
  const answers = mirror(closer.text) === value.opener.text;
  if (!answers || (!value.flat && (value.ended || value.started > 0 || value.fenceEnded))) return "data";
  value.candidate = closer;
  if (maybeField) value.beforeField ??= closer;
  value.candidateIsNear = !/\n\s*\n/.test(source.slice(closer.end, source.offset));
  return "data";
}

/** From an offset on, everything depends on what follows: reading may have to come back here. */
export function setCheckpoint(value: OpenValue, offset: number, fresh: boolean): void {
  value.checkpoint ??= { offset, fresh };
}

/** Reads a marker on a line of its own in a value: true when the value ends before it, or reading rolls back. */
export function atMarker(draft: Draft, source: Source, value: OpenValue, { isStart }: Marker, line: number): boolean {
  if (value.flat) return cutValue(draft, source, value, line);
  if (isStart) {
    if (value.ended || value.candidate) return rollBack(draft, source, value);
    value.started += 1;
  } else if (value.started > 0) value.started -= 1;
  else value.ended = true;
  setCheckpoint(value, line, true);
  return false;
}

/** Reads a line in a value that closes the block's fence: true when the value ends before it. */
export function atFence(draft: Draft, source: Source, value: OpenValue, line: number): boolean {
  // An end marker is known to come.
  if (value.flat) return value.ended ? false : cutValue(draft, source, value, line);
  value.fenceEnded = true;
  setCheckpoint(value, line, true);
  return false;
}

/** Handles the end of the text inside a value. */
export function atTextEnd(draft: Draft, source: Source, value: OpenValue, end: EndOptions): void {
  const { scan } = draft;
  if (isCutOff(end) || (value.started > 0 && isStopped(end))) {
    // What looks like the block's end, or like another block, may be the value's.
    value.candidate = value.otherFamily = undefined;
    scan.cut = true;
  }
  if (scan.cut || value.flat || !value.checkpoint) cutValue(draft, source, value, source.length);
  else {
    draft.doubtful ||= !value.ended;
    rollBack(draft, source, value);
  }
}

/**
 * Reads the value again from its checkpoint, since no closer balances the openers in it; openers at the start of a line are
 * fields now.
 *
 * ```text
 * path:»»»a.txt              no closer
 * content:»»»hello«««        reading comes back to this line: the value of "path" ends before it
 * <|[END_TOOL]|>
 * ```
 */
function rollBack(draft: Draft, source: Source, value: OpenValue): true {
  if (value.candidate) return closeValue(draft, source, value, value.candidate);
  const { flat } = draft.shared;
  for (const body of value.asFields ? value.bodies : value.loose) flat.add(body);
  for (const { body } of value.nested) flat.add(body);
  const { offset, fresh } = value.checkpoint ?? { offset: source.offset, fresh: false };
  value.flat = true;
  value.opens = false;
  value.nested = [];
  value.otherFamily = value.checkpoint = undefined;
  source.seek(offset);
  draft.fresh = fresh;
  return true;
}

/** Ends a value that has no closer, at an offset, or at a closer of another family. */
export function cutValue(draft: Draft, source: Source, value: OpenValue, end: number): true {
  const closer = value.candidate ?? value.otherFamily;
  if (closer) return closeValue(draft, source, value, closer);
  const { field, opener } = value;
  draft.delimiter(opener, "»»»");
  // White space in front of the next field is not the value's.
  endField(draft, source, value, field.bodyStart + source.slice(field.bodyStart, end).trimEnd().length);
  field.end = field.bodyEnd;
  draft.scan.end = field.end;
  draft.lastEnd = { isUnclosed: true };
  draft.note("unclosed-value", opener.start, field.end);
  source.seek(end);
  draft.fresh = true;
  draft.lineStart = end;
  return true;
}

/** Ends the value at a closer. */
export function closeValue(draft: Draft, source: Source, value: OpenValue, run: Run): true {
  const { field, opener, candidate } = value;
  draft.delimiter(opener, "»»»");
  draft.delimiter(run, "«««");
  const closer = trimDelimiters(source, value, run);
  endField(draft, source, value, closer.start);
  draft.scan.end = field.end = closer.end;
  if (mirror(closer.text) !== opener.text) draft.unevenPair(closer);
  const isCandidate = candidate?.end === closer.end;
  const doubt = doubtfulDelimiter(source, value, closer, isCandidate) ?? findSwallowed(field, value, draft.host);
  if (doubt) draft.ambiguous(doubt);
  draft.lastEnd = {
    isUnclosed: false,
    uncertain: isCandidate ? closer : undefined,
    isNear: isCandidate && value.candidateIsNear,
    mayGoOn: value.flat || value.checkpoint !== undefined,
  };
  source.seek(closer.end);
  draft.fresh = false;
  return true;
}

/** Trims a fourth mark of one delimiter, which may be the value's: »quoted« begins and ends with such. */
function trimDelimiters(source: Source, { field, opener }: OpenValue, closer: Run): Run {
  if (opener.text === "»»»»" && closer.text === "«««") field.bodyStart -= 1;
  else if (opener.text === "»»»" && closer.text === "««««") {
    const body = source.slice(field.bodyStart, closer.start);
    if (body.split("»").length > body.split("«").length) return { ...closer, start: closer.start + 1 };
  }
  return closer;
}

/** Returns a closer that may have been meant otherwise, now that the value's end is known. */
function doubtfulDelimiter(source: Source, value: OpenValue, closer: Run, isCandidate: boolean): Run | undefined {
  const { candidate, beforeField } = value;
  if (value.opens && (value.flat || isCandidate)) return closer;
  if (beforeField && beforeField.end < closer.end) return beforeField;
  // The closer twice: the first one may have been the end.
  const isTwice = candidate && !isCandidate && source.slice(candidate.end, closer.start).trim() === "";
  return isTwice ? candidate : undefined;
}

function endField(draft: Draft, source: Source, { field, stream }: OpenValue, end: number): void {
  draft.value = undefined;
  field.bodyEnd = end;
  field.raw = source.slice(field.bodyStart, end);
  const lineBreak = field.raw.lastIndexOf("\n");
  if (lineBreak >= 0) draft.indent = field.raw.slice(lineBreak + 1).search(/[^ \t]|$/);
  stream?.pass(source, end);
  field.value = readValue(field.raw, field.indent);
  stream?.end(field.exact ? exactValue(field.raw) : field.value);
  draft.host.end(field);
}
