/**
 * A deep copy of JSON data, several times faster than `structuredClone`. Keys like `__proto__` stay plain data; what is
 * undefined stays so.
 */
export function copyJson<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copyJson) as T;
  // Spreading defines properties, so that an own `__proto__` is one in the copy too, and the assignment below finds it.
  const copy = { ...value } as Record<string, unknown>;
  for (const key of Object.keys(copy)) {
    const inner = copy[key];
    if (typeof inner === "object" && inner !== null) copy[key] = copyJson(inner);
  }
  return copy as T;
}
