import { toJsonText } from "@toolglot/core";

/**
 * A deep copy that is plain JSON, so that events can be stored and replayed without a difference. What JSON can't hold
 * becomes what core's `toJsonText` says; `undefined` stays. Never throws.
 */
export function plainJson<T>(value: T): T {
  if (value === undefined || value === null || typeof value === "string" || typeof value === "boolean") return value;
  return JSON.parse(toJsonText(value)) as T;
}

/** JSON text with sorted keys: equal for values that are equal as JSON. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(plainJson(value), (_key, item: unknown) =>
    typeof item === "object" && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : item,
  );
}
