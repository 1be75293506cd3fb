import { createRecord, type ToolCall, type ToolErrorInfo } from "@toolglot/core";
import type { Conversion, MaybePromise } from "@toolglot/schema";
import { errorTypes } from "./errors.ts";
import type { RegisteredToolFunction } from "./registered.ts";

/** A call that may run, or why it may not. */
export type Prepared =
  | {
      ok: true;
      tool: RegisteredToolFunction;
      /** What the tool gets: validated, with defaults and presets. */
      input: unknown;
      /** What the model asked for, without what it can't set. */
      asked: unknown;
      metadata: Record<string, unknown> | undefined;
    }
  | { ok: false; error: ToolErrorInfo; metadata?: Record<string, unknown> | undefined };

/**
 * Validates a call's input for its tool. Presets win: an input under a preset's name is dropped, and reported. `given`
 * holds values of this call alone that are no JSON, and are not validated.
 */
export function prepareInput(
  tool: RegisteredToolFunction,
  call: ToolCall,
  given?: Readonly<Record<string, unknown>>,
): MaybePromise<Prepared> {
  const warnings: string[] = [];
  const asked = withoutPresets(tool, call.input, warnings);
  const schema = given === undefined ? tool.schema : tool.schema.withPresets({ ...tool.presetKwargs, ...given });
  const result = schema.validate(asked);
  const conclude = (settled: Awaited<typeof result>): Prepared => {
    if (!settled.success) {
      const lines = settled.issues.map(({ message }) => `- ${message}`).join("\n");
      const message = `The input of the tool "${tool.name}" does not fit its schema:\n${lines}\nCall it again with corrected input.`;
      const error = { type: errorTypes.invalidInput, message, issues: settled.issues };
      return { ok: false, error, metadata: metadataOf(warnings, undefined) };
    }
    const metadata = metadataOf(warnings, settled.conversions);
    return { ok: true, tool, input: settled.value, asked, metadata };
  };
  return result instanceof Promise ? result.then(conclude) : conclude(result);
}

function metadataOf(warnings: string[], conversions: Conversion[] | undefined): Record<string, unknown> | undefined {
  if (warnings.length === 0 && conversions === undefined) return undefined;
  const metadata: Record<string, unknown> = {};
  if (warnings.length > 0) metadata.warnings = warnings;
  if (conversions !== undefined) metadata.conversions = conversions;
  return metadata;
}

/** A call without arguments comes as nothing, or as empty text. */
function withoutPresets(tool: RegisteredToolFunction, input: unknown, warnings: string[]): unknown {
  if (input === undefined || input === null || input === "") return {};
  const names = tool.presetNames;
  if (names.length === 0) return input;
  const object = typeof input === "string" ? parsedObject(input) : input;
  if (typeof object !== "object" || object === null || Array.isArray(object)) return input;
  const dropped = names.filter((name) => Object.hasOwn(object, name));
  if (dropped.length === 0) return input;
  const kept = createRecord<unknown>();
  for (const [key, value] of Object.entries(object)) {
    if (!dropped.includes(key)) kept[key] = value;
  }
  warnings.push(`The input set ${dropped.join(", ")}, which the host has preset: the preset stands.`);
  return kept;
}

function parsedObject(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
