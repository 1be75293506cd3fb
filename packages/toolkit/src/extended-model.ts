import { contentText, type JsonSchema, type JsonSchemaObject, ToolError } from "@toolglot/core";
import { type InputSchema, type InputSource, toInputSchema } from "@toolglot/schema";
import { errorTypes, ToolkitError } from "./errors.ts";
import { RegisteredToolFunction } from "./registered.ts";

/**
 * The finish function with a model's properties in its schema: it is called with its own arguments, and the final response
 * gets `metadata.structured_output` (the model's part, validated) and `metadata.response_msg` (the finish text). Throws
 * `ToolkitError` with the code `toolkit/extended-model-clash` when both have a property or a definition of one name.
 */
export function extendTool(finish: RegisteredToolFunction, model: InputSource): RegisteredToolFunction {
  const extra = toInputSchema(model, { name: `${finish.name}: the extended model` }) as InputSchema;
  const own = finish.definition.inputSchema;
  const properties = merged(own.properties, extra.jsonSchema.properties, finish.name, "property");
  const definitions = merged(own.$defs, extra.jsonSchema.$defs, finish.name, "definition");
  const required = [...new Set([...(own.required ?? []), ...(extra.jsonSchema.required ?? [])])];
  const inputSchema: JsonSchemaObject = { ...structuredClone(own), type: "object", properties: properties ?? {} };
  if (definitions) inputSchema.$defs = definitions;
  if (required.length > 0) inputSchema.required = required;
  const names = new Set(Object.keys(extra.jsonSchema.properties ?? {}));
  const outputs = new Map<string, unknown>();
  return new RegisteredToolFunction({
    ...finish,
    definition: { ...finish.definition, inputSchema },
    schema: (toInputSchema(inputSchema, { name: finish.name }) as InputSchema).withPresets(finish.presetKwargs),
    execute: async (input: Record<string, unknown>, context) => {
      const [part, rest] = split(input, names);
      const checked = await extra.validate(part);
      if (!checked.success) {
        const lines = checked.issues.map(({ message }) => `- ${message}`).join("\n");
        throw new ToolError(`The input of the tool "${finish.name}" does not fit its schema:\n${lines}`, {
          data: { type: errorTypes.invalidInput, issues: checked.issues },
        });
      }
      outputs.set(context.callId, checked.value);
      return finish.execute(rest, context);
    },
    postprocessFunc: async (call, response) => {
      const processed = (await finish.postprocessFunc?.(call, response)) ?? response;
      if (!response.isLast) return processed;
      const structured = outputs.get(call.id);
      outputs.delete(call.id);
      if (processed.status !== "ok") return processed;
      const found = { response_msg: contentText(processed.content), structured_output: structured };
      return processed.with({ metadata: { ...processed.metadata, ...found } });
    },
  });
}

/** The model's part of an input, and the rest. */
function split(
  input: Record<string, unknown>,
  names: ReadonlySet<string>,
): [Record<string, unknown>, Record<string, unknown>] {
  const entries = Object.entries(input);
  return [
    Object.fromEntries(entries.filter(([key]) => names.has(key))),
    Object.fromEntries(entries.filter(([key]) => !names.has(key))),
  ];
}

function merged(
  own: Record<string, JsonSchema> | undefined,
  extra: Record<string, JsonSchema> | undefined,
  tool: string,
  what: "property" | "definition",
): Record<string, JsonSchema> | undefined {
  for (const key of Object.keys(extra ?? {})) {
    if (!own || !Object.hasOwn(own, key)) continue;
    if (what === "definition" && JSON.stringify(own[key]) === JSON.stringify(extra?.[key])) continue;
    const message = `The extended model has the ${what} ${JSON.stringify(key)}, and so has the tool "${tool}": rename one of them`;
    throw new ToolkitError("toolkit/extended-model-clash", message, { name: tool, key });
  }
  return own || extra ? { ...structuredClone(own), ...structuredClone(extra) } : undefined;
}
