import { nearest } from "@toolglot/core";
import type { CallDraft } from "../scan/call-draft.ts";
import type { Cursor, Reading } from "../scan/cursor.ts";
import { anyAt, behindSpace, last, type Mark, markAt, more, type Variable } from "../scan/marks.ts";
import type { RowMarks } from "../scan/row-marks.ts";

/** How an argument's value is read. */
export interface ValueRules {
  /** What closes it. */
  close: Mark | undefined;
  /** One line break at each side is layout. */
  isPadded: boolean;
  /** It stands in an element of another value. */
  isNested?: true;
  /** Takes text that no later text changes. */
  piece?: ((text: string) => void) | undefined;
}

/**
 * Whether what closes a value counts: the next thing behind it belongs to the call's form, or no text follows.
 *
 * ```text
 * <parameter=code>a</parameter> is text</parameter>     the first one is text: a word follows
 * </function>                                           the second one counts
 * ```
 */
function isFollowed(
  text: string,
  at: number,
  marks: RowMarks,
  ended: boolean,
  variable: Variable,
  isNested?: true,
): number {
  if (behindSpace(text, at) >= text.length) return ended ? 1 : more;
  return anyAt(
    text,
    at,
    [marks.argOpen, isNested && marks.argClose, ...marks.closers, ...marks.openers, ...marks.stops],
    ended,
    variable,
  );
}

/** Whether the call and its wrapper are closed at an index, and nothing or the next run follows: then a value's own closing mark was lost. */
function closesAll(text: string, at: number, marks: RowMarks, ended: boolean, variable: Variable): number {
  const { callClose, close } = marks;
  const call = callClose ? markAt(text, at, callClose, ended, variable) : at;
  if (callClose && call <= 0) return call;
  const wrapper = close.length > 0 || !callClose ? anyAt(text, call, close, ended, variable) : call;
  if (wrapper <= 0) return wrapper;
  if (behindSpace(text, wrapper) >= text.length) return ended ? wrapper : more;
  return anyAt(text, wrapper, marks.openers, ended, variable);
}

/** Whether an argument begins at an index, or its value behind its key. */
function opensAt(text: string, at: number, marks: RowMarks, ended: boolean, variable: Variable): number {
  const { argOpen, argKey, argKeyClose } = marks;
  const opens = argOpen ? markAt(text, at, argOpen, ended, variable) : 0;
  // What closes a key is one mark with what opens the value, or one of its own.
  const keyEnd = argKeyClose ?? (argKey?.texts[0]?.startsWith("</") ? argKey : undefined);
  const key = opens === 0 && keyEnd ? markAt(text, at, keyEnd, ended, variable) : 0;
  return key > 0 && argKeyClose ? anyAt(text, key, [argKey], ended, variable) : opens || key;
}

/** The sign that ends an opener, and no other that it may belong to: `>=`, `>>>`, `> quoted`. */
const doubledSign = /^>[\p{L}_"'/\\\r\n]/u;
/** A first line that ends as an opener does. */
const lateOpener = /^[^\n<]{0,99}>\r?\n/;
const lateCdata = /^\S{1,3}<!\[CDATA\[/;

/**
 * Reads a value up to the mark that closes it, and goes behind that. Undefined when the text ends in it. The value's text is given out as it
 * comes, as far as no later text can change it.
 */
export function* readTagValue(
  call: CallDraft,
  cursor: Cursor,
  marks: RowMarks,
  { close, isPadded, isNested, piece }: ValueRules,
): Reading<{ start: number; end: number } | undefined> {
  const { pad, cdata } = marks.row.arguments;
  const begin = cursor.offset;
  if (isPadded) yield* cursor.lineBreak();
  const start = cursor.offset;
  let sent = start;
  let doubt: number | undefined;
  const send = (end: number): void => {
    if (piece && end > sent) piece(cursor.slice(sent, end));
    sent = Math.max(sent, end);
  };
  const finish = (closer: number): { start: number; end: number } => {
    const tail = cursor.slice(Math.max(start, closer - 2), closer);
    const end = isPadded && tail.endsWith("\n") ? closer - lineBreakAt(tail) : closer;
    send(end);
    // The opener's last sign stands twice, or its key: else a line break would stand before the value.
    const first = cursor.slice(start, Math.min(end, start + 102));
    const isLate = start === begin && (doubledSign.test(first) || (pad === "one-lf" && lateOpener.test(first)));
    if (isLate || (cdata && lateCdata.test(first))) doubt ??= start;
    if (doubt !== undefined) call.slip("doubtful-open", { start: doubt, end });
    // A closing mark that was written wrong, and then right, stays in the value.
    const wrong = closerAtEnd.exec(cursor.slice(Math.max(start, end - 60), end))?.[1];
    const own = wrong && closerAtEnd.exec(close?.texts[0] ?? "")?.[1];
    if (own && wrong !== own && nearest(wrong, [own], 1).length > 0)
      call.slip("stray-closer", { start: end - wrong.length - 3, end }, { affects: "value" });
    return { start, end };
  };
  const head = close?.texts[0]?.charAt(0) || "<";
  const { variable } = cursor;
  /** A value that ends with its own closing mark is written otherwise than with two of them in a row. */
  const tellsTwice = pad === "one-lf" || cdata === true || marks.row.values === "tree";
  /** Goes to where a mark may stand; false when there is no such place yet. */
  const skim = (): boolean => {
    const { source } = cursor;
    const next = source.text.indexOf(head, source.at);
    source.at = next < 0 ? source.text.length : next;
    // A line break may be the one before the closing mark.
    send(
      isPadded
        ? source.offset - lineBreakAt(cursor.slice(Math.max(sent, source.offset - 2), source.offset))
        : source.offset,
    );
    return next >= 0;
  };
  for (;;) {
    if (!skim()) {
      cursor.skim = skim;
      if (yield* cursor.wait()) continue;
      return undefined;
    }
    const { source, ended } = cursor;
    const { text, at: next } = source;
    const closed = close ? markAt(text, next, close, ended, variable) : 0;
    const looked = closed > 0 && last.looksAlike;
    let counts = closed > 0 && !close?.special ? isFollowed(text, closed, marks, ended, variable, isNested) : closed;
    // What closes it stands twice, as no writer has it.
    const again = counts === 0 && closed > 0 && close && tellsTwice ? markAt(text, closed, close, ended, variable) : 0;
    if (again !== 0) counts = again === more ? more : isFollowed(text, again, marks, ended, variable, isNested);
    const lost = closed === 0 ? closesAll(text, next, marks, ended, variable) : 0;
    const opens = closed === 0 && lost === 0 ? opensAt(text, next, marks, ended, variable) : 0;
    const leaves =
      closed === 0 && lost === 0 && call.block.inReasoning ? anyAt(text, next, marks.reasoningClosers, ended) : 0;
    if (counts === more || lost === more || opens === more || leaves === more) {
      yield;
      continue;
    }
    if (leaves > 0) return undefined;
    if (counts > 0) {
      if (looked) cursor.lookAlikes.push({ start: source.offset, end: source.base + closed });
      const end = source.offset;
      source.at = Math.max(closed, again);
      if (again > 0) call.slip("stray-closer", { start: source.base + closed, end: source.offset });
      // The closing mark has a line of its own there, or its sign is written in CDATA alone: its first unit stands twice.
      const tail = cursor.slice(Math.max(start, end - 2), end);
      if (isPadded ? tail === `\n${head}` : cdata && head === "<" && tail.endsWith(head))
        call.slip("stray-closer", { start: end - 1, end }, { affects: "value" });
      return finish(end);
    }
    if (lost > 0) {
      const end = source.offset;
      call.slip("unclosed", { start, end }, { affects: "value" });
      return finish(end);
    }
    if (opens > 0) doubt ??= source.offset;
    source.at = next + 1;
  }
}

const closerAtEnd = /<\/([\w.:-]{3,40})>$/;

/** Returns the length of the line break that a text of two units ends with, or of the first half of one. */
function lineBreakAt(tail: string): number {
  if (tail.endsWith("\n")) return tail.length > 1 && tail.startsWith("\r") ? 2 : 1;
  return tail.endsWith("\r") ? 1 : 0;
}
