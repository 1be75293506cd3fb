import { format } from "@cfworker/json-schema";
import type { JsonSchema, JsonSchemaObject, JsonSchemaType } from "@toolglot/core";
import { atPointer, isObject } from "@toolglot/internal";
import { checkKeywords, checkReferences } from "./keywords.ts";
import { unicodePattern } from "./pattern.ts";
import { localPointer, setOwn, visitSchemas } from "./schema-walk.ts";

/** Checks whether a schema is of draft 7 or before, where nothing counts beside a `$ref`. */
export function isBeforeDraft2019({ $schema }: JsonSchemaObject): boolean {
  return /draft-0[3467]/.test(String($schema));
}

const patternFormats = "toolglot:pattern";

/** The format that stands for patterns in the default engine: of this copy of the package alone, as the table is everybody's. */
export const patternFormat: string = freeName(patternFormats);

function freeName(name: string): string {
  return Object.hasOwn(format, name) ? freeName(`${name}'`) : name;
}

const besideRef = new Set(["$ref", "$defs", "definitions", "default", "description", "examples", "$comment"]);

/**
 * Returns the schema as engines get it, and as coercion and errors walk it: a copy of its own, checked, in draft 2020-12,
 * without what engines read differently. It accepts what the given schema means, in whichever draft:
 * - a list of `items` becomes `prefixItems`, `exclusiveMinimum: true` (draft 4) a bound, `nullable: true` (OpenAPI) a
 *   type more; what stands beside a `$ref` counts from 2019-09 on only;
 * - patterns are rewritten for unicode mode; formats that no engine knows are dropped, and `url` is `uri`.
 */
export function engineSchema(given: JsonSchemaObject): JsonSchemaObject {
  checkKeywords(given);
  const root = structuredClone(given);
  const isOld = isBeforeDraft2019(root);
  const isDraft4 = String(root.$schema).includes("draft-04");
  delete root.$schema;
  const references = localReferences(root);
  visitSchemas(root, (schema) => {
    if (isOld && schema.$ref !== undefined) dropSiblings(schema);
    if (isDraft4 && typeof schema.id === "string") schema.$id = schema.id;
    // Engines have meanings of their own for these.
    delete schema.id;
    delete schema.$async;
    spellFormat(schema);
    spellNull(schema);
    spellBounds(schema);
    spellPatterns(schema);
    spellTuple(schema);
  });
  followMoved(root, references);
  checkReferences(root);
  return root;
}

/** A schema that refers to another, where that other one stood. */
type Reference = [schema: JsonSchemaObject, target: unknown, pointer: string];

function localReferences(root: JsonSchemaObject): Reference[] {
  const found: Reference[] = [];
  visitSchemas(root, (schema) => {
    if (schema.$ref === undefined) return;
    const pointer = localPointer(schema.$ref);
    if (pointer !== undefined) found.push([schema, atPointer(root, pointer), pointer]);
  });
  return found;
}

/** References to what has moved, as from `items/0` to `prefixItems/0`. */
function followMoved(root: JsonSchemaObject, references: readonly Reference[]): void {
  if (references.every(([, target, pointer]) => atPointer(root, pointer) === target)) return;
  const places = new Map<unknown, string>();
  visitSchemas(root, (schema, pointer) => places.set(schema, pointer));
  for (const [schema, target] of references) {
    const pointer = typeof target === "object" ? places.get(target) : undefined;
    if (pointer !== undefined) schema.$ref = `#${pointer.split("/").map(encodeURIComponent).join("/")}`;
  }
}

function dropSiblings(schema: JsonSchemaObject): void {
  for (const keyword of Object.keys(schema)) if (!besideRef.has(keyword)) delete schema[keyword];
}

function spellFormat(schema: JsonSchemaObject): void {
  // No format of JSON Schema. The check for it takes no local address, and hangs for `http://` and thirty letters.
  if (schema.format === "url") schema.format = "uri";
  const { format: name } = schema;
  if (typeof name !== "string") return;
  if (!Object.hasOwn(format, name) || name.startsWith(patternFormats)) delete schema.format;
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
  if (Array.isArray(schema.items)) {
    schema.prefixItems ??= schema.items;
    delete schema.items;
    if (schema.additionalItems !== undefined) schema.items = schema.additionalItems as JsonSchema;
  }
  delete schema.additionalItems;
}
