import type { JsonSchema, JsonSchemaObject } from "@toolglot/core";
import { atPointer, isObject } from "@toolglot/internal";
import { libraryOf } from "./foreign.ts";

/** Where subschemas stand: directly, in arrays, in maps by name. All other keywords hold plain data. */
const single = new Set([
  ..."additionalItems additionalProperties contains contentSchema else if items not propertyNames then".split(" "),
  ..."unevaluatedItems unevaluatedProperties".split(" "),
]);
const lists = new Set(["allOf", "anyOf", "items", "oneOf", "prefixItems"]);
const maps = new Set(["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"]);

/** Deeper is a mistake, or a circle. */
const maxDepth = 500;

/** Sets an own property, whatever its name (`__proto__` too). */
export function setOwn(target: object, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(target, key, { value, configurable: true, enumerable: true, writable: true });
  } else {
    (target as Record<string, unknown>)[key] = value;
  }
}

/** Returns a deep copy of JSON data; `TypeError` for what is no JSON, or in a circle. */
function copyData(value: unknown, where: string, depth = 0): unknown {
  if (depth > maxDepth) throw new TypeError(`${where} is nested too deeply, or in a circle`);
  if (Array.isArray(value)) return value.map((item, index) => copyData(item, `${where}[${index}]`, depth + 1));
  if (typeof value === "function" || typeof value === "symbol" || typeof value === "bigint") {
    throw new TypeError(`${where} is a ${typeof value}, which has no form in JSON`);
  }
  if (typeof value === "number" && !Number.isFinite(value)) {
    throw new TypeError(`${where} is ${value}, which has no form in JSON`);
  }
  if (!isObject(value)) return value;
  const copy = {};
  for (const key of Object.keys(value)) setOwn(copy, key, copyData(value[key], `${where}.${key}`, depth + 1));
  return copy;
}

/**
 * Returns a deep copy of a schema without the keyword `title`, in subschemas and `$defs` too. Properties named `title`, and
 * `title`s inside `default`, `enum`, `const` and `examples`, are data and stay.
 */
export function copyWithoutTitles(schema: JsonSchemaObject, where = "the schema", depth = 0): JsonSchemaObject {
  if (depth > maxDepth) throw new TypeError(`${where} is nested too deeply, or in a circle`);
  const copy: JsonSchemaObject = {};
  const sub = (value: unknown, at: string): unknown => {
    if (typeof value === "boolean") return value;
    if (isObject(value)) {
      const library = libraryOf(value);
      if (library !== undefined) throw new TypeError(`${at} is ${library}: a JSON Schema holds only JSON Schemas`);
      return copyWithoutTitles(value as JsonSchemaObject, at, depth + 1);
    }
    throw new TypeError(`${at} must be a schema (an object or a boolean), not ${JSON.stringify(value)}`);
  };
  for (const [key, value] of Object.entries(schema)) {
    const at = `${where}.${key}`;
    if (value === undefined || (key === "title" && typeof value === "string")) continue;
    if (lists.has(key) && Array.isArray(value)) {
      setOwn(
        copy,
        key,
        value.map((item, index) => sub(item, `${at}[${index}]`)),
      );
    } else if (single.has(key)) {
      setOwn(copy, key, sub(value, at));
    } else if (maps.has(key)) {
      if (!isObject(value)) throw new TypeError(`${at} must be an object of schemas, not ${JSON.stringify(value)}`);
      const map = {};
      for (const name of Object.keys(value)) {
        const item = value[name];
        // `dependencies` may hold lists of names beside schemas.
        setOwn(map, name, Array.isArray(item) ? copyData(item, at) : sub(item, `${at}.${name}`));
      }
      setOwn(copy, key, map);
    } else {
      setOwn(copy, key, copyData(value, at));
    }
  }
  return copy;
}

/** One subschema, and how to reach it. */
export interface Place {
  schema: JsonSchema;
  pointer: string;
}

/** Returns a JSON pointer one step further. */
export function step(pointer: string, ...keys: (string | number)[]): string {
  let result = pointer;
  for (const key of keys) result += `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;
  return result;
}

/** Calls `visit` for a schema and every subschema in it but `true` and `false`, with its JSON pointer. */
export function visitSchemas(
  schema: JsonSchemaObject,
  visit: (schema: JsonSchemaObject, pointer: string) => void,
  pointer = "",
): void {
  visit(schema, pointer);
  eachSubschema(schema, (keyword, inner, ...keys) => {
    if (typeof inner !== "boolean") visitSchemas(inner, visit, step(pointer, keyword, ...keys));
  });
}

/** Calls `visit` for the subschemas directly under a schema, with the keyword and the name or index that lead to them. */
export function eachSubschema(
  schema: JsonSchemaObject,
  visit: (keyword: string, inner: JsonSchema, ...keys: (string | number)[]) => void,
): void {
  const give = (keyword: string, value: unknown, ...keys: (string | number)[]): void => {
    if (typeof value === "boolean" || isObject(value)) visit(keyword, value as JsonSchema, ...keys);
  };
  for (const [key, value] of Object.entries(schema)) {
    if (lists.has(key) && Array.isArray(value)) {
      for (const [index, item] of value.entries()) give(key, item, index);
    } else if (single.has(key)) {
      give(key, value);
    } else if (maps.has(key) && isObject(value)) {
      for (const name of Object.keys(value)) give(key, value[name], name);
    }
  }
}

/** Follows `$ref`s that point into the same schema (`#/…`); undefined when one leads nowhere or in a circle. */
export function followRefs(root: JsonSchemaObject, place: Place): Place | undefined {
  let current = place;
  for (let hops = 0; hops < 32; hops++) {
    const { schema } = current;
    if (typeof schema === "boolean" || typeof schema.$ref !== "string") return current;
    const pointer = localPointer(schema.$ref);
    const target = pointer === undefined ? undefined : atPointer(root, pointer);
    if (pointer === undefined || (typeof target !== "boolean" && !isObject(target))) return undefined;
    current = { schema: target as JsonSchema, pointer };
  }
  return undefined;
}

/** Returns the pointer of a reference into the same document; undefined for any other reference. */
export function localPointer(ref: string): string | undefined {
  if (ref === "#") return "";
  if (!ref.startsWith("#/")) return undefined;
  try {
    return decodeURIComponent(ref.slice(1));
  } catch {
    return undefined;
  }
}
