import { dereference, type Schema, validate } from "@cfworker/json-schema";
import type { JsonSchema, JsonSchemaObject } from "@toolglot/core";
import { literalsOf } from "./describe.ts";
import { atPointer, eachSubschema, setOwn, visitSchemas } from "./schema-walk.ts";
import type { Validator } from "./types.ts";
import { extractUniqueItems } from "./unique.ts";

/** The engine that runs everywhere: an interpreter, so it needs neither `eval` nor a build step. */
export function interpretingValidator(schema: JsonSchemaObject): Validator {
  // The engine annotates what it is given.
  const own = structuredClone(schema);
  visitSchemas({ schema: own, pointer: "" }, ({ schema: found }) => tellingPropertiesFirst(found));
  // It compares each item with each: seconds for some thousands of them.
  const itemsDiffer = extractUniqueItems(own);
  const lookup = dereference(own as Schema) as Record<string, JsonSchema>;
  skipReferences(own, lookup);
  return {
    accepts(value: unknown, pointer = ""): boolean {
      const at = pointer === "" ? own : atPointer(own, pointer);
      try {
        return (
          validate(value, at as Schema, "2020-12", lookup as Record<string, Schema>, true).valid &&
          (itemsDiffer === undefined || itemsDiffer(value, pointer))
        );
      } catch {
        // It throws for `undefined`, and for more than about 100,000 faults: it passes them on as arguments.
        return false;
      }
    },
  };
}

/**
 * The engine stops at an object's first wrong property, but tries every branch of a union. With the constants first it
 * leaves a branch that isn't meant before it walks into its children: nested unions would multiply.
 */
function tellingPropertiesFirst(schema: JsonSchema): void {
  if (typeof schema === "boolean" || schema.properties === undefined) return;
  const entries = Object.entries(schema.properties);
  const tells = ([, found]: [string, JsonSchema]): boolean => literalsOf(found) !== undefined;
  const sorted = [...entries.filter(tells), ...entries.filter((entry) => !tells(entry))];
  const properties: Record<string, JsonSchema> = {};
  for (const [name, found] of sorted) setOwn(properties, name, found);
  schema.properties = properties;
}

/**
 * Puts what a reference leads to in its place. Each reference costs the engine a call, and stack: a deep value under
 * schemas that refer to each other would overflow it. From here on the schema goes round in circles.
 */
function skipReferences(root: JsonSchemaObject, lookup: Record<string, JsonSchema>): void {
  const moves: (() => void)[] = [];
  visitSchemas({ schema: root, pointer: "" }, ({ schema }) => {
    if (typeof schema === "boolean") return;
    eachSubschema(schema, (keyword, inner, key) => {
      const target = targetOf(inner, lookup);
      if (target === inner) return;
      const holder = key === undefined ? schema : (schema[keyword] as Record<string | number, unknown>);
      moves.push(() => setOwn(holder, String(key ?? keyword), target));
    });
  });
  for (const move of moves) move();
}

const saysNothing = new Set(["$ref", "description", "default", "examples", "$comment"]);

function targetOf(schema: JsonSchema, lookup: Record<string, JsonSchema>): JsonSchema {
  let current = schema;
  while (typeof current === "object" && current.$ref !== undefined) {
    if (!Object.keys(current).every((keyword) => saysNothing.has(keyword))) break;
    const next = lookup[String(current.__absolute_ref__)];
    if (next === undefined) break;
    current = next;
  }
  return current;
}
