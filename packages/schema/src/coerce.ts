import { coerceText, type JsonSchemaObject } from "@toolglot/core";
import { isObject, joinPath, typeOf } from "@toolglot/internal";
import { branchPlaces, contradicts, itemPlace, propertyPlace } from "./describe.ts";
import { findFlaw, visitBudget } from "./flaw.ts";
import { followRefs, type Place, setOwn } from "./schema-walk.ts";
import type { Conversion, Validator } from "./types.ts";

/** Result of coercion: the value as near to the schema as it loses nothing, and what was changed. */
export interface Coerced {
  value: unknown;
  conversions: Conversion[];
}

/**
 * Reads texts as what the schema wants at their place: `"3"` as 3, `"[1]"` as [1], `"true"` as true; nested, through
 * unions and references. Only texts are changed, only where they don't fit as they are, and never with a loss. A null
 * for a property that may be left out, and takes no null, is left out: models say so that there is none. For values
 * that strict validation refused.
 */
export function coerceBySchema(root: JsonSchemaObject, validator: Validator, value: unknown): Coerced {
  let left = visitBudget(value);
  return visit({ schema: root, pointer: "" }, value, "");

  /** `needed`: what the schemas around a branch require of the same object. */
  function visit(given: Place, current: unknown, path: string, needed: readonly string[] = []): Coerced {
    const place = followRefs(root, given);
    if (left-- <= 0 || place === undefined || typeof place.schema === "boolean")
      return { value: current, conversions: [] };
    let coerced: Coerced = { value: current, conversions: [] };
    if (typeof current === "string") coerced = fromText(place, current, path);
    else if (Array.isArray(current)) coerced = items(place, current, path);
    const required = isObject(current) ? [...needed, ...requiredOf(place)] : [];
    if (isObject(current)) coerced = properties(place, current, path, required);
    for (const branch of branchPlaces(place, "allOf")) {
      coerced = chain(coerced, visit(branch, coerced.value, path, required));
    }
    for (const keyword of ["anyOf", "oneOf"] as const) {
      coerced = chain(coerced, union(branchPlaces(place, keyword), coerced.value, path, required));
    }
    return coerced;
  }

  function fromText(place: Place, text: string, path: string): Coerced {
    if (validator.accepts(text, place.pointer)) return { value: text, conversions: [] };
    const read = coerceText(text, place.schema, { root });
    // JSON in a text is input like any: it may be nested too deeply to walk.
    if (!read.success || typeof read.value === "string" || findFlaw(read.value) !== undefined) {
      return { value: text, conversions: [] };
    }
    const conversion = { path, from: "string", to: typeOf(read.value) };
    const inner = visit(place, read.value, path);
    return { value: inner.value, conversions: [conversion, ...inner.conversions] };
  }

  /** Returns the first branch that fits as it is, else the first that fits after coercion. */
  function union(branches: Place[], current: unknown, path: string, needed: readonly string[]): Coerced {
    const same = { value: current, conversions: [] };
    if (branches.some((branch) => validator.accepts(current, branch.pointer))) return same;
    for (const branch of branches) {
      if (contradicts(root, branch, current)) continue;
      const tried = visit(branch, current, path, needed);
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
      addAll(conversions, inner.conversions);
      return inner.value;
    });
    return { value, conversions };
  }

  function properties(place: Place, object: Record<string, unknown>, path: string, required: string[]): Coerced {
    const conversions: Conversion[] = [];
    const value = {};
    for (const key of Object.keys(object)) {
      const child = propertyPlace(place, key);
      const at = joinPath(path, key);
      const inner = child === undefined ? undefined : visit(child, object[key], at);
      const result = inner === undefined ? object[key] : inner.value;
      if (!required.includes(key) && isDeclared(place, key) && saysNone(child, result)) {
        conversions.push({ path: at, from: typeOf(object[key]), to: "missing" });
        continue;
      }
      setOwn(value, key, result);
      if (inner !== undefined) addAll(conversions, inner.conversions);
    }
    return { value, conversions };
  }

  /** Checks whether it is null, or text that means null, where neither fits. */
  function saysNone(child: Place | undefined, held: unknown): boolean {
    const none = held === null || (typeof held === "string" && /^\s*(?:null|None)\s*$/.test(held));
    return (
      none && child !== undefined && !validator.accepts(held, child.pointer) && !validator.accepts(null, child.pointer)
    );
  }

  /** Returns the names an object schema requires, its `allOf` included. */
  function requiredOf(given: Place, depth = 0): readonly string[] {
    const place = followRefs(root, given);
    if (place === undefined || typeof place.schema === "boolean" || depth > 8) return [];
    const inner = branchPlaces(place, "allOf").flatMap((branch) => requiredOf(branch, depth + 1));
    return [...(place.schema.required ?? []), ...inner];
  }
}

function isDeclared({ schema }: Place, key: string): boolean {
  return typeof schema === "object" && schema.properties !== undefined && Object.hasOwn(schema.properties, key);
}

/** `push(...more)` would overflow the stack with a hundred thousand. */
function addAll(conversions: Conversion[], more: readonly Conversion[]): void {
  for (const conversion of more) conversions.push(conversion);
}

function chain(first: Coerced, next: Coerced): Coerced {
  return { value: next.value, conversions: [...first.conversions, ...next.conversions] };
}
