/** Anything JSON can say. */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };

/** A JSON object. Keys such as `__proto__` are plain data: build one with {@link createRecord}. */
export type JsonObject = { [key: string]: JsonValue };

/** A JSON Schema (draft 2020-12, as MCP and the model providers use it). `true` accepts anything, `false` nothing. */
export type JsonSchema = boolean | JsonSchemaObject;

/** The keywords toolglot itself reads; any other keyword is kept as it is. */
export interface JsonSchemaObject {
  type?: JsonSchemaType | JsonSchemaType[];
  title?: string;
  description?: string;
  default?: unknown;
  enum?: unknown[];
  const?: unknown;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: JsonSchema;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
  $ref?: string;
  $defs?: Record<string, JsonSchema>;
  [keyword: string]: unknown;
}

/** The type names of JSON Schema. */
export type JsonSchemaType = "string" | "integer" | "number" | "boolean" | "null" | "array" | "object";

/** Creates an object without a prototype, so that `__proto__` and `constructor` are ordinary keys. */
export function createRecord<T>(): Record<string, T> {
  return Object.create(null) as Record<string, T>;
}

/**
 * Returns JSON for values of unknown origin, as `JSON.stringify` does, but never throws. Big integers become decimal text,
 * NaN and infinities null, a value inside itself `"[circular]"`, what throws when it is read `"[unreadable]"`;
 * `undefined` and functions are left out of objects, and null elsewhere. `indent`: spaces per level, default none.
 *
 * @example
 * ```ts
 * const text = toJsonText({ id: 12n, ratio: Number.NaN }); // '{"id":"12","ratio":null}'
 * ```
 */
export function toJsonText(value: unknown, indent?: number): string {
  const parents: unknown[] = [];
  function replace(this: unknown, _key: string, item: unknown): unknown {
    if (typeof item === "bigint") return String(item);
    if (typeof item !== "object" || item === null) return item;
    while (parents.length > 0 && parents.at(-1) !== this) parents.pop();
    if (parents.includes(item)) return "[circular]";
    parents.push(item);
    return item;
  }
  try {
    return JSON.stringify(value, replace, indent) ?? "null";
  } catch {
    return '"[unreadable]"';
  }
}
