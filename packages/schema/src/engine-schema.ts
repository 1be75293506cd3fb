import { format } from "@cfworker/json-schema";
import type { JsonSchema, JsonSchemaObject, JsonSchemaType } from "@toolglot/core";
import { checkKeywords } from "./keywords.ts";
import { unicodePattern } from "./pattern.ts";
import { isObject, setOwn, visitSchemas } from "./schema-walk.ts";

/** The drafts an engine must know; older spellings are rewritten to one of them. */
export type Draft = "7" | "2019-09" | "2020-12";

/** The draft of a schema for engines; without `$schema`, the one MCP and the model providers use. */
export function draftOf({ $schema }: JsonSchemaObject): Draft {
  const uri = typeof $schema === "string" ? $schema : "";
  if (/draft-0[467]/.test(uri)) return "7";
  return uri.includes("2019-09") ? "2019-09" : "2020-12";
}

/** What may stand beside a `$ref` before 2019-09: no assertion there counts. */
const besideRef = new Set([
  "$ref",
  "$defs",
  "definitions",
  "default",
  "description",
  "examples",
  "$comment",
  "$schema",
]);

/**
 * The schema as engines get it, and as coercion and errors walk it: a copy of its own, checked, in the spelling of its
 * draft, without what engines read differently. It accepts what the given schema means:
 * - `nullable: true` (OpenAPI) is a type more, `exclusiveMinimum: true` (draft 4) a bound, a list of `items` (draft 7
 *   and before) a `prefixItems`; what stands beside a `$ref` counts from 2019-09 on only;
 * - patterns are rewritten for unicode mode, formats that no engine knows are dropped.
 */
export function engineSchema(given: JsonSchemaObject): JsonSchemaObject {
  checkKeywords(given);
  const root = structuredClone(given);
  const isDraft4 = /draft-04/.test(String(root.$schema));
  const draft = draftOf(root);
  visitSchemas({ schema: root, pointer: "" }, ({ schema }) => {
    if (typeof schema === "boolean") return;
    if (draft === "7" && schema.$ref !== undefined) dropSiblings(schema);
    if (isDraft4 && typeof schema.id === "string") schema.$id = schema.id;
    delete schema.id;
    delete schema.$async;
    if (typeof schema.format === "string" && !Object.hasOwn(format, schema.format)) delete schema.format;
    spellNull(schema);
    spellBounds(schema);
    spellPatterns(schema);
    if (draft === "2020-12") spellTuple(schema);
  });
  return root;
}

function dropSiblings(schema: JsonSchemaObject): void {
  for (const keyword of Object.keys(schema)) if (!besideRef.has(keyword)) delete schema[keyword];
}

function spellNull(schema: JsonSchemaObject): void {
  const types = schema.type === undefined ? [] : [schema.type].flat();
  if (schema.nullable === true && types.length > 0) {
    schema.type = [...new Set<JsonSchemaType>([...types, "null"])];
    if (schema.enum !== undefined && !schema.enum.includes(null)) schema.enum = [...schema.enum, null];
  }
  delete schema.nullable;
}

function spellBounds(schema: JsonSchemaObject): void {
  for (const [exclusive, bound] of [
    ["exclusiveMinimum", "minimum"],
    ["exclusiveMaximum", "maximum"],
  ] as const) {
    if (typeof schema[exclusive] !== "boolean") continue;
    if (schema[exclusive] && schema[bound] !== undefined) {
      schema[exclusive] = schema[bound];
      delete schema[bound];
    } else {
      delete schema[exclusive];
    }
  }
}

function spellPatterns(schema: JsonSchemaObject): void {
  if (typeof schema.pattern === "string") schema.pattern = unicodePattern(schema.pattern);
  if (!isObject(schema.patternProperties)) return;
  const spelled = {};
  for (const [pattern, found] of Object.entries(schema.patternProperties)) {
    setOwn(spelled, unicodePattern(pattern) ?? pattern, found);
  }
  schema.patternProperties = spelled;
}

function spellTuple(schema: JsonSchemaObject): void {
  if (!Array.isArray(schema.items)) return;
  schema.prefixItems = schema.items;
  delete schema.items;
  if (schema.additionalItems !== undefined) schema.items = schema.additionalItems as JsonSchema;
  delete schema.additionalItems;
}
