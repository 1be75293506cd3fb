import { createRecord, type Message, type ToolCall, type ToolResult, toJsonText } from "@toolglot/core";
import { encodeAsText, inputObject } from "@toolglot/core/results";
import { normalizeKey } from "./names.ts";
import { writeBlock } from "./serialize.ts";
import type { TamStep } from "./types.ts";
import { protect } from "./write-field.ts";

/**
 * Messages as a provider without function calls gets them. Calls of one message become one block, results a
 * `<|[TOOL_RESULT]|>`; a tool's message becomes a user's. Marks of protocols in untrusted text are neutralised.
 */
export function encodeMessages(
  messages: readonly Message[],
  results: (results: readonly ToolResult[]) => string,
): Message[] {
  return encodeAsText(messages, { calls: writeCalls, results });
}

/** Names that a parameter of a step can't have: `common_` brings them to a block's only step. */
const reserved = /^(?:(?:command|on_error|retry)(?:_?\d+)?|comment|request_id|(?:common|uri|type_hint)_.+)$/;

/** The block that a model would have written to make these calls; one for each when a parameter's name asks for that. */
function writeCalls(calls: readonly ToolCall[]): string {
  const alone = calls.some((call) => Object.keys(inputObject(call)).some((name) => reserved.test(keyOf(name))));
  return (alone ? calls.map((call) => [call]) : [calls]).map(write).join("\n");
}

const keyOf = (name: string): string => normalizeKey(name) || "input";

/** A call that was made is history: a value that no delimiters can hold is shown, with zero-width spaces, not refused. */
function write(calls: readonly ToolCall[]): string {
  const common = createRecord<string>();
  const steps = calls.map((call, at): TamStep => {
    const params = createRecord<string>();
    for (const [name, value] of Object.entries(inputObject(call))) {
      const key = keyOf(name);
      (reserved.test(key) ? common : params)[key] = protect(typeof value === "string" ? value : toJsonText(value));
    }
    return {
      index: at + 1,
      tool: protect(call.name),
      params,
      raw: createRecord(),
      uris: createRecord(),
      typeHints: createRecord(),
      onError: "stop",
      retry: 0,
      errors: [],
      span: { start: 0, end: 0 },
    };
  });
  return writeBlock({ steps, common });
}
