import type { EndOptions } from "@toolglot/core";
import type { Argument, CallDraft } from "../scan/call-draft.ts";
import type { Cursor, Reading } from "../scan/cursor.ts";
import { type Mark, markAt, markOf } from "../scan/marks.ts";
import type { BodyReader } from "../scan/parts.ts";
import type { RowMarks } from "../scan/row-marks.ts";
import { typeText } from "../values/typed.ts";
import type { ArgumentTag, readTag } from "./argument-tag.ts";
import { readJsonBody } from "./json-body.ts";
import { readUpTo } from "./tag-text.ts";
import { readTagValue } from "./tag-value.ts";
import { findUnopened } from "./unopened.ts";

/** Whether a call whose own closing mark is missing at the end of the text was whole: the message ended by itself, or at that mark. */
function endedWhole(ending: EndOptions | undefined, marks: RowMarks): boolean {
  const { finish, stopSequence } = ending ?? {};
  if (finish === "stop" || finish === "calls") return true;
  const stop = stopSequence?.trim();
  return stop !== undefined && marks.closers.some((mark) => markAt(stop, 0, mark, true) === stop.length);
}

/** Reads an argument behind its opening tag where it is made of elements; undefined where it is not. False when the call is rejected. */
type ReadTree = (call: CallDraft, cursor: Cursor, marks: RowMarks, tag: ArgumentTag) => Reading<boolean | undefined>;

/** What some dialects need besides. */
interface TagParts {
  /** Of those whose keys stand in elements of their own. */
  readTag?: typeof readTag;
  readTree?: ReadTree;
}

/** Returns what reads a call's arguments between tags, and goes behind what closes the call. */
export const tagsWith = (parts: TagParts): BodyReader => ({
  *read(call, cursor, marks) {
    call.strings = [];
    const isRead = yield* readArguments(call, cursor, marks, parts);
    if (isRead) findUnopened(call, marks);
    return isRead;
  },
});

/** Reads a call's arguments between tags: a mark ends each key, and no value is made of elements. */
export const tagsBody: BodyReader = /* @__PURE__ */ tagsWith({});

function* readArguments(call: CallDraft, cursor: Cursor, marks: RowMarks, parts: TagParts): Reading<boolean> {
  const { argOpen, callClose, row } = marks;
  const start = cursor.offset;
  let end = start;
  let count = 0;
  for (; ; count += 1) {
    call.raw = { start, end };
    const hasText = yield* cursor.space();
    if (hasText && (cursor.tryTake(callClose) ?? (yield* cursor.take(callClose)))) return true;
    if (!hasText) {
      // Without an argument nothing shows that the call is whole.
      const span = { start: call.start, end: cursor.offset };
      if (count === 0 || !endedWhole(cursor.ending, marks)) return call.fail("truncated", span);
      return call.slip("unclosed", span);
    }
    const isNext = row.arguments.key === "tag" && (yield* cursor.sees(marks.openers));
    if (argOpen && !isNext && (cursor.tryTake(argOpen) ?? (yield* cursor.take(argOpen)))) {
      if (!(yield* readArgument(call, cursor, marks, parts))) return false;
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
function* readArgument(call: CallDraft, cursor: Cursor, marks: RowMarks, parts: TagParts): Reading<boolean> {
  const { row, argKey, argKeyClose, argClose } = marks;
  const { key: rule, typeMark, pad, cdata } = row.arguments;
  const start = cursor.offset;
  let tag: ArgumentTag | undefined;
  if (rule === "tag" || (typeof rule === "object" && "attribute" in rule))
    tag = parts.readTag && (yield* parts.readTag(cursor, marks));
  else {
    const ends = [argKeyClose ?? argKey].filter((mark) => mark !== undefined);
    let key = (yield* readUpTo(cursor, ends, keyStops))?.trim().replace(/^(["'])(.*)\1$/s, "$2");
    const type = typeMark && "element" in typeMark ? yield* readTypeElement(cursor, typeMark.element) : undefined;
    if (argKeyClose && argKey && !(yield* cursor.take(argKey))) key = undefined;
    if (key !== undefined) tag = { key, type, close: argClose as Mark };
  }
  if (!tag?.key) {
    const span = { start, end: cursor.offset };
    return cursor.isCut
      ? call.fail("truncated", span)
      : call.fail("invalid-arguments", span, "An argument has no key.");
  }
  const tree = row.values === "tree" ? parts.readTree?.(call, cursor, marks, tag) : undefined;
  const isRead = tree && (yield* tree);
  if (isRead !== undefined) return isRead;
  const { key, type, close } = tag;
  const mark = type === undefined || !typeMark ? undefined : typeMark.raw.includes(type) ? "raw" : "json";
  const argument: Argument = call.argument(key);
  const streams = argument.streams || mark === "raw";
  const isCdata = cdata === true && (yield* cursor.take(cdataStart));
  const value = yield* readTagValue(call, cursor, marks, {
    close: isCdata ? cdataEnd : close,
    isPadded: !isCdata && pad !== undefined && pad !== "none",
    piece: streams ? (text) => argument.piece(text) : undefined,
  });
  if (!value) return call.fail("truncated", { start, end: cursor.offset });
  if (isCdata && !(yield* cursor.take(close)))
    return call.fail("invalid-arguments", value, "Text stands behind a CDATA section.");
  const { schema, root } = argument.types;
  const { strings } = call;
  // What stands in CDATA was meant.
  if (isCdata) call.strings = [];
  argument.typed(typeText(cursor.slice(value.start, value.end), schema, root, mark), value);
  if (strings) call.strings = strings;
  return true;
}

const cdataStart = markOf({ text: "<![CDATA[" });
const cdataEnd = markOf({ text: "]]>", special: true });

function* readTypeElement(cursor: Cursor, name: string): Reading<string | undefined> {
  if (!(yield* cursor.take(markOf({ text: `<${name}>` })))) return undefined;
  return (yield* readUpTo(cursor, [markOf({ text: `</${name}>` })], /[<\n]/))?.trim();
}
