import type { JsonObject, JsonSchemaObject } from "@toolglot/core";
import { copyJson, errorText, isObject, pointerSteps } from "@toolglot/internal";
import { type InputSchema, toInputSchema } from "@toolglot/schema";
import type { ToolSettings } from "../types.ts";

/** What arguments are checked with, and why it is less than the server's schema. */
export interface ArgumentSchema {
  input: InputSchema;
  /** Why the server's schema can't be used. */
  problem?: string;
}

const anything: JsonSchemaObject = { type: "object" };

/** Returns the schema that arguments are checked with: the server's, and where that can't be used, one that takes any object. */
export function argumentSchema(schema: JsonSchemaObject): ArgumentSchema {
  try {
    return { input: toInputSchema(schema, { untrusted: true }) };
  } catch (error) {
    return { input: anyArguments(), problem: errorText(error) };
  }
}

export function anyArguments(): InputSchema {
  return toInputSchema(anything, { untrusted: true });
}

/** Returns a schema without what a model may not set. */
export function withoutKey<Schema extends object>(schema: Schema, { downstreamKeyIn }: ToolSettings): Schema {
  return downstreamKeyIn?.startsWith("/") ? withoutMember(schema, downstreamKeyIn) : schema;
}

/** Returns a schema without the member that a pointer into its values leads to. */
function withoutMember<Schema extends object>(schema: Schema, pointer: string): Schema {
  const steps = pointerSteps(pointer) ?? [];
  const copy = copyJson(schema);
  let at: unknown = copy;
  for (const step of steps.slice(0, -1)) at = own(own(at, "properties"), step);
  const last = steps.at(-1);
  const properties = own(at, "properties");
  if (last === undefined || !isObject(at) || !isObject(properties)) return copy;
  delete properties[last];
  const { required } = at;
  if (Array.isArray(required)) at.required = required.filter((name) => name !== last);
  return copy;
}

function own(value: unknown, key: string): unknown {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** Returns a copy of arguments with a value at the end of a pointer. */
export function withMember(args: JsonObject, pointer: string, value: string): JsonObject {
  const steps = pointerSteps(pointer) ?? [];
  const copy = copyJson(args);
  let at: Record<string, unknown> = copy;
  for (const step of steps.slice(0, -1)) {
    const inner = own(at, step);
    const next = isObject(inner) ? inner : {};
    put(at, step, next);
    at = next;
  }
  put(at, steps.at(-1) as string, value);
  return copy;
}

/** A key like `__proto__` is data. */
function put(holder: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(holder, key, { value, writable: true, enumerable: true, configurable: true });
}
