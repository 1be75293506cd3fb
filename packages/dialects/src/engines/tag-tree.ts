import { createRecord, type JsonSchema, type JsonValue } from "@toolglot/core";
import { kindsOf, memberSchema } from "@toolglot/core/text";
import type { CallDraft } from "../scan/call-draft.ts";
import type { Cursor, Reading } from "../scan/cursor.ts";
import type { BodyReader } from "../scan/parts.ts";
import type { RowMarks } from "../scan/row-marks.ts";
import { typeText } from "../values/typed.ts";
import type { ValueSlip } from "../values/types.ts";
import { type ArgumentTag, readTag } from "./argument-tag.ts";
import { readTagValue } from "./tag-value.ts";
import { tagsWith } from "./tags.ts";

const maxDepth = 100;

/** Whether the value behind an opening tag is made of elements. */
function* isTree(cursor: Cursor, { row, argOpen }: RowMarks, { type, close }: ArgumentTag): Reading<boolean> {
  const { otherMark } = row.arguments;
  if (typeof otherMark === "object") return type === otherMark.array || type === otherMark.object;
  return !(yield* cursor.sees([close])) && (yield* cursor.sees([argOpen]));
}

/** Reads a value of nested elements behind its opening tag, and puts it into the input. False when the call is rejected. */
function* readTree(call: CallDraft, cursor: Cursor, marks: RowMarks, tag: ArgumentTag): Reading<boolean> {
  const argument = call.argument(tag.key);
  const start = cursor.offset;
  const { schema, root } = call.block.host.tools.parameter(call.name, tag.key);
  const slips: ValueSlip[] = [];
  const value = yield* readNode(call, cursor, marks, tag, { schema, root, slips, depth: 0 });
  if (value === undefined) {
    const span = { start, end: cursor.offset };
    return cursor.isCut
      ? call.fail("truncated", span)
      : call.fail("invalid-arguments", span, `<${tag.key}> is not closed.`);
  }
  call.slips(slips);
  argument.typed({ value, slips: [] }, { start, end: cursor.offset });
  return true;
}

/** What an element's value is to be. */
interface Wanted {
  schema: JsonSchema | undefined;
  root: JsonSchema | undefined;
  slips: ValueSlip[];
  depth: number;
}

function* readNode(
  call: CallDraft,
  cursor: Cursor,
  marks: RowMarks,
  tag: ArgumentTag,
  wanted: Wanted,
): Reading<JsonValue | undefined> {
  const { schema = true, root, slips, depth } = wanted;
  const { typeMark: { raw } = {}, otherMark } = marks.row.arguments;
  if (!(yield* isTree(cursor, marks, tag))) {
    const value = yield* readTagValue(call, cursor, marks, { close: tag.close, isPadded: false, isNested: true });
    if (!value) return undefined;
    const mark = tag.type === undefined || !raw ? undefined : raw.includes(tag.type) ? "raw" : "json";
    const typed = typeText(cursor.slice(value.start, value.end), schema, root, mark);
    for (const slip of typed.slips) slips.push({ ...slip, ...value });
    return typed.value;
  }
  if (depth >= maxDepth) return undefined;
  const isMarked = typeof otherMark === "object";
  const kinds = kindsOf(schema, root);
  const takesItems = isMarked ? tag.type === otherMark.array : kinds.has("array");
  const members: [key: string, value: JsonValue, at: number][] = [];
  const start = cursor.offset;
  let end = start;
  for (; !(yield* cursor.take(tag.close)); end = cursor.offset) {
    const at = cursor.offset;
    const child = (yield* cursor.take(marks.argOpen)) ? yield* readTag(cursor, marks) : undefined;
    if (!child) return undefined;
    const place = takesItems && (isMarked || child.key === "item") ? members.length : child.key;
    const value = yield* readNode(call, cursor, marks, child, {
      ...wanted,
      schema: memberSchema(schema, place, root),
      depth: depth + 1,
    });
    if (value === undefined) return undefined;
    members.push([child.key, value, at]);
  }
  if (takesItems && (isMarked || members.every(([key]) => key === "item"))) return members.map(([, value]) => value);
  if (!isMarked && !kinds.has("object")) {
    slips.push({ code: "type-mismatch", affects: "value", start, end });
    return cursor.slice(start, end);
  }
  const record = createRecord<JsonValue>();
  for (const [key, value, at] of members) {
    if (key in record) slips.push({ code: "duplicate-key", affects: "value", start: at, end: at });
    record[key] = value;
  }
  return record;
}

/** As `attributesBody`, where a value may be made of elements. */
export const treesBody: BodyReader = /* @__PURE__ */ tagsWith({
  readTag,
  *readTree(call, cursor, marks, tag) {
    return (yield* isTree(cursor, marks, tag)) ? yield* readTree(call, cursor, marks, tag) : undefined;
  },
});
