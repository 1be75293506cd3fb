import type { JsonSchema, JsonSchemaObject } from "@toolglot/core";

/** JSON Schema type names to the words of argument templates. */
export const words: ReadonlyMap<string, string> = new Map([
  ["string", "string"],
  ["integer", "int"],
  ["number", "number"],
  ["boolean", "bool"],
  ["null", "null"],
  ["object", "object"],
]);

/** Formats of texts that have a word; two names of one format have one word. */
export const formats: ReadonlyMap<string, string> = new Map([
  ["email", "email"],
  ["uri", "url"],
  ["url", "url"],
  ["uuid", "uuid"],
  ["date", "date"],
  ["date-time", "datetime"],
  ["time", "time"],
]);

/** Returns the schema that a reference into the same document leads to, after all steps; `true` where it leads nowhere. */
export function followRef(root: JsonSchemaObject, given: JsonSchema): JsonSchema {
  let schema = given;
  for (let step = 0; step < 16; step++) {
    if (typeof schema === "boolean" || typeof schema.$ref !== "string") return schema;
    const found = refTarget(root, schema.$ref);
    if (typeof found !== "boolean" && (typeof found !== "object" || found === null)) return true;
    schema = found as JsonSchema;
  }
  return true;
}

/** What a reference by pointer, as `#/$defs/name`, leads to in its own document; undefined for any other. */
export function refTarget(root: JsonSchemaObject, ref: string): unknown {
  if (ref !== "#" && !ref.startsWith("#/")) return undefined;
  let found: unknown = root;
  for (const part of ref.split("/").slice(1)) {
    const key = decode(part).replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, key)) return undefined;
    found = (found as Record<string, unknown>)[key];
  }
  return found;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Checks whether a value can be a literal of a template. */
export function isPlain(value: unknown): value is string | number | boolean | null {
  return value === null || typeof value === "string" || typeof value === "boolean" || Number.isFinite(value);
}
