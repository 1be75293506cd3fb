import { dereference, type Schema } from "@cfworker/json-schema";
import type { JsonSchema, JsonSchemaObject } from "@toolglot/core";
import { isObject } from "@toolglot/internal";
import { unicodePattern } from "./pattern.ts";
import { visitSchemas } from "./schema-walk.ts";

const typeNames: ReadonlySet<string> = new Set(["string", "number", "integer", "boolean", "null", "array", "object"]);
const branches = ["allOf", "anyOf", "oneOf"];

/** What the values of keywords must be. */
const rules: readonly [keywords: readonly string[], expected: string, fits: (value: unknown) => boolean][] = [
  [["enum"], "an array", isList],
  [["required"], "an array of property names", isNames],
  [["dependentRequired"], "an object of arrays of property names", isNameMap],
  [["minimum", "maximum"], "a number", isNumber],
  [["exclusiveMinimum", "exclusiveMaximum"], "a number", (value) => isNumber(value) || typeof value === "boolean"],
  [["multipleOf"], "a number above 0", (value) => isNumber(value) && value > 0],
  [["minLength", "minItems", "minProperties", "minContains"], "a count", isCount],
  [["maxLength", "maxItems", "maxProperties", "maxContains"], "a count", isCount],
  [["uniqueItems"], "true or false", (value) => typeof value === "boolean"],
  [["format", "$ref", "$id", "$anchor"], "text", (value) => typeof value === "string"],
  [branches, "an array of at least one schema", (value) => Array.isArray(value) && value.length > 0],
  [["prefixItems"], "an array of schemas", isList],
];

/**
 * Throws `TypeError` for a keyword whose value is none, at definition and alike for every engine: some find out at the first
 * call, some never.
 */
export function checkKeywords(root: JsonSchemaObject): void {
  visitSchemas(root, (schema, pointer) => {
    const problem = wrongKeyword(schema);
    if (problem !== undefined) throw new TypeError(`#${pointer}: ${problem}`);
  });
}

function wrongKeyword(schema: JsonSchemaObject): string | undefined {
  const problem = wrongType(schema) ?? wrongPattern(schema);
  if (problem !== undefined) return problem;
  for (const [keywords, expected, fits] of rules) {
    const wrong = keywords.find((keyword) => schema[keyword] !== undefined && !fits(schema[keyword]));
    if (wrong !== undefined) return `${wrong} must be ${expected}`;
  }
  return schema.$dynamicRef === undefined ? undefined : "$dynamicRef is not supported: use $ref";
}

function wrongType({ type }: JsonSchemaObject): string | undefined {
  if (type === undefined) return undefined;
  const types = [type].flat();
  if (types.length === 0) return "type must name at least one type";
  const unknown = types.find((name) => !typeNames.has(name));
  return unknown === undefined ? undefined : `${JSON.stringify(unknown)} is no JSON Schema type`;
}

function wrongPattern({ pattern, patternProperties }: JsonSchemaObject): string | undefined {
  if (pattern !== undefined && typeof pattern !== "string") return "pattern must be text";
  const patterns = Object.keys((patternProperties as object | undefined) ?? {});
  if (pattern !== undefined) patterns.push(pattern);
  const wrong = patterns.find((text) => unicodePattern(text) === undefined);
  return wrong === undefined ? undefined : `${JSON.stringify(wrong)} is no regular expression`;
}

function isList(value: unknown): boolean {
  return Array.isArray(value);
}

function isNumber(value: unknown): value is number {
  return Number.isFinite(value);
}

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= 0;
}

function isNames(value: unknown): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === "string");
}

function isNameMap(value: unknown): boolean {
  return isObject(value) && Object.values(value).every(isNames);
}

/**
 * Throws `TypeError` for a reference that leads nowhere in the schema, or back to itself without a step into the value: no
 * engine would return from that.
 */
export function checkReferences(root: JsonSchemaObject): void {
  // The default engine resolves `$id`, `$anchor` and escapes, in a copy that it annotates.
  const own = structuredClone(root);
  const known = dereference(own as Schema) as Record<string, JsonSchema | undefined>;
  const done = new Set<JsonSchema>();
  const open = new Set<JsonSchema>();
  const target = (schema: JsonSchemaObject): JsonSchema | undefined => known[String(schema.__absolute_ref__)];
  const enter = (schema: JsonSchema | undefined, where: string): void => {
    if (typeof schema !== "object" || done.has(schema)) return;
    if (open.has(schema)) throw new TypeError(`${where}: this reference goes round in a circle`);
    open.add(schema);
    for (const inner of inPlace(schema)) enter(inner, where);
    if (schema.$ref !== undefined) enter(target(schema), where);
    open.delete(schema);
    done.add(schema);
  };
  visitSchemas(own, (schema, pointer) => {
    if (schema.$ref !== undefined && target(schema) === undefined) {
      throw new TypeError(`#${pointer}: $ref ${JSON.stringify(schema.$ref)} leads nowhere in this schema`);
    }
  });
  visitSchemas(own, (schema, pointer) => enter(schema, `#${pointer}`));
}

/** Returns the subschemas that hold for the same value, references apart. */
function inPlace(schema: JsonSchemaObject): JsonSchema[] {
  const single = ["not", "if", "then", "else"].map((keyword) => schema[keyword]);
  const lists = branches.map((keyword) => schema[keyword]);
  const maps = [schema.dependentSchemas, schema.dependencies].map((map) => (isObject(map) ? Object.values(map) : []));
  return [...single, ...lists.flat(), ...maps.flat()].filter(isObject) as JsonSchemaObject[];
}
