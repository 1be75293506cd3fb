import type { BlockDraft } from "./block-draft.ts";
import type { CallDraft } from "./call-draft.ts";
import type { Cursor, Reading } from "./cursor.ts";
import { markOf } from "./marks.ts";
import { bodyOf, type RowMarks } from "./row-marks.ts";

/** Reads one call, from its opener to behind what closes it. Its draft tells whether it is whole. `isBare`: it has no marks. */
export function* readCall(block: BlockDraft, cursor: Cursor, marks: RowMarks, isBare = false): Reading<CallDraft> {
  yield* cursor.space();
  const call = block.begin(cursor.offset);
  const { callOpen, callClose } = marks;
  const body = bodyOf(marks);
  // A server that strips what opens a call strips what closes it.
  const isStripped =
    callOpen !== undefined && !marks.isHeader && !(cursor.tryTake(callOpen) ?? (yield* cursor.take(callOpen)));
  if (marks.asJson && (yield* cursor.sees([brace]))) {
    const isRead = yield* marks.asJson.body.read(call, cursor, marks.asJson);
    // It has no parenthesis around it.
    if (!isRead) cursor.failedIn.depth -= 1;
    if (isRead && body === "tags" && callClose && !(yield* cursor.take(callClose)))
      call.slip("unclosed", { start: call.start, end: cursor.offset });
    return call;
  }
  const { names } = marks;
  const isNamed = !names.read || (yield* names.read(call, cursor, marks));
  if (!isNamed || !(yield* marks.body.read(call, cursor, marks))) return call;
  // One bracket too many.
  const bracket = body === "tags" || isBare ? undefined : body === "python" ? parenthesis : braceEnd;
  for (let start = cursor.offset; cursor.tryTake(bracket) ?? (yield* cursor.take(bracket)); start = cursor.offset)
    call.slip("stray-closer", { start, end: cursor.offset });
  if (body !== "json" || !callClose || (cursor.tryTake(callClose) ?? (yield* cursor.take(callClose)))) return call;
  if (callClose.ownTexts > 1) yield* cursor.take(fence);
  if (!callClose.optional && !isStripped && !(yield* cursor.sees(marks.stops)))
    call.slip("unclosed", { start: call.start, end: cursor.offset });
  return call;
}

const fence = markOf({ text: "```" });
const brace = markOf({ text: "{" });
const braceEnd = markOf({ text: "}" });
const parenthesis = markOf({ text: ")" });

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
    if (marks.isNextInList && cursor.offset > call.start && (yield* marks.isNextInList(call, cursor))) return;
    cursor.source.at += 1;
  }
  const { source } = cursor;
  source.seek(from);
  const lineBreak = source.text.indexOf("\n", source.at);
  source.at = lineBreak < 0 ? source.text.length : lineBreak;
}
