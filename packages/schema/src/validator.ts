import { dereference, type Schema, type SchemaDraft, validate } from "@cfworker/json-schema";
import type { JsonSchema, JsonSchemaObject } from "@toolglot/core";
import { literalsOf } from "./describe.ts";
import { atPointer, setOwn, visitSchemas } from "./schema-walk.ts";
import type { Validator } from "./types.ts";

/** The draft a schema says it is written in; without `$schema`, the one MCP and the model providers use. */
export function draftOf(schema: JsonSchemaObject): SchemaDraft {
  const uri = typeof schema.$schema === "string" ? schema.$schema : "";
  if (uri.includes("draft-04")) return "4";
  if (uri.includes("draft-06") || uri.includes("draft-07")) return "7";
  return uri.includes("2019-09") ? "2019-09" : "2020-12";
}

/** The engine that runs everywhere: an interpreter, so it needs neither `eval` nor a build step. */
export function interpretingValidator(schema: JsonSchemaObject): Validator {
  checkKeywords(schema);
  const draft = draftOf(schema);
  // The engine annotates what it is given.
  const own = structuredClone(schema);
  visitSchemas({ schema: own, pointer: "" }, ({ schema: found }) => tellingPropertiesFirst(found));
  const lookup = dereference(own as Schema);
  return {
    accepts(value: unknown, pointer = ""): boolean {
      const at = pointer === "" ? own : atPointer(own, pointer);
      try {
        return validate(value, at as Schema, draft, lookup, true).valid;
      } catch (error) {
        if (error instanceof RangeError) throw error;
        return false; // it throws for what is no JSON: undefined, functions, bigints
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

/** Finds at definition what the engine would find at the first call only. */
export function checkKeywords(root: JsonSchemaObject): void {
  const known = dereference(structuredClone(root) as Schema);
  visitSchemas({ schema: root, pointer: "" }, ({ schema, pointer }) => {
    if (typeof schema === "boolean") return;
    const where = `#${pointer}`;
    const patterns = [schema.pattern, ...Object.keys((schema.patternProperties as object | undefined) ?? {})];
    for (const pattern of patterns) {
      if (typeof pattern !== "string") continue;
      try {
        new RegExp(pattern, "u");
      } catch {
        throw new TypeError(`${where}: ${JSON.stringify(pattern)} is no regular expression`);
      }
    }
    if (schema.enum !== undefined && !Array.isArray(schema.enum))
      throw new TypeError(`${where}: enum must be an array`);
    if (schema.required !== undefined && !Array.isArray(schema.required)) {
      throw new TypeError(`${where}: required must be an array of property names`);
    }
    for (const type of schema.type === undefined ? [] : [schema.type].flat()) {
      if (!typeNames.has(type)) throw new TypeError(`${where}: ${JSON.stringify(type)} is no JSON Schema type`);
    }
    if (schema.$ref?.startsWith("#") && atRef(root, schema.$ref, known) === undefined) {
      throw new TypeError(`${where}: $ref ${JSON.stringify(schema.$ref)} leads nowhere`);
    }
  });
}

const typeNames: ReadonlySet<string> = new Set(["string", "number", "integer", "boolean", "null", "array", "object"]);

function atRef(root: JsonSchemaObject, ref: string, known: Record<string, unknown>): unknown {
  if (ref === "#") return root;
  if (ref.startsWith("#/")) return atPointer(root, decodeURIComponent(ref.slice(1)));
  return Object.keys(known).find((uri) => uri.endsWith(ref));
}
