import { createRecord, type JsonSchema, type JsonSchemaObject, type JsonValue } from "@toolglot/core";
import { isObject } from "@toolglot/internal";
import type { CallDraft } from "../scan/call-draft.ts";
import type { Cursor, Reading } from "../scan/cursor.ts";
import { type Mark, markAt, more } from "../scan/marks.ts";
import type { RowMarks } from "../scan/row-marks.ts";
import { typeText } from "../values/typed.ts";
import type { ValueSlip } from "../values/types.ts";

/** An element of a value: a leaf has text, any other one elements. */
interface Node {
  name: string;
  start: number;
  end: number;
  children: Node[];
}

const maxDepth = 100;
const tagName = /^(\/?)\s{0,9}([\w.:-]{1,100})\s{0,9}>/;

/** Reads a value of nested elements, behind the opener of the outermost, and puts it into the input. False when the call is rejected. */
export function* readTree(
  call: CallDraft,
  cursor: Cursor,
  marks: RowMarks,
  key: string,
): Reading<boolean> {
  const opener = marks.argOpen as Mark;
  const head = opener.texts[0]?.charAt(0) ?? "<";
  const root: Node = { name: key, start: cursor.offset, end: 0, children: [] };
  const open = [root];
  for (;;) {
    const { source, ended } = cursor;
    const { text } = source;
    const next = text.indexOf(head, source.at);
    source.at = next < 0 ? text.length : next;
    const behind = next < 0 ? more : markAt(text, next, opener, ended);
    const tag = behind > 0 ? tagName.exec(text.slice(behind, behind + 130)) : null;
    if (behind === more || (behind > 0 && !tag && text.length - behind < 130)) {
      if (yield* cursor.wait()) continue;
      return call.fail("truncated", { start: root.start, end: cursor.offset });
    }
    const [all, slash, name = ""] = tag ?? [];
    const at = source.offset;
    source.at = all === undefined ? next + 1 : behind + all.length;
    if (all === undefined) continue;
    const top = open.at(-1) as Node;
    if (!slash) {
      if (open.length >= maxDepth) return call.fail("invalid-arguments", { start: at, end: cursor.offset });
      const node = { name, start: cursor.offset, end: 0, children: [] };
      top.children.push(node);
      open.push(node);
    } else if (name !== top.name) return call.fail("invalid-arguments", { start: at, end: cursor.offset }, `<${top.name}> is not closed.`);
    else {
      top.end = at;
      open.pop();
      if (open.length === 0) break;
    }
  }
  const { tools } = call.block.host;
  const { schema, root: whole } = tools.parameter(call.name, key);
  const slips: ValueSlip[] = [];
  const argument = call.argument(key);
  const value = valueOf(root, schema, whole, (start, end) => cursor.slice(start, end), slips);
  call.slips(slips);
  argument.typed(value, { start: root.start, end: root.end });
  return true;
}

function valueOf(
  { start, end, children }: Node,
  schema: JsonSchema | undefined,
  root: JsonSchema | undefined,
  textOf: (start: number, end: number) => string,
  slips: ValueSlip[],
): JsonValue {
  const inner: JsonSchemaObject = isObject(schema) ? schema : {};
  if (children.length === 0) {
    const { value, slips: found } = typeText(textOf(start, end), schema, root);
    for (const slip of found) slips.push({ ...slip, start, end });
    return value;
  }
  if (children.every(({ name }) => name === "item"))
    return children.map((child) => valueOf(child, inner.items, root, textOf, slips));
  const record = createRecord<JsonValue>();
  for (const child of children) {
    const { properties = {} } = inner;
    const own = Object.hasOwn(properties, child.name) ? properties[child.name] : undefined;
    if (child.name in record) slips.push({ code: "duplicate-key", affects: "value", start: child.start, end: child.end });
    record[child.name] = valueOf(child, own, root, textOf, slips);
  }
  return record;
}
