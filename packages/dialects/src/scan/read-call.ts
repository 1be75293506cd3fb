import { readAttributes } from "../engines/tag-text.ts";
import type { BlockDraft } from "./block-draft.ts";
import type { CallDraft } from "./call-draft.ts";
import type { Cursor, Reading } from "./cursor.ts";
import { nameAt } from "./head.ts";
import { markOf } from "./marks.ts";
import { bodyOf, type RowMarks } from "./row-marks.ts";

/** Reads the arguments of a call, and goes behind them; false when the call is rejected. */
export type BodyReader = (call: CallDraft, cursor: Cursor, marks: RowMarks) => Reading<boolean>;

/** Reads one call, from its opener to behind what closes it. Its draft tells whether it is whole. */
export function* readCall(block: BlockDraft, cursor: Cursor, marks: RowMarks): Reading<CallDraft> {
  yield* cursor.space();
  const call = block.begin(cursor.offset);
  const { callOpen, callClose } = marks;
  const body = bodyOf(marks);
  if (callOpen && !marks.isHeader) yield* cursor.take(callOpen);
  const readBody = block.host.bodies[body];
  if (!readBody || !(yield* readHead(call, cursor, marks)) || !(yield* readBody(call, cursor, marks))) return call;
  if (body !== "json" || !callClose || (yield* cursor.take(callClose))) return call;
  if (callClose.ownTexts > 1) yield* cursor.take(fence);
  if (!callClose.optional && !(yield* cursor.sees(marks.stops)))
    call.slip("unclosed", { start: call.start, end: cursor.offset });
  return call;
}

const fence = markOf({ text: "```" });

/** Reads the name of a call, where it stands before the arguments. */
function* readHead(call: CallDraft, cursor: Cursor, marks: RowMarks): Reading<boolean> {
  const { name: rule, id, idPattern } = marks.row.call;
  const span = { start: call.start, end: cursor.offset };
  if (rule.at === "attribute") {
    const attributes = yield* readAttributes(cursor, marks.callEnd, marks.row.entities);
    if (!attributes && cursor.isCut) cursor.source.seek(cursor.source.length);
    if (!attributes) return call.fail(cursor.isCut ? "truncated" : "missing-name", span);
    if (id && "attribute" in id) call.id = attributes.get(id.attribute);
    call.named(attributes.get(rule.attribute) ?? "", { start: call.start, end: cursor.offset });
    return !call.failure;
  }
  const isBefore =
    rule.at === "key" && marks.openers.length > 0 && /[^{[]/.test(cursor.source.text.charAt(cursor.source.at));
  if (rule.at !== "text" && !isBefore) return true;
  for (;;) {
    const { source } = cursor;
    const head = nameAt(source.text, source.at, marks, cursor.ended);
    if (head === "more") {
      yield;
      continue;
    }
    if (!head) {
      const rest = source.text.slice(source.at, source.at + 300);
      const isCut = cursor.ended && rest.length < 300;
      if (isCut && !rest.includes("\n")) source.at = source.text.length;
      return call.fail(isCut ? "truncated" : "missing-name", span);
    }
    const at = { start: source.base + head.start, end: source.base + head.end };
    source.at = head.end;
    call.id = head.id;
    const pattern = idPattern === undefined ? undefined : new RegExp(idPattern);
    const parts = pattern?.exec(head.name);
    if (parts) call.id = head.name;
    if (head.name !== "" || marks.row.call.nameKey === undefined) call.named(parts?.[1] ?? head.name, at);
    return !call.failure;
  }
}

/** Goes behind a call that was rejected: to what closes it, or to where the next one begins. Where nothing does, behind its line. */
export function* skipCall(call: CallDraft, cursor: Cursor, marks: RowMarks): Reading<void> {
  const from = cursor.offset;
  const nextInList = marks.row.list && marks.row.call.name.at === "key";
  for (;;) {
    const { source } = cursor;
    const { text } = source;
    const found = /[<[\]`{;]/g;
    found.lastIndex = source.at;
    const match = found.exec(text);
    source.at = match?.index ?? text.length;
    if (!match) {
      if (yield* cursor.wait()) continue;
      break;
    }
    if (marks.callClose && (yield* cursor.take(marks.callClose))) return;
    if (yield* cursor.sees([...marks.close, ...marks.openers, ...marks.stops])) return;
    if (call.block.inReasoning && (yield* cursor.sees(marks.reasoningClosers))) return;
    if (nextInList && cursor.offset > call.start && (yield* isObjectStart(cursor))) return;
    cursor.source.at += 1;
  }
  if (call.failure === "truncated") return;
  const rest = cursor.slice(from, cursor.source.length);
  const lineBreak = rest.indexOf("\n");
  cursor.source.seek(lineBreak < 0 ? cursor.source.length : from + lineBreak);
}

/** Whether an object with a string as its first key begins here. */
function* isObjectStart(cursor: Cursor): Reading<boolean> {
  for (;;) {
    const { source } = cursor;
    const match = /^\{\s*(?:(["'])(?:[\w-]{0,40})(\1)?)?/.exec(source.text.slice(source.at, source.at + 100));
    if (!match) return false;
    if (match[2]) return true;
    if (match[0].length < Math.min(100, source.text.length - source.at) || !(yield* cursor.wait())) return false;
  }
}
