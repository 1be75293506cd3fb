import type { JsonObject, JsonSchemaObject } from "@toolglot/core";
import type { InputSchema } from "@toolglot/schema";
import type { ImportedTool } from "../types.ts";
import { argumentSchema, withoutKey } from "./input-schema.ts";

const sources = new WeakMap<ImportedTool, JsonSchemaObject>();
const schemas = new WeakMap<ImportedTool, InputSchema>();

/** Has the arguments of a tool checked as its caller sees it: where each has a list of their own, the router takes any. */
export function setOwnSchema(tool: ImportedTool, schema: JsonSchemaObject): void {
  sources.set(tool, schema);
}

function schemaOf(tool: ImportedTool): InputSchema | undefined {
  const known = schemas.get(tool);
  const source = sources.get(tool);
  if (known !== undefined || source === undefined) return known;
  const { input } = argumentSchema(withoutKey(source, tool.settings));
  schemas.set(tool, input);
  return input;
}

/** Checks arguments as the router does, where it can't. */
export function checkOwn(
  tool: ImportedTool,
  args: JsonObject,
): { success: true; args: JsonObject } | { success: false; issues: string[] } {
  const schema = schemaOf(tool);
  if (schema === undefined) return { success: true, args };
  const result = schema.validate(args) as Awaited<ReturnType<typeof schema.validate>>;
  if (!result.success) return { success: false, issues: result.issues.map(({ message }) => message) };
  if (result.conversions === undefined) return { success: true, args: result.value as JsonObject };
  const issues = result.conversions.map(
    ({ path, from, to }) => `${path || "the arguments"}: expected ${to}, got ${from}`,
  );
  return { success: false, issues };
}
