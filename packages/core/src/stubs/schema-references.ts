import type { JsonSchema, JsonSchemaObject } from "../json.ts";
import { schemaAt } from "./resolve-schema.ts";

/** How the local references under some schemas are used. */
export interface References {
  /** How often each is named, what it points at counted once. */
  uses: ReadonlyMap<string, number>;
  /** Lead back to themselves through a property or an item: a type that needs a name. */
  recursive: ReadonlySet<string>;
  /** Lead back to themselves through nothing but unions: no type at all. */
  empty: ReadonlySet<string>;
}

/** References that hold one another this deep count as recursive, so that what follows them stays shallow. */
const maxDepth = 50;
const unions = ["anyOf", "oneOf", "allOf"] as const;

/** Looks through schemas, and through everything they refer to in `root`. */
export function findReferences(schemas: readonly JsonSchema[], root: JsonSchema): References {
  const uses = new Map<string, number>();
  const recursive = backEdges(schemas, root, (schema) => [...unionParts(schema), ...innerParts(schema)], uses);
  const empty = backEdges(schemas, root, unionParts, undefined, [...uses.keys()]);
  return { uses, recursive, empty };
}

/** References that are met again while their target is being read. */
function backEdges(
  schemas: readonly JsonSchema[],
  root: JsonSchema,
  partsOf: (schema: JsonSchemaObject) => JsonSchema[],
  uses: Map<string, number> | undefined,
  references: readonly string[] = [],
): Set<string> {
  const found = new Set<string>();
  const open = new Set<string>();
  const done = new Set<string>();
  const later: string[] = [];
  const follow = (reference: string): void => {
    uses?.set(reference, (uses.get(reference) ?? 0) + 1);
    const isDeep = open.size >= maxDepth && !done.has(reference);
    if (isDeep) later.push(reference);
    if (isDeep || open.has(reference)) found.add(reference);
    if (isDeep || open.has(reference) || done.has(reference)) return;
    open.add(reference);
    // What a reference points at may hold the schema that the reference stands in.
    visit(schemaAt(reference, root), new Set());
    open.delete(reference);
    done.add(reference);
  };
  const visit = (schema: JsonSchema | undefined, seen: Set<JsonSchema>): void => {
    if (typeof schema !== "object" || schema === null) return;
    if (typeof schema.$ref === "string") {
      follow(schema.$ref);
    } else if (!seen.has(schema)) {
      seen.add(schema);
      for (const part of partsOf(schema)) visit(part, seen);
    }
  };
  for (const schema of schemas) visit(schema, new Set());
  later.push(...references);
  for (const reference of later) if (!done.has(reference)) follow(reference);
  return found;
}

function unionParts(schema: JsonSchemaObject): JsonSchema[] {
  return unions.flatMap((keyword) => list(schema[keyword]));
}

function innerParts(schema: JsonSchemaObject): JsonSchema[] {
  const { properties, items, additionalProperties, prefixItems } = schema;
  return [...Object.values(properties ?? {}), ...list(items), ...list(prefixItems), ...list(additionalProperties)];
}

/** Returns one schema or several, as a list; nothing for what is none. */
function list(value: unknown): JsonSchema[] {
  if (Array.isArray(value)) return value as JsonSchema[];
  return typeof value === "object" && value !== null ? [value as JsonSchema] : [];
}
