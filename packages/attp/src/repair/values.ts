import { createRecord, type JsonValue } from "@toolglot/core";
import { isObject } from "@toolglot/internal";

const deepest = 200;

/** Turns what a TOML or JSON parser gave into plain JSON data without prototypes. Dates become text. */
export function toJson(value: unknown, depth = 0): JsonValue {
  if (depth > deepest) throw new RangeError("nested too deeply");
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map((item) => toJson(item, depth + 1));
  if (typeof value !== "object" || value === null) return value as JsonValue;
  const record = createRecord<JsonValue>();
  for (const [key, item] of Object.entries(value)) record[key] = toJson(item, depth + 1);
  return record;
}

/** Whether a value is a table. */
export function isTable(value: unknown): value is Record<string, unknown> {
  return isObject(value) && !(value instanceof Date);
}
