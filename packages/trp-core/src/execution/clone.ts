/**
 * A copy of JSON that shares nothing with it. What is no plain object or array (a date that a schema made, say) is taken
 * over as it is.
 */
export function cloneJson<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const items = new Array<unknown>(value.length);
    for (let index = 0; index < value.length; index++) items[index] = cloneJson(value[index]);
    return items as Value;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  const copy = (prototype === null ? Object.create(null) : {}) as Record<string, unknown>;
  for (const key of Object.keys(value)) {
    const member = cloneJson((value as Record<string, unknown>)[key]);
    if (key === "__proto__")
      Object.defineProperty(copy, key, { value: member, writable: true, enumerable: true, configurable: true });
    else copy[key] = member;
  }
  return copy as Value;
}
