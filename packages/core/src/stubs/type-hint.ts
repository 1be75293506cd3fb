import type { JsonSchema, JsonSchemaObject } from "../json.ts";
import { pythonLiteral } from "./python-literal.ts";
import { resolveSchema } from "./resolve-schema.ts";

const maxDepth = 8;

/**
 * Returns a JSON Schema as a Python type hint: `str`, `list[int]`, `dict[str, float]`, `Literal["a", "b"]`, `str | None`; `Any`
 * where the schema has nothing that a hint can express. `root` is what local references point into.
 */
export function typeHint(schema: JsonSchema | undefined, root: JsonSchema | undefined = schema): string {
  return [...hints(schema, root, 0)].join(" | ");
}

/** Returns the members of the union, without repetition; `Any` swallows the others. */
function hints(schema: JsonSchema | undefined, root: JsonSchema | undefined, depth: number): Set<string> {
  const found = resolveSchema(schema, root);
  if (typeof found !== "object" || depth > maxDepth) return new Set(["Any"]);
  const union = new Set(members(found, root, depth));
  if (union.has("Any")) return new Set(["Any"]);
  if (found.nullable === true) union.add("None");
  return union;
}

function members(schema: JsonSchemaObject, root: JsonSchema | undefined, depth: number): string[] {
  const literals = "const" in schema ? [schema.const] : schema.enum;
  if (literals) return literals.length > 0 ? literalHints(literals) : ["Any"];
  const branches = schema.anyOf ?? schema.oneOf;
  if (schema.type !== undefined) {
    return [schema.type].flat().map((type) => typeName(type, schema, root, depth));
  }
  if (branches) return branches.flatMap((branch) => [...hints(branch, root, depth + 1)]);
  for (const part of schema.allOf ?? []) {
    const hint = hints(part, root, depth + 1);
    if (!hint.has("Any")) return [...hint];
  }
  if (schema.properties || schema.additionalProperties !== undefined) return [typeName("object", schema, root, depth)];
  return [schema.items === undefined ? "Any" : typeName("array", schema, root, depth)];
}

function typeName(type: string, schema: JsonSchemaObject, root: JsonSchema | undefined, depth: number): string {
  switch (type) {
    case "string":
      return "str";
    case "integer":
      return "int";
    case "number":
      return "float";
    case "boolean":
      return "bool";
    case "null":
      return "None";
    case "array":
      return schema.items === undefined ? "list" : `list[${inner(schema.items, root, depth)}]`;
    case "object":
      return typeof schema.additionalProperties === "object" && !schema.properties
        ? `dict[str, ${inner(schema.additionalProperties, root, depth)}]`
        : "dict";
    default:
      return "Any";
  }
}

function inner(schema: JsonSchema, root: JsonSchema | undefined, depth: number): string {
  return [...hints(schema, root, depth + 1)].join(" | ");
}

/** Returns `Literal[…]` of what Python allows in it; floats, lists and objects by their type. */
function literalHints(literals: readonly unknown[]): string[] {
  const named: string[] = [];
  const others: string[] = [];
  for (const value of literals) {
    if (value === null || typeof value === "string" || typeof value === "boolean" || Number.isSafeInteger(value)) {
      named.push(pythonLiteral(value));
    } else if (typeof value === "number") others.push("float");
    else others.push(Array.isArray(value) ? "list" : "dict");
  }
  return named.length > 0 ? [`Literal[${[...new Set(named)].join(", ")}]`, ...others] : others;
}
