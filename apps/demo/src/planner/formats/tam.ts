import { type Outcome, outcomeOf, type PlannedCall } from "../task.ts";
import { parseJson } from "../text.ts";

/** Calls as one TAM block: a single call without numbers, several as numbered steps. */
export function writeTamBlock(calls: readonly PlannedCall[]): string {
  const steps = calls.map(({ name, input }, index) => {
    const number = calls.length > 1 ? `_${index + 1}` : "";
    const fields = Object.entries({ command: name, ...input });
    return fields.map(([key, value]) => {
      const text = typeof value === "string" ? value : JSON.stringify(value);
      return `${key}${number}:»»»${text}«««\n`;
    });
  });
  return `<|[REQUEST_TOOL]|>\n${steps.map((fields) => fields.join("")).join("\n")}<|[END_TOOL]|>\n`;
}

/** Reads the steps of `<|[TOOL_RESULT]|>` blocks, in their order. */
export function readTamResults(text: string): Outcome[] {
  const blocks = [...text.matchAll(/^<\|\[TOOL_RESULT\]\|>\n([\s\S]*?)^<\|\[END_RESULT\]\|>/gm)];
  return blocks.flatMap(([, fields = ""]) => {
    const found = [...fields.matchAll(/^(\w+):»»»([\s\S]*?)«««$/gm)];
    const values = new Map(found.map(([, key = "", value = ""]) => [key, value.trim()]));
    return [...values].flatMap(([key, status]) => {
      const number = /^status((?:_\d+)?)$/.exec(key)?.[1];
      return number === undefined ? [] : [readStep(status, (name) => values.get(name + number))];
    });
  });
}

function readStep(status: string, field: (name: string) => string | undefined): Outcome {
  const value = status === "pending" ? { task_id: field("task_id") } : parseJson(field("result") ?? "null");
  const error = field("error");
  const [, errorType, message = error] = /^([A-Z]\w*): ([\s\S]*)$/.exec(error ?? "") ?? [];
  return outcomeOf(status, { value, errorType, message });
}
