import { isObject, joinPath } from "@toolglot/internal";
import { setOwn } from "./schema-walk.ts";

/** Deeper values are refused: no tool's input is, and engines would run out of stack at depths of their own. */
const maxValueDepth = 64;

/** Flaw that keeps a value from being JSON that can be validated. */
export interface Flaw {
  kind: "too-deep" | "not-json" | "undefined";
  path: string;
  found: unknown;
}

/**
 * Returns the first flaw of a value: nesting deeper than {@link maxValueDepth} (or in a circle), a function, symbol, bigint or
 * number without a form in JSON; a property that is `undefined` only when there is nothing else.
 */
export function findFlaw(value: unknown): Flaw | undefined {
  if (isSound(value, 0)) return undefined;
  let absent: Flaw | undefined;
  const search = (current: unknown, path: string, depth: number): Flaw | undefined => {
    if (depth > maxValueDepth) return { kind: "too-deep", path: "", found: current };
    if (current === undefined) absent ??= { kind: "undefined", path, found: current };
    else if (!isJsonLeaf(current) && typeof current !== "object") return { kind: "not-json", path, found: current };
    if (typeof current !== "object" || current === null) return undefined;
    const entries = Array.isArray(current) ? current.entries() : Object.entries(current);
    for (const [key, item] of entries) {
      const flaw = search(item, joinPath(path, key), depth + 1);
      if (flaw !== undefined) return flaw;
    }
    return undefined;
  };
  return search(value, "", 0) ?? absent;
}

function isJsonLeaf(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  return typeof value === "string" || typeof value === "boolean" || value === null;
}

/** Returns the quick answer, for the common case. */
function isSound(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return isJsonLeaf(value);
  if (depth >= maxValueDepth) return false;
  if (Array.isArray(value)) {
    for (const item of value) if (!isSound(item, depth + 1)) return false;
    return true;
  }
  for (const key of Object.keys(value)) if (!isSound((value as Record<string, unknown>)[key], depth + 1)) return false;
  return true;
}

/**
 * Returns how many subschemas a walk may visit for a value: several for each part of it. Unions inside unions multiply the
 * visits, and hostile input must not make use of that.
 */
export function visitBudget(value: unknown): number {
  const count = (current: unknown): number => {
    // A text may hold JSON.
    if (typeof current === "string") return 1 + current.length;
    if (typeof current !== "object" || current === null) return 1;
    let parts = 1;
    for (const item of Object.values(current)) parts += count(item);
    return parts;
  };
  return 10_000 + 10 * count(value);
}

/** Returns a copy without the properties that are `undefined`: they count as absent. */
export function withoutUndefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUndefined);
  if (!isObject(value)) return value;
  const copy = {};
  for (const key of Object.keys(value)) if (value[key] !== undefined) setOwn(copy, key, withoutUndefined(value[key]));
  return copy;
}
