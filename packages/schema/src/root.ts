import type { JsonSchema, JsonSchemaObject } from "@toolglot/core";
import { isObject } from "@toolglot/internal";
import { isBeforeDraft2019 } from "./engine-schema.ts";
import { followRefs } from "./schema-walk.ts";

/** What a schema and the one it refers to may both say: the schema's own word goes. */
const annotations = new Set("$schema $id $comment $defs default definitions description examples".split(" "));
/** Keywords that are about objects, and so make a schema one of an object where no type is named. */
const ofObjects = ["properties", "required", "additionalProperties", "patternProperties", "propertyNames"];

/**
 * Returns the schema with `type: "object"` and `properties` at its root, as model providers demand them: a `$ref` at the root
 * is replaced by what it points to. `TypeError` when the schema is not one of an object.
 */
export function rootObject(schema: JsonSchemaObject, where: string): JsonSchemaObject {
  const root = typeof schema.$ref === "string" ? inlineRef(schema, where) : schema;
  if (!isObjectSchema(schema, root, 0)) {
    const got = root.type === undefined ? "this one" : `type ${JSON.stringify(root.type)}`;
    throw new TypeError(`${where} must be the schema of an object, for named parameters; ${got} is not`);
  }
  const { type: _, properties, ...rest } = root;
  return { type: "object", properties: properties ?? {}, ...rest };
}

function inlineRef(schema: JsonSchemaObject, where: string): JsonSchemaObject {
  const target = followRefs(schema, { schema, pointer: "" });
  if (target === undefined || typeof target.schema === "boolean") {
    throw new TypeError(`${where}: $ref ${JSON.stringify(schema.$ref)} at the root leads nowhere`);
  }
  const found = structuredClone(target.schema);
  const { $ref, ...beside } = schema;
  const own = Object.entries(beside).filter(([keyword]) => !isBeforeDraft2019(schema) || annotations.has(keyword));
  const rest = Object.fromEntries(own) as JsonSchemaObject;
  const bothSay = own.some(([keyword]) => !annotations.has(keyword) && keyword !== "type" && keyword in found);
  if (!bothSay) return { ...found, ...rest };
  // Both hold: the properties are shown together, and what is referred to is checked as a whole.
  const properties = { ...found.properties, ...rest.properties };
  return { ...rest, properties, allOf: [...(rest.allOf ?? []), { $ref: $ref as string }] };
}

function isObjectSchema(root: JsonSchemaObject, given: JsonSchema, depth: number): boolean {
  const schema = followRefs(root, { schema: given, pointer: "" })?.schema as JsonSchemaObject | boolean | undefined;
  if (depth > 8 || !isObject(schema)) return false;
  const { type, anyOf, oneOf, allOf, enum: choices }: JsonSchemaObject = schema;
  if (type !== undefined) return [type].flat().join() === "object";
  if (ofObjects.some((keyword) => schema[keyword] !== undefined)) return true;
  for (const branches of [anyOf, oneOf]) {
    if (Array.isArray(branches)) return branches.every((branch) => isObjectSchema(root, branch, depth + 1));
  }
  if (Array.isArray(allOf)) return allOf.some((branch) => isObjectSchema(root, branch, depth + 1));
  return depth === 0 && choices === undefined && schema.const === undefined;
}

/** Returns the schema without some properties of its root: in `properties` and `required`, in the root's branches too. */
export function omitProperties(schema: JsonSchemaObject, names: readonly string[]): JsonSchemaObject {
  return omitFrom(schema, schema, names, 0);
}

function omitFrom(
  root: JsonSchemaObject,
  schema: JsonSchemaObject,
  names: readonly string[],
  depth: number,
): JsonSchemaObject {
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
    if (branches !== undefined) copy[keyword] = branches.map((branch) => omitFromBranch(root, branch, names, depth));
  }
  return copy;
}

/** A reference stays one, unless what it leads to has such a property. */
function omitFromBranch(
  root: JsonSchemaObject,
  branch: JsonSchema,
  names: readonly string[],
  depth: number,
): JsonSchema {
  if (typeof branch === "boolean" || depth > 8) return branch;
  const { $ref, ...own } = omitFrom(root, branch, names, depth + 1);
  if ($ref === undefined) return own;
  const target = followRefs(root, { schema: branch, pointer: "" })?.schema;
  if (typeof target !== "object") return { ...own, $ref };
  const omitted = omitFrom(root, target, names, depth + 1);
  if (JSON.stringify(omitted) === JSON.stringify(target)) return { ...own, $ref };
  return Object.keys(own).length === 0 ? omitted : { ...own, allOf: [...(own.allOf ?? []), omitted] };
}
