import type { JsonSchema, JsonSchemaObject } from "@toolglot/core";
import { branchPlaces, contradicts, itemPlace, propertyPlace, typeOf } from "./describe.ts";
import { visitBudget } from "./flaw.ts";
import { followRefs, isObject, type Place, setOwn, step, visitSchemas } from "./schema-walk.ts";
import type { Validator } from "./types.ts";

/** Whether any property of the schema has a default. */
export function hasDefaults(root: JsonSchemaObject): boolean {
  let found = false;
  visitSchemas({ schema: root, pointer: "" }, ({ schema }) => {
    if (typeof schema !== "boolean" && schema.default !== undefined) found = true;
  });
  return found;
}

/**
 * `TypeError` for a default that doesn't fit its own schema: the model would be blamed for it. A null that doesn't fit
 * says that there is no default, as many schemas written by hand do, and is deleted.
 */
export function checkDefaults(root: JsonSchemaObject, validator: Validator, where: string): void {
  visitSchemas({ schema: root, pointer: "" }, ({ schema, pointer }) => {
    if (typeof schema === "boolean" || schema.default === undefined) return;
    if (validator.accepts(schema.default, pointer)) return;
    if (schema.default === null) {
      delete schema.default;
      return;
    }
    const field = pointer.split("/").pop() || "the input";
    throw new TypeError(
      `${where}: the default ${JSON.stringify(schema.default)} of ${field} (${typeOf(schema.default)}) does not fit its schema`,
    );
  });
}

/** The value with defaults for missing properties, nested too; the same value when nothing is missing. */
export function applyDefaults(root: JsonSchemaObject, validator: Validator, value: unknown): unknown {
  const filling = new Set<string>();
  let left: number | undefined;
  return visit({ schema: root, pointer: "" }, value);

  function visit(given: Place, current: unknown): unknown {
    const place = followRefs(root, given);
    left ??= visitBudget(value);
    if (left-- <= 0 || place === undefined || typeof place.schema === "boolean") return current;
    let result = current;
    for (const branch of branchPlaces(place, "allOf")) result = visit(branch, result);
    for (const keyword of ["anyOf", "oneOf"] as const) {
      const chosen = branchPlaces(place, keyword)
        .filter((branch) => !contradicts(root, branch, result))
        .map((branch) => ({ branch, filled: visit(branch, result) }))
        .find(({ branch, filled }) => validator.accepts(filled, branch.pointer));
      if (chosen !== undefined) result = chosen.filled;
    }
    if (Array.isArray(result)) return fillItems(place, result);
    return isObject(result) ? fillProperties(place, result) : result;
  }

  /** A default may lack defaults of its own; one that would come to stand inside itself stays as it is. */
  function fill(place: Place, fallback: unknown): unknown {
    const { pointer } = followRefs(root, place) ?? place;
    if (filling.has(pointer)) return fallback;
    filling.add(pointer);
    const filled = visit(place, fallback);
    filling.delete(pointer);
    return filled;
  }

  function fillItems(place: Place, items: unknown[]): unknown[] {
    let copy: unknown[] | undefined;
    for (const [index, item] of items.entries()) {
      const child = itemPlace(place, index);
      const filled = child === undefined ? item : visit(child, item);
      if (filled === item) continue;
      copy ??= items.slice();
      copy[index] = filled;
    }
    return copy ?? items;
  }

  function fillProperties(place: Place, object: Record<string, unknown>): Record<string, unknown> {
    let copy: Record<string, unknown> | undefined;
    const set = (key: string, item: unknown): void => {
      copy ??= { ...object };
      setOwn(copy, key, item);
    };
    const properties = typeof place.schema === "boolean" ? {} : (place.schema.properties ?? {});
    for (const key of Object.keys(properties)) {
      if (Object.hasOwn(object, key) && object[key] !== undefined) continue;
      const child: Place = { schema: properties[key] ?? true, pointer: step(place.pointer, "properties", key) };
      const fallback = defaultOf(child.schema) ?? defaultOf(followRefs(root, child)?.schema);
      if (fallback !== undefined) set(key, fill(child, structuredClone(fallback)));
    }
    for (const key of Object.keys(object)) {
      const child = propertyPlace(place, key);
      if (child === undefined || object[key] === undefined) continue;
      const filled = visit(child, object[key]);
      if (filled !== object[key]) set(key, filled);
    }
    return copy ?? object;
  }
}

function defaultOf(schema: JsonSchema | undefined): unknown {
  return typeof schema === "object" ? schema.default : undefined;
}
