import type { JsonObject, JsonValue } from "@toolglot/core";
import { isObject } from "@toolglot/internal";
import type { DialectTool } from "../types.ts";
import { readFloat, readInt, strip } from "./content.ts";
import { readJson } from "./read-json.ts";

/** For each tool, the types of its parameters in the order in which they are tried. */
export type ParameterTypes = ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>;

/**
 * Returns the types that the parameters of tools have.
 *
 * @throws TypeError for an entry that is no tool.
 */
export function parameterTypes(tools: readonly DialectTool[]): ParameterTypes {
  return new Map(
    tools.map((tool: unknown, index) => {
      const own = isObject(tool) && isObject(tool.function) ? tool.function : tool;
      if (!isObject(own) || typeof own.name !== "string") {
        throw new TypeError(`tools[${index}] must be a tool: { name, inputSchema }`);
      }
      const schema = own.inputSchema ?? own.parameters;
      const properties = isObject(schema) && isObject(schema.properties) ? schema.properties : {};
      return [own.name, new Map(Object.entries(properties).map(([key, value]) => [key, typesOf(value)]))];
    }),
  );
}

function typesOf(schema: unknown, depth = 0): string[] {
  if (!isObject(schema) || depth > 64) return [];
  const { type, nullable } = schema;
  const types = (Array.isArray(type) ? type : [type]).filter((name) => typeof name === "string");
  for (const choices of [schema.anyOf, schema.oneOf]) {
    if (Array.isArray(choices)) for (const choice of choices) types.push(...typesOf(choice, depth + 1));
  }
  if (nullable === true) types.push("null");
  return types;
}

/** Casts the texts among the arguments of a call, or of each call of a list, to the types that their tool declares. */
export function castArguments(value: JsonValue, tools: ParameterTypes): void {
  if (Array.isArray(value)) {
    for (const item of value) castArguments(item, tools);
    return;
  }
  const call = isObject(value) && value.function;
  if (!isObject(call) || typeof call.name !== "string" || !isObject(call.arguments)) return;
  const input = call.arguments as JsonObject;
  const known = tools.get(call.name);
  for (const key of Object.keys(input)) {
    const types = known?.get(key) ?? [];
    const argument = input[key] as JsonValue;
    if (types.length === 0) continue;
    if (typeof argument === "string") input[key] = cast(argument, types);
    // Values of one key, that were put together.
    else if (Array.isArray(argument) && !types.includes("array")) {
      input[key] = argument.map((item) => (typeof item === "string" ? cast(item, types) : item));
    }
  }
}

/** Returns a text as the first type that it fits; as it is when it fits none. */
function cast(text: string, types: readonly string[]): JsonValue {
  const plain = strip(text);
  for (const type of types) {
    let value: JsonValue | undefined;
    if (type === "integer") value = readInt(text);
    else if (type === "number") value = readFloat(text);
    else if (type === "boolean")
      value = /^(?:true|1)$/i.test(plain) || (/^(?:false|0)$/i.test(plain) ? false : undefined);
    else if (type === "null") value = /^(?:null|None)$/.test(plain) ? null : undefined;
    else if (type === "array" || type === "object") {
      const found = jsonOf(text);
      if (type === "array" ? Array.isArray(found) : isObject(found)) value = found;
    }
    if (value !== undefined && (typeof value !== "number" || Number.isFinite(value))) return value;
  }
  return text;
}

function jsonOf(text: string): JsonValue | undefined {
  try {
    return readJson(text);
  } catch {
    return undefined;
  }
}
