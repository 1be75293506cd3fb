import type { JsonSchema, JsonSchemaObject } from "@toolglot/core";
import { atPointer } from "@toolglot/internal";

/** The types of JSON, numbers without a fraction among them. */
export type Kind = "null" | "boolean" | "integer" | "number" | "array" | "object" | "string";

const samples: [Kind, unknown][] = [
  ["null", null],
  ["boolean", true],
  ["integer", 1],
  ["number", 0.5],
  ["array", []],
  ["object", {}],
  ["string", ""],
];

/** The number of types; a schema that takes all of them decides nothing. */
export const kindCount: number = samples.length;

const every: ReadonlySet<Kind> = new Set(samples.map(([kind]) => kind));
/** What schemas take that name a type, and nothing else that counts: most do. */
const ofType = new Map<unknown, ReadonlySet<Kind>>(
  samples.map(([kind]) => [kind, new Set<Kind>(kind === "number" ? ["integer", kind] : [kind])]),
);

/** Returns the types that a schema takes. */
export function kindsOf(schema: JsonSchema, root: JsonSchema | undefined): ReadonlySet<Kind> {
  if (schema === true) return every;
  if (typeof schema === "object") {
    const { type, nullable, $ref, anyOf, oneOf, allOf, enum: literals } = schema;
    const simple =
      nullable || $ref || anyOf || oneOf || allOf || literals || "const" in schema ? undefined : ofType.get(type);
    if (simple) return simple;
  }
  const fitting = samples.filter(([kind, sample]) => fits(sample, schema, root, (literal) => kindOf(literal) === kind));
  return new Set(fitting.map(([kind]) => kind));
}

/** Whether a value is of a type and among the literals that a schema names. Nothing else of the schema counts. */
export function fits(
  value: unknown,
  schema: JsonSchema,
  root: JsonSchema | undefined,
  isSame = (literal: unknown): boolean => JSON.stringify(literal) === JSON.stringify(value),
): boolean {
  const kind = kindOf(value);
  // A schema may refer to itself.
  let left = 1000;
  const walk = (part: JsonSchema): boolean => {
    if (typeof part !== "object" || left-- < 0) return part !== false;
    if (part.nullable === true && kind === "null") return true;
    const literals = literalsOf(part);
    const types = typesOf(part);
    return (
      (!types || types.includes(kind) || (kind === "integer" && types.includes("number"))) &&
      (!literals || literals.some(isSame)) &&
      walk(target(part, root)) &&
      (part.anyOf?.some(walk) ?? true) &&
      (part.oneOf?.some(walk) ?? true) &&
      (part.allOf?.every(walk) ?? true)
    );
  };
  return walk(schema);
}

/** Returns the schema of a member: of a key, or of an index. Undefined: there is none. */
export function memberSchema(
  schema: JsonSchema,
  key: string | number,
  root: JsonSchema | undefined,
): JsonSchema | undefined {
  const found: JsonSchemaObject[] = [];
  let left = 1000;
  const walk = (part: JsonSchema): void => {
    if (typeof part !== "object" || left-- < 0) return;
    const own = typeof key === "number" ? itemSchema(part, key) : propertySchema(part, key);
    if (typeof own === "object") found.push(own);
    for (const branch of [target(part, root), part.anyOf, part.oneOf, part.allOf].flat()) walk(branch ?? true);
  };
  walk(schema);
  return found.length > 1 ? { anyOf: found } : found[0];
}

function itemSchema({ prefixItems, items }: JsonSchemaObject, index: number): JsonSchema | undefined {
  return (Array.isArray(prefixItems) ? (prefixItems[index] as JsonSchema | undefined) : undefined) ?? items;
}

function propertySchema(
  { properties = {}, additionalProperties }: JsonSchemaObject,
  key: string,
): JsonSchema | undefined {
  return Object.hasOwn(properties, key) ? properties[key] : additionalProperties;
}

function kindOf(value: unknown): Kind {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return Number.isInteger(value) ? "integer" : (typeof value as Kind);
}

function literalsOf(schema: JsonSchemaObject): unknown[] | undefined {
  return "const" in schema ? [schema.const] : schema.enum;
}

/** Returns the types that a schema names; without any, what its other keywords are about. */
function typesOf(schema: JsonSchemaObject): Kind[] | undefined {
  if (schema.type !== undefined) return [schema.type].flat();
  if (literalsOf(schema) || schema.$ref || schema.anyOf || schema.oneOf || schema.allOf) return undefined;
  if (schema.properties || schema.additionalProperties !== undefined) return ["object"];
  return schema.items === undefined && schema.prefixItems === undefined ? undefined : ["array"];
}

/** Follows a local reference; true, which takes any value, when there is none or it leads nowhere. */
function target({ $ref }: JsonSchemaObject, root: JsonSchema | undefined): JsonSchema {
  return (($ref?.startsWith("#") ? atPointer(root, $ref) : undefined) ?? true) as JsonSchema;
}
