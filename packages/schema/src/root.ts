import type { JsonSchema, JsonSchemaObject } from "@toolglot/core";
import { followRefs, isObject } from "./schema-walk.ts";

/**
 * The schema with `type: "object"` and `properties` at its root, as model providers demand them: a `$ref` at the root
 * is replaced by what it points to. `TypeError` when the schema is not one of an object.
 */
export function rootObject(schema: JsonSchemaObject, where: string): JsonSchemaObject {
  let root = schema;
  if (typeof schema.$ref === "string") {
    const target = followRefs(schema, { schema, pointer: "" });
    if (target === undefined || typeof target.schema === "boolean") {
      throw new TypeError(`${where}: $ref ${JSON.stringify(schema.$ref)} at the root leads nowhere`);
    }
    const { $ref: _, ...rest } = schema;
    root = { ...structuredClone(target.schema), ...rest };
  }
  if (!isObjectSchema(schema, root, 0)) {
    const got = root.type === undefined ? "this one" : `type ${JSON.stringify(root.type)}`;
    throw new TypeError(`${where} must be the schema of an object, for named parameters; ${got} is not`);
  }
  const { type: _, properties, ...rest } = root;
  return { type: "object", properties: properties ?? {}, ...rest };
}

function isObjectSchema(root: JsonSchemaObject, given: JsonSchema, depth: number): boolean {
  const schema = followRefs(root, { schema: given, pointer: "" })?.schema;
  if (depth > 8 || !isObject(schema)) return false;
  const { type, properties, enum: choices } = schema as JsonSchemaObject;
  if (type !== undefined)
    return type === "object" || (Array.isArray(type) && type.length === 1 && type[0] === "object");
  if (properties !== undefined) return true;
  const { anyOf, oneOf, allOf } = schema as JsonSchemaObject;
  for (const branches of [anyOf, oneOf]) {
    if (branches !== undefined) return branches.every((branch) => isObjectSchema(root, branch, depth + 1));
  }
  if (allOf !== undefined) return allOf.some((branch) => isObjectSchema(root, branch, depth + 1));
  return depth === 0 && choices === undefined && schema.const === undefined;
}

/** The schema without some properties of its root: in `properties` and `required`, in the root's branches too. */
export function omitProperties(schema: JsonSchemaObject, names: readonly string[]): JsonSchemaObject {
  const copy = { ...schema };
  if (copy.properties !== undefined) {
    copy.properties = Object.fromEntries(Object.entries(copy.properties).filter(([name]) => !names.includes(name)));
  }
  if (copy.required !== undefined) {
    copy.required = copy.required.filter((name) => !names.includes(name));
    if (copy.required.length === 0) delete copy.required;
  }
  for (const keyword of ["allOf", "anyOf", "oneOf"] as const) {
    const branches = copy[keyword];
    if (branches !== undefined) {
      copy[keyword] = branches.map((branch) => (typeof branch === "boolean" ? branch : omitProperties(branch, names)));
    }
  }
  return copy;
}
