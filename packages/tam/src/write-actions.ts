import {
  type Action,
  coerceText,
  createRecord,
  type JsonSchema,
  type PlanAction,
  type ToolCall,
  type ToolDefinition,
  toJsonText,
} from "@toolglot/core";
import { inputObject } from "@toolglot/core/results";
import { type ActionWriter, actionCalls, withText } from "@toolglot/core/text";
import { makeStep } from "./fields/make-block.ts";
import { declaredParams, findParam, findTool, normalizeKey, reservedKey } from "./names.ts";
import { protect } from "./results.ts";
import { delimitedJson, plainBody, writeBlock } from "./serialize.ts";
import type { TamStep, TamTypeHint } from "./types.ts";

/**
 * A block for each action: calls become steps, one block for each when a parameter's name asks for that. The nearest form has keys
 * instead of names that are none, and the name of a tool with zero-width spaces where delimiters can't hold it.
 */
export const writeActions: ActionWriter = (actions, { tools, text, nearest }) =>
  withText(text, actions.map((action) => writeAction(action, nearest ? undefined : tools)).join("\n"));

type Asking = Pick<ToolCall, "name" | "input">;

/** Writes an action. `tools`: whose schemas say how texts are read back; undefined for the nearest form. */
function writeAction(action: Action, tools: readonly ToolDefinition[] | undefined): string {
  if (action.kind === "plan" && tools) return writePlan(action, tools);
  const calls = actionCalls(action, tools === undefined);
  if (typeof calls === "string") return calls;
  const alone = calls.some((call) => Object.keys(inputObject(call)).some((name) => reservedKey.test(keyOf(name))));
  return (alone ? calls.map((call) => [call]) : [calls]).map((some) => writeCalls(some, tools)).join("\n");
}

const keyOf = (name: string): string => normalizeKey(name) || "input";

function writePlan({ plan }: PlanAction, tools: readonly ToolDefinition[]): string {
  const common = createRecord<string>();
  for (const [name, value] of Object.entries(plan.common)) common[name] = textOf(value);
  const steps = plan.steps.map(({ index, tool, params, uris, onError, retry }) => {
    const step = Object.assign(makeStep(index, tool), { uris, onError, retry });
    // What each step takes is written once.
    for (const [name, value] of Object.entries(params)) if (value !== plan.common[name]) put(step, name, value, tools);
    return step;
  });
  return writeBlock({ steps, common });
}

function writeCalls(calls: readonly Asking[], tools: readonly ToolDefinition[] | undefined): string {
  const common = createRecord<string>();
  const steps = calls.map((call, at) => {
    const step = makeStep(at + 1, tools ? call.name : protect(call.name));
    for (const [name, value] of Object.entries(inputObject(call))) {
      const key = tools ? name : keyOf(name);
      if (reservedKey.test(keyOf(name))) {
        const text = textOf(value);
        const isPlain = plainBody(text) !== undefined;
        common[key] = isPlain ? text : delimitedJson(text);
        if (!isPlain) step.typeHints[key] = "json";
      } else if (value !== undefined) put(step, key, value, tools ?? []);
    }
    return step;
  });
  return writeBlock({ steps, common });
}

/** Adds a parameter to a step, with a hint where the tool's schema would read its text as something else. */
function put(step: TamStep, name: string, value: unknown, tools: readonly ToolDefinition[]): void {
  const text = textOf(value);
  step.params[name] = text;
  const found = findTool(step.tool, tools);
  const tool = found && "tool" in found ? found.tool : undefined;
  const bound = tool && findParam(name, tool);
  const declared = tool && declaredParams(tool);
  const schema = bound && "name" in bound ? (declared?.schemas.get(bound.name) ?? declared?.others) : undefined;
  const hint = hintFor(value, text, schema, tool);
  if (hint) step.typeHints[name] = hint;
}

function hintFor(
  value: unknown,
  text: string,
  schema: JsonSchema | undefined,
  tool: ToolDefinition | undefined,
): TamTypeHint | undefined {
  if (value instanceof Uint8Array) return "base64";
  const read = coerceText(text, schema, tool ? { root: tool.inputSchema } : {});
  if (read.success && toJsonText(read.value) === toJsonText(value)) return undefined;
  return typeof value === "string" ? "text" : "json";
}

/** Returns text as it is, bytes as base64, all else as JSON in which nothing is taken for a delimiter. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (value instanceof Uint8Array) return btoa(Array.from(value, (byte) => String.fromCharCode(byte)).join(""));
  return delimitedJson(value);
}
