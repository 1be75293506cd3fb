import { toJsonText } from "@toolglot/core";
import { canonicalJson as writeCanonical } from "@toolglot/internal";

/** Values that are plain JSON and frozen through and through, because they come from here. */
const known = new WeakSet<object>();

/** Deeper values take the long way, which knows circles. */
const maxDepth = 100;

/** Thrown for what can't be copied part by part. */
const odd = new Error("no plain JSON");

/**
 * Returns the value as plain JSON, frozen, so that events, requests and results can share it, and be stored and replayed without a
 * difference. Values that JSON can't hold become what core's `toJsonText` writes; `undefined` stays. Values that came from here before
 * are returned as they are; texts are never copied. Never throws.
 */
export function plainJson<T>(value: T): T {
  if (value === undefined || value === null || typeof value === "string" || typeof value === "boolean") return value;
  let copy: unknown;
  try {
    copy = copyOf(value, 0);
  } catch {
    // Dates, big integers, circles, getters that throw: core has a word for each.
    copy = frozen(JSON.parse(toJsonText(value)));
  }
  if (typeof copy === "object" && copy !== null) known.add(copy);
  return copy as T;
}

/** Freezes a value; one that is nested too deeply to be walked stays as it is. */
function frozen(value: unknown): unknown {
  try {
    return copyOf(value, -Infinity);
  } catch {
    return value;
  }
}

function copyOf(value: unknown, depth: number): unknown {
  if (typeof value === "number") return Number.isFinite(value) ? value + 0 : null;
  if (typeof value === "string" || typeof value === "boolean" || value === null) return value;
  if (typeof value !== "object" || depth > maxDepth) throw odd;
  if (known.has(value)) return value;
  if (typeof (value as { toJSON?: unknown }).toJSON === "function") throw odd;
  if (Array.isArray(value)) {
    return Object.freeze(Array.from(value, (item) => (hasWord(item) ? copyOf(item, depth + 1) : null)));
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) throw odd;
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const item = (value as Record<string, unknown>)[key];
    if (!hasWord(item)) continue;
    const inner = copyOf(item, depth + 1);
    if (key === "__proto__") Object.defineProperty(copy, key, { value: inner, enumerable: true });
    else copy[key] = inner;
  }
  return Object.freeze(copy);
}

/** Whether JSON has a word for a value; it leaves out others. */
function hasWord(value: unknown): boolean {
  return value !== undefined && typeof value !== "function" && typeof value !== "symbol";
}

/** Returns the one JSON text of a value: equal for values that are equal as JSON. */
export function canonicalJson(value: unknown): string {
  return writeCanonical(plainJson(value));
}

/** Counts the characters of all texts and names in a JSON value: what it costs a model, near enough. */
export function textLength(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return value === undefined ? 0 : 4;
  let sum = 2;
  for (const key of Object.keys(value)) {
    sum += (Array.isArray(value) ? 1 : key.length + 4) + textLength((value as Record<string, unknown>)[key]);
  }
  return sum;
}

/** Computes a 53-bit hash of a text (cyrb53) as 14 hexadecimal digits; not for security, only to see a difference. */
export function hash(text: string): string {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    a = Math.imul(a ^ unit, 2654435761);
    b = Math.imul(b ^ unit, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return (4294967296 * (2097151 & b) + (a >>> 0)).toString(16).padStart(14, "0");
}
