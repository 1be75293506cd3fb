import { isObject } from "@toolglot/internal";

/** Returns a copy of plain data in which every string and key is masked. What is no plain object or array is taken over as it is. */
export function maskData<Value>(value: Value, mask: (text: string) => string): Value {
  const copies = new Map<object, unknown>();
  const copyOf = (part: unknown): unknown => {
    if (typeof part === "string") return mask(part);
    if (Array.isArray(part)) {
      const known = copies.get(part);
      if (known !== undefined) return known;
      const copy: unknown[] = [];
      copies.set(part, copy);
      for (const item of part) copy.push(copyOf(item));
      return copy;
    }
    if (!isObject(part)) return part;
    const prototype: unknown = Object.getPrototypeOf(part);
    if (prototype !== Object.prototype && prototype !== null) return part;
    const known = copies.get(part);
    if (known !== undefined) return known;
    const copy = Object.create(prototype) as Record<string, unknown>;
    copies.set(part, copy);
    for (const [key, item] of Object.entries(part)) {
      // Defined and not assigned: `__proto__` is a key like any other.
      Object.defineProperty(copy, mask(key), {
        value: copyOf(item),
        enumerable: true,
        writable: true,
        configurable: true,
      });
    }
    return copy;
  };
  return copyOf(value) as Value;
}
