import { createRecord, type InputIssue, type ToolCall } from "@toolglot/core";
import type { CallGuard } from "@toolglot/core/check-call";
import { andThen, isObject } from "@toolglot/internal";
import type { Conversion, InputSchema, MaybePromise } from "@toolglot/schema";
import { errorTypes } from "../errors.ts";
import type { Resource } from "../resource.ts";
import type { CallableTool, PreparedCall } from "./types.ts";

/** Looks for damage, then validates as {@link prepareInput} does: what is damaged fits a schema as badly as it reads. */
export function prepareCall<Tool extends CallableTool>(
  guard: CallGuard | undefined,
  tool: Tool,
  call: ToolCall,
  given?: Readonly<Record<string, unknown>>,
): MaybePromise<PreparedCall<Tool>> {
  const verdict = guard?.check(call, tool.definition);
  if (verdict === undefined) return prepareInput(tool, call, given);
  const { findings, refusal } = verdict;
  if (refusal !== undefined)
    return { ok: false, error: { type: errorTypes.damagedCall, message: refusal }, metadata: { findings } };
  return andThen(prepareInput(tool, call, given), (prepared) => ({
    ...prepared,
    metadata: { ...prepared.metadata, findings },
  }));
}

/**
 * Validates a call's input for its tool. Presets win: an input under a preset's name is dropped, and reported. `given`
 * holds values of this call alone that are no JSON (resources, bytes): they are passed on as they are, where the tool has a
 * parameter for them.
 */
function prepareInput<Tool extends CallableTool>(
  tool: Tool,
  call: ToolCall,
  given?: Readonly<Record<string, unknown>>,
): MaybePromise<PreparedCall<Tool>> {
  const warnings: string[] = [];
  let asked = withoutPresets(tool, call.input, warnings);
  let { schema } = tool;
  let toCheck = asked;
  if (given !== undefined) {
    const [known, unknown] = sortGiven(tool, given, warnings);
    schema = schema.withPresets({ ...known, ...tool.presets });
    // What the tool has no parameter for is an unknown property, whatever its value.
    const input = typeof asked === "string" ? parsedObject(asked) : asked;
    toCheck = isObject(input) ? { ...input, ...shownValues(unknown) } : input;
    asked = isObject(input) ? { ...input, ...shownValues({ ...known, ...unknown }) } : input;
  }
  const result = schema.validate(toCheck);
  const refuse = (issues: InputIssue[]): PreparedCall<Tool> => {
    const lines = issues.map(({ message }) => `- ${message}`).join("\n");
    const message = `The input of the tool "${tool.name}" does not fit its schema:\n${lines}\nCall it again with corrected input.`;
    const error = { type: errorTypes.invalidInput, message, issues };
    return { ok: false, error, metadata: metadataOf(warnings, undefined) };
  };
  const conclude = (settled: Awaited<typeof result>): MaybePromise<PreparedCall<Tool>> => {
    if (!settled.success) return refuse(settled.issues);
    const metadata = metadataOf(warnings, settled.conversions);
    const prepared = { ok: true as const, tool, input: settled.value, asked, metadata };
    if (tool.extendedModel === undefined) return prepared;
    const [part, input] = splitInput(settled.value as Record<string, unknown>, tool.extendedModel);
    return andThen(tool.extendedModel.validate(part), (checked) =>
      checked.success ? { ...prepared, input, structuredOutput: checked.value } : refuse(checked.issues),
    );
  };
  return andThen(result, conclude);
}

/** Returns an input's part for the extended model, and the rest. */
function splitInput(input: Record<string, unknown>, { jsonSchema }: InputSchema): [part: object, rest: object] {
  const { properties = {} } = jsonSchema;
  const entries = Object.entries(input);
  return [
    Object.fromEntries(entries.filter(([key]) => Object.hasOwn(properties, key))),
    Object.fromEntries(entries.filter(([key]) => !Object.hasOwn(properties, key))),
  ];
}

/** Values as a person or a log is shown them: a resource by its URI and type. */
export function shownValues(given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const shown = createRecord<unknown>();
  for (const [name, value] of Object.entries(given)) {
    const { uri, mediaType } = (value ?? {}) as Partial<Resource>;
    shown[name] = typeof uri === "string" ? { uri, mediaType } : value;
  }
  return shown;
}

/** Returns the values that the tool has parameters for, and those that it has not; less those that are preset. */
function sortGiven(
  { schema, presetNames }: CallableTool,
  given: Readonly<Record<string, unknown>>,
  warnings: string[],
): [known: Record<string, unknown>, unknown: Record<string, unknown>] {
  const { properties = {}, additionalProperties } = schema.jsonSchema;
  const known = createRecord<unknown>();
  const unknown = createRecord<unknown>();
  for (const [name, value] of Object.entries(given)) {
    if (presetNames.includes(name)) warnings.push(presetStands([name]));
    else (Object.hasOwn(properties, name) || additionalProperties !== false ? known : unknown)[name] = value;
  }
  return [known, unknown];
}

function presetStands(names: readonly string[]): string {
  return `The input set ${names.join(", ")}, which the host has preset: the preset stands.`;
}

function metadataOf(warnings: string[], conversions: Conversion[] | undefined): Record<string, unknown> | undefined {
  if (warnings.length === 0 && conversions === undefined) return undefined;
  const metadata: Record<string, unknown> = {};
  if (warnings.length > 0) metadata.warnings = warnings;
  if (conversions !== undefined) metadata.conversions = conversions;
  return metadata;
}

/** Returns the input without presets. A call without arguments comes as nothing, or as empty text. */
function withoutPresets(tool: CallableTool, input: unknown, warnings: string[]): unknown {
  if (input === undefined || input === null || input === "") return {};
  const names = tool.presetNames;
  if (names.length === 0) return input;
  const object = typeof input === "string" ? parsedObject(input) : input;
  if (!isObject(object)) return input;
  const dropped = names.filter((name) => Object.hasOwn(object, name));
  if (dropped.length === 0) return input;
  const kept = createRecord<unknown>();
  for (const [key, value] of Object.entries(object)) {
    if (!dropped.includes(key)) kept[key] = value;
  }
  warnings.push(presetStands(dropped));
  return kept;
}

function parsedObject(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
