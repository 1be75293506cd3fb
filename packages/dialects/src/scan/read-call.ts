import { readJsonBody } from "../engines/json-body.ts";
import { readAttributes } from "../engines/tag-text.ts";
import type { BlockDraft } from "./block-draft.ts";
import type { CallDraft } from "./call-draft.ts";
import type { Cursor, Reading } from "./cursor.ts";
import { nameAt } from "./head.ts";
import { markOf } from "./marks.ts";
import { bodyOf, type RowMarks } from "./row-marks.ts";

/** Reads one call, from its opener to behind what closes it. Its draft tells whether it is whole. */
export function* readCall(block: BlockDraft, cursor: Cursor, marks: RowMarks): Reading<CallDraft> {
  yield* cursor.space();
  const call = block.begin(cursor.offset);
  const { callOpen, callClose } = marks;
  const body = bodyOf(marks);
  // A server that strips what opens a call strips what closes it.
  const isStripped = callOpen !== undefined && !marks.isHeader && !(yield* cursor.take(callOpen));
  if (marks.asJson && (yield* cursor.sees([brace]))) {
    const isRead = yield* readJsonBody(call, cursor, marks.asJson, false);
    if (isRead && body === "tags" && callClose && !(yield* cursor.take(callClose)))
      call.slip("unclosed", { start: call.start, end: cursor.offset });
    return call;
  }
  const readBody = block.host.bodies[body];
  if (!readBody || !(yield* readHead(call, cursor, marks)) || !(yield* readBody(call, cursor, marks))) return call;
  if (body !== "json" || !callClose || (yield* cursor.take(callClose))) return call;
  if (callClose.ownTexts > 1) yield* cursor.take(fence);
  if (!callClose.optional && !isStripped && !(yield* cursor.sees(marks.stops)))
    call.slip("unclosed", { start: call.start, end: cursor.offset });
  return call;
}

const fence = markOf({ text: "```" });
const brace = markOf({ text: "{" });

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
    if (head.name !== "" || marks.row.call.nameKey === undefined)
      call.named(parts ? (marks.row.call.prefix ?? "") + parts[1] : head.name, at);
    return !call.failure;
  }
}

/**
 * Goes behind a call that was rejected: to what closes it, or to where the next one begins. Where nothing does, behind its line. `isOnLine`:
 * to the end of its line at most.
 */
export function* skipCall(call: CallDraft, cursor: Cursor, marks: RowMarks, isOnLine = false): Reading<void> {
  const from = cursor.offset;
  while (from < cursor.unclosedFrom) {
    const { source } = cursor;
    const { text } = source;
    const found = isOnLine ? /[<[\]`{;\n]/g : /[<[\]`{;]/g;
    found.lastIndex = source.at;
    const match = found.exec(text);
    source.at = match?.index ?? text.length;
    if (!match) {
      if (yield* cursor.wait()) continue;
      cursor.unclosedFrom = from;
      break;
    }
    if (match[0] === "\n") return;
    if (marks.callClose && (yield* cursor.take(marks.callClose))) return;
    if (yield* cursor.sees([...marks.close, ...marks.openers, ...marks.stops])) return;
    if (call.block.inReasoning && (yield* cursor.sees(marks.reasoningClosers))) return;
    if (marks.row.list && cursor.offset > call.start && (yield* isNextInList(call, cursor))) return;
    cursor.source.at += 1;
  }
  const { source } = cursor;
  source.seek(from);
  const lineBreak = source.text.indexOf("\n", source.at);
  source.at = lineBreak < 0 ? source.text.length : lineBreak;
}

/**
 * Whether the next object of a list of calls begins here: with a string as its first key, behind the end of another one. Where that key is
 * the name, it must be a tool's, behind the end of both arguments and call.
 */
function* isNextInList({ block, start }: CallDraft, cursor: Cursor): Reading<boolean> {
  const isNamed = block.row.call.name.at === "only-key";
  const before = cursor.slice(Math.max(start, cursor.offset - 64), cursor.offset);
  if (!(isNamed ? /\}\s*\}[\s,]*$/ : /\}[\s,]*$/).test(before)) return false;
  for (;;) {
    const { source } = cursor;
    const match = /^\{\s*(?:(["'])([\w.:-]{0,40})(\1)?)?/.exec(source.text.slice(source.at, source.at + 100));
    if (!match) return false;
    if (match[3]) return !isNamed || block.host.tools.has(match[2] ?? "");
    if (match[0].length < Math.min(100, source.text.length - source.at) || !(yield* cursor.wait())) return false;
  }
}
