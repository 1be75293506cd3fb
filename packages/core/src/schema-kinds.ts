import { atPointer } from "@toolglot/internal";
import type { JsonSchema, JsonSchemaObject } from "./json.ts";

/** The types of JSON, numbers without a fraction among them. */
export type SchemaKind = "null" | "boolean" | "integer" | "number" | "array" | "object" | "string";

const samples: [SchemaKind, unknown][] = [
  ["null", null],
  ["boolean", true],
  ["integer", 1],
  ["number", 0.5],
  ["array", []],
  ["object", {}],
  ["string", ""],
];

/** The number of types; a schema that takes all of them decides nothing. */
export const kindCount = 7;

/** What schemas take that name a type, and nothing else that counts: most do. Under `true`: all types. */
const ofType: ReadonlyMap<unknown, ReadonlySet<SchemaKind>> = /* @__PURE__ */ kindSets();

function kindSets(): Map<unknown, ReadonlySet<SchemaKind>> {
  const sets = samples.map(
    ([kind]) => [kind, new Set<SchemaKind>(kind === "number" ? ["integer", kind] : [kind])] as const,
  );
  return new Map<unknown, ReadonlySet<SchemaKind>>([...sets, [true, new Set(samples.map(([kind]) => kind))]]);
}

/** Returns the types that a schema takes which names one, or none at all; undefined for others. */
export function simpleKinds(schema: JsonSchema): ReadonlySet<SchemaKind> | undefined {
  if (typeof schema !== "object") return ofType.get(schema);
  const { type, nullable, $ref, anyOf, oneOf, allOf, enum: literals } = schema;
  return nullable || $ref || anyOf || oneOf || allOf || literals || "const" in schema ? undefined : ofType.get(type);
}

/** Returns the types that a schema takes. */
export function kindsOf(schema: JsonSchema, root: JsonSchema | undefined): ReadonlySet<SchemaKind> {
  const simple = simpleKinds(schema);
  if (simple) return simple;
  const fitting = samples.filter(([kind, sample]) =>
    fitsSchema(sample, schema, root, (literal) => kindOf(literal) === kind),
  );
  return new Set(fitting.map(([kind]) => kind));
}

/** Whether a value is of a type and among the literals that a schema names. Nothing else of the schema counts. */
export function fitsSchema(
  value: unknown,
  schema: JsonSchema,
  root: JsonSchema | undefined,
  isSame = (literal: unknown): boolean => JSON.stringify(literal) === JSON.stringify(value),
  /** The answer about a schema that refers to itself without an end. */
  endless = true,
): boolean {
  const kind = kindOf(value);
  let left = 2000;
  const walk = (part: JsonSchema, depth: number): boolean => {
    if (typeof part !== "object") return part !== false;
    if (left-- < 0 || depth > 100) return endless;
    if (part.nullable === true && kind === "null") return true;
    const again = (inner: JsonSchema): boolean => walk(inner, depth + 1);
    const literals = literalsOf(part);
    const types = typesOf(part);
    return (
      (!types || types.includes(kind) || (kind === "integer" && types.includes("number"))) &&
      (!literals || literals.some(isSame)) &&
      again(target(part, root)) &&
      (part.anyOf?.some(again) ?? true) &&
      (part.oneOf?.some(again) ?? true) &&
      (part.allOf?.every(again) ?? true)
    );
  };
  return walk(schema, 0);
}

/** Returns the schema of a member: of a key, or of an index. Undefined: there is none. What is declared by name comes before all others. */
export function memberSchema(
  schema: JsonSchema,
  key: string | number,
  root: JsonSchema | undefined,
): JsonSchemaObject | undefined {
  return typeof key === "number"
    ? gather(schema, root, ({ prefixItems, items }) => (prefixItems as JsonSchema[] | undefined)?.[key] ?? items)
    : (gather(schema, root, ({ properties = {} }) => (Object.hasOwn(properties, key) ? properties[key] : undefined)) ??
        gather(schema, root, ({ additionalProperties }) => additionalProperties));
}

/** Returns the names of the members that a schema declares, in order. */
export function memberNames(schema: JsonSchema): string[] {
  const names = new Set<string>();
  gather(schema, schema, ({ properties = {} }) => {
    for (const name of Object.keys(properties)) names.add(name);
    return undefined;
  });
  return [...names];
}

/** Returns what the parts of a schema hold, as one schema. */
function gather(
  schema: JsonSchema,
  root: JsonSchema | undefined,
  own: (part: JsonSchemaObject) => JsonSchema | undefined,
): JsonSchemaObject | undefined {
  // Most schemas are of one part.
  if (typeof schema === "object" && !(schema.$ref || schema.anyOf || schema.oneOf || schema.allOf)) {
    const found = own(schema);
    return typeof found === "object" ? found : undefined;
  }
  let left = 1000;
  const walk = (part: JsonSchema): JsonSchemaObject | undefined => {
    if (typeof part !== "object" || left-- < 0) return undefined;
    const { anyOf, oneOf, allOf = [] } = part;
    const choices = [anyOf, oneOf].map((parts = []) => joined("anyOf", parts.map(walk)));
    return joined("allOf", [own(part), walk(target(part, root)), ...choices, ...allOf.map(walk)]);
  };
  return walk(schema);
}

/** Returns several schemas as one. */
function joined(how: "anyOf" | "allOf", schemas: readonly (JsonSchema | undefined)[]): JsonSchemaObject | undefined {
  const found = schemas.filter((one) => typeof one === "object");
  return found.length > 1 ? { [how]: found } : found[0];
}

function kindOf(value: unknown): SchemaKind {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return Number.isSafeInteger(value) ? "integer" : (typeof value as SchemaKind);
}

/** Returns the only values that a schema takes, if it names them. */
export function literalsOf(schema: JsonSchemaObject): unknown[] | undefined {
  return "const" in schema ? [schema.const] : schema.enum;
}

/** Returns the types that a schema names; without any, what its other keywords are about. */
export function typesOf(schema: JsonSchemaObject): SchemaKind[] | undefined {
  if (schema.type !== undefined) return [schema.type].flat();
  if (literalsOf(schema) || schema.$ref || schema.anyOf || schema.oneOf || schema.allOf) return undefined;
  if (schema.properties || schema.additionalProperties !== undefined) return ["object"];
  return schema.items === undefined && schema.prefixItems === undefined ? undefined : ["array"];
}

/** Follows a local reference; true, which takes any value, when there is none or it leads nowhere. */
export function target({ $ref }: JsonSchemaObject, root: JsonSchema | undefined): JsonSchema {
  return (($ref?.startsWith("#") ? atPointer(root, $ref) : undefined) ?? true) as JsonSchema;
}
