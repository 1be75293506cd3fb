import type { JsonSchema, JsonSchemaObject } from "@toolglot/core";
import { type InputSchema, type InputSource, toInputSchema, type ValidatorFactory } from "@toolglot/schema";
import { RegisteredToolFunction } from "../call/registered.ts";
import { ToolkitError } from "../errors.ts";

/**
 * Returns the finish function with a model's properties in its schema. Its calls are validated with the model too, and it is called
 * with its own arguments; what of a call is the model's, `prepareInput` keeps apart. Throws `ToolkitError` with the code
 * `toolkit/extended-model-clash` when both have a property or a definition of one name.
 */
export function extendTool(
  finish: RegisteredToolFunction,
  model: InputSource,
  validator: ValidatorFactory | undefined,
): RegisteredToolFunction {
  const engine = validator && { validator };
  const extra = toInputSchema(model, { name: `${finish.name}: the extended model`, ...engine }) as InputSchema;
  const own = finish.definition.inputSchema;
  for (const key of finish.presetNames) {
    if (Object.hasOwn(extra.jsonSchema.properties ?? {}, key)) throw clash("property", key, finish.name);
  }
  const properties = merged(own.properties, extra.jsonSchema.properties, finish.name, "property");
  const definitions = merged(own.$defs, extra.jsonSchema.$defs, finish.name, "definition");
  const required = [...new Set([...(own.required ?? []), ...(extra.jsonSchema.required ?? [])])];
  const inputSchema: JsonSchemaObject = { ...structuredClone(own), type: "object", properties: properties ?? {} };
  if (definitions) inputSchema.$defs = definitions;
  if (required.length > 0) inputSchema.required = required;
  const { untrusted } = finish.schema;
  const whole = toInputSchema(inputSchema, { name: finish.name, ...engine, untrusted }) as InputSchema;
  return new RegisteredToolFunction({
    ...finish,
    definition: { ...finish.definition, inputSchema },
    schema: whole.withPresets(finish.presets),
    extendedModel: extra,
    unextended: finish.unextended ?? finish,
  });
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
    throw clash(what, key, tool);
  }
  return own || extra ? { ...structuredClone(own), ...structuredClone(extra) } : undefined;
}

function clash(what: "property" | "definition", key: string, tool: string): ToolkitError {
  const message = `The extended model has the ${what} ${JSON.stringify(key)}, and so has the tool "${tool}": rename one of them`;
  return new ToolkitError("toolkit/extended-model-clash", message, { name: tool, key });
}
