import { type Outcome, parseJson } from "../outcome.ts";
import type { PlannedCall } from "../task.ts";

/** How one field is written; slips write it in other ways. */
export type FieldWriter = (key: string, value: string) => string;

/** A field as the specification wants it. */
export const field: FieldWriter = (key, value) => `${key}:»»»${value}«««`;

/** Calls as one TAM block: a single call without numbers, several as numbered steps. */
export function writeTamBlock(calls: readonly PlannedCall[], write: FieldWriter = field): string {
  const steps = calls.map(({ name, input }, index) => {
    const number = calls.length > 1 ? `_${index + 1}` : "";
    const params = Object.entries(input).map(([key, value]) => write(key + number, valueText(value)));
    return [write(`command${number}`, name), ...params].join("\n");
  });
  return `<|[REQUEST_TOOL]|>\n${steps.join("\n\n")}\n<|[END_TOOL]|>\n`;
}

/** Text as it is, everything else as JSON. */
function valueText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Reads the steps of `<|[TOOL_RESULT]|>` blocks, in their order. */
export function readTamResults(text: string): Outcome[] {
  const blocks = [...text.matchAll(/^<\|\[TOOL_RESULT\]\|>\n([\s\S]*?)^<\|\[END_RESULT\]\|>/gm)];
  return blocks.flatMap(([, fields = ""]) => {
    const values = new Map<string, string>();
    for (const [, key = "", value = ""] of fields.matchAll(/^(\w+):»»»([\s\S]*?)«««$/gm)) values.set(key, value.trim());
    return [...values].flatMap(([key, status]) => {
      const number = /^status((?:_\d+)?)$/.exec(key)?.[1];
      return number === undefined ? [] : [readStep(status, (name) => values.get(name + number))];
    });
  });
}

function readStep(status: string, field: (name: string) => string | undefined): Outcome {
  if (status === "pending") return { status: "ok", value: { task_id: field("task_id") } };
  if (status === "ok") return { status: "ok", value: parseJson(field("result") ?? "null") };
  const error = field("error") ?? "";
  const [, type, message] = /^([A-Z]\w*): ([\s\S]*)$/.exec(error) ?? [];
  const denied = status === "denied" || type === "Denied";
  return { status: denied ? "denied" : "error", errorType: type ?? "Error", message: message ?? error };
}
