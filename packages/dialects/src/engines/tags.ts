import type { EndOptions } from "@toolglot/core";
import type { Argument, CallDraft } from "../scan/call-draft.ts";
import type { Cursor, Reading } from "../scan/cursor.ts";
import { type Mark, markOf } from "../scan/marks.ts";
import type { RowMarks } from "../scan/row-marks.ts";
import { readJsonBody } from "./json-body.ts";
import { readAttributes, readUpTo } from "./tag-text.ts";
import { readTagValue } from "./tag-value.ts";
import { readTree } from "./tag-tree.ts";

/** Whether a call whose own closing mark is missing at the end of the text was whole: the message ended by itself, or at that mark. */
export function endedWhole(ending: EndOptions | undefined, marks: RowMarks): boolean {
  const { finish, stopSequence } = ending ?? {};
  if (finish === "stop" || finish === "calls") return true;
  return stopSequence !== undefined && marks.closers.some(({ texts }) => texts.includes(stopSequence.trim()));
}

/** Reads a call's arguments between tags, and goes behind what closes the call. False when the call is rejected. */
export function* readTags(call: CallDraft, cursor: Cursor, marks: RowMarks): Reading<boolean> {
  const { argOpen, callClose, row } = marks;
  const start = cursor.offset;
  let end = start;
  let count = 0;
  for (; ; count += 1) {
    call.raw = { start, end };
    const hasText = yield* cursor.space();
    if (hasText && callClose && (yield* cursor.take(callClose))) return true;
    if (!hasText) {
      // Without an argument nothing shows that the call is whole.
      const span = { start: call.start, end: cursor.offset };
      if (count === 0 || !endedWhole(cursor.ending, marks)) return call.fail("truncated", span);
      return call.slip("unclosed", span);
    }
    if (argOpen && (yield* cursor.take(argOpen))) {
      if (!(yield* readArgument(call, cursor, marks))) return false;
      end = cursor.offset;
      continue;
    }
    const { source } = cursor;
    if (count === 0 && row.values === "raw-or-json" && source.text.charAt(source.at) === "{") {
      if (!(yield* readJsonBody(call, cursor, marks, true))) return false;
      end = cursor.offset;
      continue;
    }
    // Without a mark of its own, a call ends with its wrapper.
    if (!callClose && (yield* cursor.sees(marks.close))) return true;
    if (yield* cursor.sees([...marks.close, ...marks.openers, ...marks.stops]))
      return call.slip("unclosed", { start: call.start, end: cursor.offset });
    return call.fail("invalid-arguments", { start: cursor.offset, end: cursor.offset + 1 });
  }
}

const keyStops = /[<>\n=]/;

/** Reads an argument behind its opener. */
function* readArgument(call: CallDraft, cursor: Cursor, marks: RowMarks): Reading<boolean> {
  const { row, argKey, argClose, argOpen, argEnd } = marks;
  const { key: rule, typeMark, pad, cdata } = row.arguments;
  const start = cursor.offset;
  let key: string | undefined;
  let type: string | undefined;
  let close = argClose;
  if (rule === "tag") {
    key = yield* readUpTo(cursor, [markOf(endOfTag)], /[<>\s]/);
    const prefix = argOpen?.texts[0] ?? "<";
    if (key !== undefined) close = markOf({ text: `${prefix}/${key.trim()}>` });
  } else if (typeof rule === "object" && "attribute" in rule) {
    const attributes = yield* readAttributes(cursor, argEnd, row.entities);
    key = attributes?.get(rule.attribute);
    if (typeMark && "attribute" in typeMark) type = attributes?.get(typeMark.attribute);
  } else key = yield* readUpTo(cursor, argKey ? [argKey] : [], keyStops);
  key = key?.trim().replace(/^(["'])(.*)\1$/s, "$2");
  if (!key) {
    const span = { start, end: cursor.offset };
    return cursor.isAtEnd ? call.fail("truncated", span) : call.fail("invalid-arguments", span, "An argument has no key.");
  }
  if (typeMark && "element" in typeMark) type = yield* readTypeElement(cursor, typeMark.element);
  const mark = type === undefined || !typeMark ? undefined : typeMark.raw.includes(type) ? "raw" : "json";
  if (row.values === "tree") return yield* readTree(call, cursor, marks, key);
  const argument: Argument = call.argument(key);
  const isPadded = pad === "one-lf";
  const streams = argument.streams || mark === "raw";
  const isCdata = cdata && (yield* cursor.take(cdataStart));
  const value = yield* readTagValue(call, cursor, marks, {
    close: isCdata ? cdataEnd : close,
    isPadded: isPadded && !isCdata,
    piece: streams ? (text) => argument.piece(text) : undefined,
  });
  if (!value) return call.fail("truncated", { start, end: cursor.offset });
  if (isCdata && close && !(yield* cursor.take(close)))
    return call.fail("invalid-arguments", value, "Text stands behind a CDATA section.");
  argument.text(cursor.slice(value.start, value.end), value, mark);
  return true;
}

const endOfTag = { text: ">" };
const cdataStart = markOf({ text: "<![CDATA[" });
const cdataEnd = markOf({ text: "]]>", special: true });

function* readTypeElement(cursor: Cursor, name: string): Reading<string | undefined> {
  if (!(yield* cursor.take(markOf({ text: `<${name}>` })))) return undefined;
  return (yield* readUpTo(cursor, [markOf({ text: `</${name}>` })], /[<\n]/))?.trim();
}
