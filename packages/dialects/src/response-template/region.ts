import type { JsonObject, JsonValue } from "@toolglot/core";
import { isObject } from "@toolglot/internal";
import { castArguments, type ParameterTypes } from "./cast-arguments.ts";
import { readContent } from "./content.ts";
import type { Field } from "./template.ts";
import { applyTransform } from "./transform.ts";

/**
 * Returns the value of a region.
 *
 * @throws Error when its text can't be read, or has not the shape that the field's transform needs.
 */
export function regionValue(
  text: string,
  field: Field,
  captures: Readonly<Record<string, string>>,
  tools: ParameterTypes,
): JsonValue {
  const content = readContent(text, field.content);
  const value = transformed(content, field, captures);
  if (tools.size > 0) castArguments(value, tools);
  if (typeof field.own.join === "string" && typeof value !== "string") throw new TypeError("join needs a text");
  return value;
}

function transformed(content: JsonValue, field: Field, captures: Readonly<Record<string, string>>): JsonValue {
  const { transform, transform_each: each } = field.own;
  if (transform === undefined || transform === null) return content;
  if (!each) return applyTransform(transform, { ...captures, content });
  if (!Array.isArray(content) || !content.every(isObject))
    throw new TypeError("transform_each needs a list of objects");
  return content.map((item) => applyTransform(transform, { ...captures, ...(item as JsonObject) }));
}

/** Puts the value of a region into the message. */
export function addValue(message: JsonObject, { name, own }: Field, value: JsonValue): void {
  const before = Object.hasOwn(message, name) ? message[name] : undefined;
  if (typeof own.join === "string") message[name] = typeof before === "string" ? `${before}${own.join}${value}` : value;
  else if (!own.repeats) message[name] = value;
  else if (Array.isArray(before)) before.push(value);
  else message[name] = [value];
}
