import { attempt, isObject } from "@toolglot/internal";

/** Returns an error of the same class and with the same members, all its texts masked; anything else thrown, masked. */
export function maskedError(thrown: unknown, maskData: <Value>(value: Value) => Value, depth = 0): unknown {
  if (!(thrown instanceof Error)) return isObject(thrown) || typeof thrown === "string" ? maskData(thrown) : thrown;
  // A cause of a cause of a cause helps nobody.
  if (depth > 8) return new Error(maskData(thrown.message));
  const copy = new Error(maskData(thrown.message));
  Object.setPrototypeOf(copy, Object.getPrototypeOf(thrown) as object);
  for (const key of Reflect.ownKeys(thrown)) {
    const enumerable = Object.prototype.propertyIsEnumerable.call(thrown, key);
    // Read and not described: in newer engines `stack` is no data property.
    const value: unknown = attempt(() => (thrown as unknown as Record<PropertyKey, unknown>)[key]);
    const masked = value instanceof Error ? maskedError(value, maskData, depth + 1) : maskData(value);
    Object.defineProperty(copy, key, { value: masked, enumerable, writable: true, configurable: true });
  }
  return copy;
}
