import type { PlannedCall } from "../plan.ts";
import { type Outcome, outcomeOf } from "../task.ts";
import { parseJson, plainText } from "../text.ts";

/** Calls as one TAM block: a single call without numbers, several as numbered steps. */
export function writeTamBlock(calls: readonly PlannedCall[]): string {
  const steps = calls.map(({ name, input }, index) => {
    const number = calls.length > 1 ? `_${index + 1}` : "";
    const fields = Object.entries({ command: name, ...input });
    return fields.map(([key, value]) => `${key}${number}:»»»${plainText(value)}«««\n`).join("");
  });
  return `<|[REQUEST_TOOL]|>\n${steps.join("\n")}<|[END_TOOL]|>\n`;
}

/** Reads the steps of `<|[TOOL_RESULT]|>` blocks, in their order. */
export function readTamResults(text: string): Outcome[] {
  const blocks = [...text.matchAll(/^<\|\[TOOL_RESULT\]\|>\n([\s\S]*?)^<\|\[END_RESULT\]\|>/gm)];
  return blocks.flatMap(([, fields = ""]) => {
    const found = [...fields.matchAll(/^(\w+):»»»([\s\S]*?)«««$/gm)];
    const values = new Map(found.map(([, key = "", value = ""]) => [key, value.trim()]));
    const steps = [...values.keys()].flatMap((key) => /^status((?:_\d+)?)$/.exec(key)?.slice(1) ?? []);
    return steps.map((number) => {
      const [status, error, result, id] = ["status", "error", "result", "task_id"].map((key) =>
        values.get(key + number),
      );
      const value = status === "pending" ? { task_id: id } : parseJson(result ?? "null");
      const [, errorType, message = error] = /^([A-Z]\w*): ([\s\S]*)$/.exec(error ?? "") ?? [];
      return outcomeOf(status, { value, errorType, message });
    });
  });
}
