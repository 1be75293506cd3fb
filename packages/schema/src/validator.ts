import { dereference, type Schema, validate } from "@cfworker/json-schema";
import type { JsonSchema, JsonSchemaObject } from "@toolglot/core";
import { literalsOf } from "./describe.ts";
import { draftOf } from "./engine-schema.ts";
import { atPointer, setOwn, visitSchemas } from "./schema-walk.ts";
import type { Validator } from "./types.ts";
import { extractUniqueItems } from "./unique.ts";

/** The engine that runs everywhere: an interpreter, so it needs neither `eval` nor a build step. */
export function interpretingValidator(schema: JsonSchemaObject): Validator {
  const draft = draftOf(schema);
  // The engine annotates what it is given.
  const own = structuredClone(schema);
  visitSchemas({ schema: own, pointer: "" }, ({ schema: found }) => tellingPropertiesFirst(found));
  // It compares each item with each: seconds for some thousands of them.
  const itemsDiffer = extractUniqueItems(own);
  const lookup = dereference(own as Schema);
  return {
    accepts(value: unknown, pointer = ""): boolean {
      const at = pointer === "" ? own : atPointer(own, pointer);
      try {
        return (
          validate(value, at as Schema, draft, lookup, true).valid &&
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
