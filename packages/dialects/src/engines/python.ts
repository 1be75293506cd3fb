import type { CallDraft } from "../scan/call-draft.ts";
import type { Cursor, Reading } from "../scan/cursor.ts";
import type { BodyReader } from "../scan/parts.ts";
import type { RowMarks } from "../scan/row-marks.ts";
import { readLiteral } from "./json-body.ts";
import { findTaken } from "./lost-quotes.ts";
import { skipPythonCall } from "./skip-python.ts";

const keyword = /\s*([\p{L}_][\p{L}\p{N}_]{0,200})\s{0,20}=(?!=)\s*/uy;
const mayBeKeyword = /^\s*(?:[\p{L}_][\p{L}\p{N}_]{0,200}\s{0,20}=?\s*)?$/u;

/** Reads the arguments of a call in Python, and goes behind its closing parenthesis. False when the call is rejected. */
function* readPython(call: CallDraft, cursor: Cursor, marks: RowMarks): Reading<boolean> {
  const start = cursor.offset;
  call.strings = [];
  let count = 0;
  for (let needsComma = false; ; ) {
    if (!(yield* cursor.space())) return call.fail("truncated", { start: call.start, end: cursor.offset });
    const { source } = cursor;
    const unit = source.text.charAt(source.at);
    if (unit === ")") {
      call.raw = { start, end: cursor.offset };
      source.at += 1;
      findTaken(call, "=");
      return true;
    }
    const here = { start: cursor.offset, end: cursor.offset + 1 };
    if (needsComma) {
      if (unit !== ",") return call.fail("not-a-literal", here);
      source.at += 1;
      needsComma = false;
      continue;
    }
    const name = yield* readKeyword(cursor);
    const parameters = call.block.host.tools.parameters(call.name ?? "");
    const position = name ?? parameters[count];
    if (position === undefined)
      return call.fail("not-a-literal", here, "An argument has no name, and none can be known.");
    const argument = call.argument(position);
    const from = cursor.offset;
    const literal = yield* readLiteral(call, cursor, marks, {
      listener: { piece: (depth, _key, text) => depth === 0 && argument.keepsStrings && argument.piece(text) },
    });
    if (!literal) return false;
    if (name === undefined) call.slip("positional-argument", here);
    const { value = null } = literal;
    argument.value(value, { start: from, end: cursor.offset });
    count += 1;
    needsComma = true;
  }
}

/** Reads `name=`. */
function* readKeyword(cursor: Cursor): Reading<string | undefined> {
  for (;;) {
    const { source } = cursor;
    const { text, at } = source;
    keyword.lastIndex = at;
    const found = keyword.exec(text);
    // The unit behind it shows whether it was `==`.
    if (found && (keyword.lastIndex < text.length || cursor.ended)) {
      source.at = keyword.lastIndex;
      return found[1];
    }
    const undecided = text.length - at < 300 && mayBeKeyword.test(text.slice(at, at + 300));
    if (!undecided || !(yield* cursor.wait())) return undefined;
  }
}

/** Reads the arguments of calls in Python. */
export const pythonBody: BodyReader = { read: readPython, skip: skipPythonCall };
