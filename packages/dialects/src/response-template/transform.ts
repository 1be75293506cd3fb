import type { JsonObject, JsonValue } from "@toolglot/core";
import { isObject } from "@toolglot/internal";
import { word } from "./python-pattern.ts";

const name = `[${word}]+`;
const placeholder = new RegExp(`\\{(${name}(?:\\.${name})*)\\}`, "u");

/**
 * Checks that a placeholder of a transform stands alone in its text.
 *
 * @throws TypeError that names the place.
 */
export function checkTransform(transform: unknown, where: string): void {
  if (typeof transform === "string") {
    const found = placeholder.exec(transform)?.[0];
    if (found !== undefined && found !== transform) {
      throw new TypeError(`${where} must be ${found} alone`);
    }
  } else if (typeof transform === "object" && transform !== null) {
    for (const [key, inner] of Object.entries(transform)) checkTransform(inner, `${where}.${key}`);
  }
}

/**
 * Returns a copy of a transform with the values of a scope in the places of its placeholders.
 *
 * @throws Error for a placeholder that the scope has no value for.
 */
export function applyTransform(transform: JsonValue, scope: Readonly<Record<string, JsonValue>>): JsonValue {
  if (Array.isArray(transform)) return transform.map((inner) => applyTransform(inner, scope));
  if (isObject(transform)) {
    return Object.fromEntries(Object.entries(transform).map(([key, inner]) => [key, applyTransform(inner, scope)]));
  }
  const path = typeof transform === "string" && placeholder.exec(transform)?.[1];
  if (!path) return transform;
  let value: JsonValue = scope as JsonObject;
  for (const key of path.split(".")) {
    if (!isObject(value) || !Object.hasOwn(value, key)) throw new ReferenceError(`{${path}} has no value`);
    value = value[key] as JsonValue;
  }
  return value;
}
