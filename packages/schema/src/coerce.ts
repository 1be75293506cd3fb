import { coerceText, type JsonSchemaObject } from "@toolglot/core";
import { branchPlaces, contradicts, itemPlace, joinPath, propertyPlace, typeOf } from "./describe.ts";
import { followRefs, isObject, type Place, setOwn } from "./schema-walk.ts";
import type { Conversion, Validator } from "./types.ts";

/** Visits of subschemas; unions inside unions multiply them, and hostile input must not. */
const maxVisits = 50_000;

/** What coercion gives: the value as near to the schema as it loses nothing, and what was changed. */
export interface Coerced {
  value: unknown;
  conversions: Conversion[];
}

/**
 * Reads texts as what the schema wants at their place: `"3"` as 3, `"[1]"` as [1], `"true"` as true; nested, through
 * unions and references. Only texts are changed, only where they don't fit as they are, and never with a loss.
 * Properties that are `undefined` count as absent. For values that strict validation refused.
 */
export function coerceBySchema(root: JsonSchemaObject, validator: Validator, value: unknown): Coerced {
  let visits = 0;
  return visit({ schema: root, pointer: "" }, value, "");

  function visit(given: Place, current: unknown, path: string): Coerced {
    const place = followRefs(root, given);
    if (++visits > maxVisits || place === undefined || typeof place.schema === "boolean")
      return { value: current, conversions: [] };
    let coerced: Coerced = { value: current, conversions: [] };
    if (typeof current === "string") coerced = fromText(place, current, path);
    else if (Array.isArray(current)) coerced = items(place, current, path);
    else if (isObject(current)) coerced = properties(place, current, path);
    for (const branch of branchPlaces(place, "allOf")) coerced = chain(coerced, visit(branch, coerced.value, path));
    for (const keyword of ["anyOf", "oneOf"] as const) {
      coerced = chain(coerced, union(branchPlaces(place, keyword), coerced.value, path));
    }
    return coerced;
  }

  function fromText(place: Place, text: string, path: string): Coerced {
    if (validator.accepts(text, place.pointer)) return { value: text, conversions: [] };
    const read = coerceText(text, place.schema, { root });
    if (!read.success || typeof read.value === "string") return { value: text, conversions: [] };
    const conversion = { path, from: "string", to: typeOf(read.value) };
    const inner = visit(place, read.value, path);
    return { value: inner.value, conversions: [conversion, ...inner.conversions] };
  }

  /** The first branch that fits as it is, else the first that fits after coercion. */
  function union(branches: Place[], current: unknown, path: string): Coerced {
    const same = { value: current, conversions: [] };
    if (branches.some((branch) => validator.accepts(current, branch.pointer))) return same;
    for (const branch of branches) {
      if (contradicts(root, branch, current)) continue;
      const tried = visit(branch, current, path);
      if (validator.accepts(tried.value, branch.pointer)) return tried;
    }
    return same;
  }

  function items(place: Place, list: unknown[], path: string): Coerced {
    const conversions: Conversion[] = [];
    const value = list.map((item, index) => {
      const child = itemPlace(place, index);
      if (child === undefined) return item;
      const inner = visit(child, item, joinPath(path, index));
      conversions.push(...inner.conversions);
      return inner.value;
    });
    return { value, conversions };
  }

  function properties(place: Place, object: Record<string, unknown>, path: string): Coerced {
    const conversions: Conversion[] = [];
    const value = {};
    for (const key of Object.keys(object)) {
      if (object[key] === undefined) continue;
      const child = propertyPlace(place, key);
      const inner = child === undefined ? undefined : visit(child, object[key], joinPath(path, key));
      setOwn(value, key, inner === undefined ? object[key] : inner.value);
      if (inner !== undefined) conversions.push(...inner.conversions);
    }
    return { value, conversions };
  }
}

function chain(first: Coerced, next: Coerced): Coerced {
  return { value: next.value, conversions: [...first.conversions, ...next.conversions] };
}
