import type { JsonSchema, JsonSchemaObject } from "@toolglot/core";
import { isObject } from "@toolglot/internal";
import { seemsToMatch } from "./pattern-tests.ts";
import { followRefs, type Place, step } from "./schema-walk.ts";

/** Returns what a schema asks for, in a few words: `integer`, `one of "a", "b"`, `array of string`. */
export function describeSchema(root: JsonSchemaObject, schema: JsonSchema, depth = 0): string {
  const place: Place | undefined = followRefs(root, { schema, pointer: "" });
  if (place === undefined || place.schema === true) return "any value";
  if (place.schema === false) return "nothing here";
  const found = place.schema;
  if (Array.isArray(found.enum)) return list(found.enum);
  if (found.const !== undefined) return JSON.stringify(found.const);
  const branches = found.anyOf ?? found.oneOf;
  if (Array.isArray(branches) && depth < 3) {
    return [...new Set(branches.map((branch) => describeSchema(root, branch, depth + 1)))].join(" or ");
  }
  const types = found.type === undefined ? [] : [found.type].flat();
  const names = types.map((type) => {
    if (type !== "array" || !isSchema(found.items) || depth > 2) return type;
    return `array of ${describeSchema(root, found.items, depth + 1)}`;
  });
  if (names.length > 0) return names.join(" or ");
  return found.properties === undefined ? "any value" : "object";
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "boolean" || isObject(value);
}

function list(values: readonly unknown[]): string {
  const shown = values.slice(0, 12).map((value) => JSON.stringify(value));
  if (shown.length === 1) return shown[0] as string;
  return `one of ${shown.join(", ")}${values.length > 12 ? ", …" : ""}`;
}

/** Returns the schema that holds for a property, with the place it stands at; undefined when none is declared. */
export function propertyPlace(place: Place, key: string): Place | undefined {
  return propertyPlaces(place, key)[0];
}

/** Returns all schemas that hold for a property: its own, then those of patterns; else the one for all others. */
export function propertyPlaces({ schema, pointer }: Place, key: string): Place[] {
  if (typeof schema === "boolean") return [];
  const places: Place[] = [];
  if (schema.properties !== undefined && Object.hasOwn(schema.properties, key)) {
    places.push({ schema: schema.properties[key] as JsonSchema, pointer: step(pointer, "properties", key) });
  }
  for (const [pattern, found] of Object.entries((schema.patternProperties as Record<string, JsonSchema>) ?? {})) {
    if (seemsToMatch(pattern, key)) {
      places.push({ schema: found, pointer: step(pointer, "patternProperties", pattern) });
    }
  }
  if (places.length > 0 || schema.additionalProperties === undefined) return places;
  return [{ schema: schema.additionalProperties, pointer: step(pointer, "additionalProperties") }];
}

/** Returns the schema that holds for an item. */
export function itemPlace(place: Place, index: number): Place | undefined {
  const { schema, pointer } = place;
  if (typeof schema === "boolean") return undefined;
  for (const keyword of ["prefixItems", "items"]) {
    const tuple = schema[keyword];
    if (Array.isArray(tuple) && index < tuple.length) {
      return { schema: tuple[index] as JsonSchema, pointer: step(pointer, keyword, index) };
    }
  }
  const rest = Array.isArray(schema.items) ? "additionalItems" : "items";
  return isSchema(schema[rest]) ? { schema: schema[rest], pointer: step(pointer, rest) } : undefined;
}

/** Returns the branches of a keyword, with their places. */
export function branchPlaces(place: Place, keyword: "anyOf" | "oneOf" | "allOf"): Place[] {
  const { schema, pointer } = place;
  const branches = typeof schema === "boolean" ? undefined : schema[keyword];
  if (!Array.isArray(branches)) return [];
  return branches.map((branch, index) => ({ schema: branch, pointer: step(pointer, keyword, index) }));
}

/** Returns the only values a schema takes, when it names them. */
export function literalsOf(schema: JsonSchema | undefined): unknown[] | undefined {
  if (typeof schema !== "object") return undefined;
  return schema.const === undefined ? schema.enum : [schema.const];
}

/** Checks whether an object can't be meant for a branch: a property holds another constant of the same type. */
export function contradicts(root: JsonSchemaObject, branch: Place, value: unknown): boolean {
  const schema = followRefs(root, branch)?.schema;
  if (!isObject(value) || typeof schema !== "object" || schema.properties === undefined) return false;
  return Object.entries(schema.properties).some(([key, found]) => {
    const literals = Object.hasOwn(value, key) ? literalsOf(found) : undefined;
    const held = value[key];
    return literals?.every((literal) => typeof literal === typeof held && literal !== held && held !== null);
  });
}
