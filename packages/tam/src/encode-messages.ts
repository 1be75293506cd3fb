import { createRecord, type Message, type ToolCall, type ToolResult, toJsonText } from "@toolglot/core";
import { encodeAsText, inputObject } from "@toolglot/core/results";
import { makeStep } from "./make-step.ts";
import { normalizeKey, reservedKey } from "./names.ts";
import { writeBlock } from "./serialize.ts";
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

/** The block that a model would have written to make these calls; one for each when a parameter's name asks for that. */
function writeCalls(calls: readonly ToolCall[]): string {
  const alone = calls.some((call) => Object.keys(inputObject(call)).some((name) => reservedKey.test(keyOf(name))));
  return (alone ? calls.map((call) => [call]) : [calls]).map(write).join("\n");
}

const keyOf = (name: string): string => normalizeKey(name) || "input";

/** A call that was made is history: a value that no delimiters can hold is shown, with zero-width spaces, not refused. */
function write(calls: readonly ToolCall[]): string {
  const common = createRecord<string>();
  const steps = calls.map((call, at) => {
    const step = makeStep(at + 1, protect(call.name));
    for (const [name, value] of Object.entries(inputObject(call))) {
      const key = keyOf(name);
      const text = protect(typeof value === "string" ? value : toJsonText(value));
      (reservedKey.test(key) ? common : step.params)[key] = text;
    }
    return step;
  });
  return writeBlock({ steps, common });
}
