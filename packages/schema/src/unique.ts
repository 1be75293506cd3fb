import type { JsonSchema, JsonSchemaObject } from "@toolglot/core";
import { atPointer, canonicalJson } from "@toolglot/internal";
import { branchPlaces, itemPlace, propertyPlace } from "./describe.ts";
import { eachSubschema, followRefs, type Place, visitSchemas } from "./schema-walk.ts";

/**
 * Checks whether all items differ, as JSON: the order of keys doesn't count. Linear in the size of the list, where engines
 * compare each with each.
 */
export function allDiffer(items: readonly unknown[]): boolean {
  const seen = new Set<unknown>();
  for (const item of items) {
    // Texts are kept apart from the JSON of objects by a mark that no JSON begins with.
    const key = typeof item === "object" ? canonicalJson(item) : typeof item === "string" ? `'${item}` : item;
    if (seen.has(key)) return false;
    seen.add(key);
  }
  return true;
}

/** Keywords whose subschemas hold for every value that gets there, whatever the other keywords say. */
const certain = new Set(["properties", "additionalProperties", "items", "prefixItems", "allOf"]);

/**
 * Takes `uniqueItems` out of a schema, and returns what checks it instead; undefined, and the schema as it was, when
 * there is none or when one stands in a branch (`anyOf`, `not`, `if`…), where only the engine knows whether it counts.
 */
export function extractUniqueItems(root: JsonSchemaObject): ((value: unknown, pointer: string) => boolean) | undefined {
  const found: JsonSchemaObject[] = [];
  visitSchemas(root, (schema) => {
    if (schema.uniqueItems === true) found.push(schema);
  });
  if (found.length === 0 || inBranches(root)) return undefined;
  const unique = new Set<JsonSchema>(found);
  for (const schema of found) delete schema.uniqueItems;
  const holds = (given: Place, value: unknown): boolean => {
    if (typeof value !== "object" || value === null) return true;
    if (Array.isArray(value) && unique.has(given.schema) && !allDiffer(value)) return false;
    const place = followRefs(root, given);
    if (place === undefined) return true;
    if (place.schema !== given.schema && !holds(place, value)) return false;
    if (!branchPlaces(given, "allOf").every((branch) => holds(branch, value))) return false;
    const entries = Array.isArray(value) ? value.entries() : Object.entries(value);
    for (const [key, item] of entries) {
      const child = typeof key === "number" ? itemPlace(given, key) : propertyPlace(given, key);
      if (child !== undefined && !holds(child, item)) return false;
    }
    return true;
  };
  return (value, pointer) => holds({ schema: atPointer(root, pointer) as JsonSchema, pointer }, value);
}

/** Checks whether a `uniqueItems` can be reached through a keyword that may or may not hold. */
function inBranches(root: JsonSchemaObject): boolean {
  const seen = new Set<JsonSchema>();
  /** Calls back for what a schema leads to, references included. */
  const reach = (schema: JsonSchema, visit: (schema: JsonSchemaObject) => boolean): boolean => {
    if (typeof schema === "boolean" || seen.has(schema)) return false;
    seen.add(schema);
    if (visit(schema)) return true;
    const target = schema.$ref === undefined ? undefined : followRefs(root, { schema, pointer: "" });
    // A reference that isn't a pointer is the engine's.
    if (schema.$ref !== undefined && target === undefined) return true;
    let found = target !== undefined && reach(target.schema, visit);
    eachSubschema(schema, (_keyword, inner) => {
      found ||= reach(inner, visit);
    });
    return found;
  };
  let found = false;
  visitSchemas(root, (schema) => {
    eachSubschema(schema, (keyword, inner) => {
      if (certain.has(keyword) || keyword === "$defs" || keyword === "definitions") return;
      seen.clear();
      found ||= reach(inner, ({ uniqueItems }) => uniqueItems === true);
    });
  });
  return found;
}
