import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec";
import type { JsonSchemaObject } from "@toolglot/core";
import { isObject } from "@toolglot/internal";
import { toJsonSchema } from "@valibot/to-json-schema";
import { visitSchemas } from "./schema-walk.ts";
import type { StandardInput } from "./types.ts";

const target = "draft-2020-12";

/** Checks whether a value is a Standard Schema. arktype's are functions. */
export function isStandard(value: unknown): value is StandardInput {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return false;
  return isObject((value as Partial<StandardInput>)["~standard"]);
}

/** Which side of a schema: what goes in, or what comes out of its transforms. */
type Side = "input" | "output";

/**
 * Returns the JSON Schema of a Standard Schema. `TypeError` when its library can't give one, naming the field where that is
 * so: a `Date` has no form in JSON.
 */
export function standardToJsonSchema(schema: StandardInput, where: string, side: Side = "input"): JsonSchemaObject {
  try {
    const { $schema: _, ...found } = convert(schema, side);
    const tidied = tidy(found);
    if (side === "input" && schema["~standard"].vendor === "arktype") addArktypeDefaults(tidied, schema);
    return tidied;
  } catch (error) {
    const field = locate(schema, side, 0);
    const at = field === "" ? "" : ` at ${field}`;
    throw new TypeError(`${where} can't be turned into JSON Schema${at}: ${reasonOf(error)}`, { cause: error });
  }
}

/** A check without a form in JSON Schema still runs when the input is validated, as zod's refinements do. */
const arktypeOptions = { fallback: { predicate: ({ base }: { base: unknown }) => base } };

function convert(schema: StandardInput, side: Side): JsonSchemaObject {
  const standard = schema["~standard"] as StandardSchemaV1.Props & Partial<StandardJSONSchemaV1.Props>;
  if (standard.jsonSchema !== undefined) {
    const libraryOptions = standard.vendor === "arktype" ? { libraryOptions: arktypeOptions } : {};
    return standard.jsonSchema[side]({ target, ...libraryOptions });
  }
  if (standard.vendor === "valibot") {
    return toJsonSchema(schema as Parameters<typeof toJsonSchema>[0], {
      target,
      typeMode: side,
      // The same for valibot's actions; its schemas without a form are errors.
      overrideAction: ({ errors, jsonSchema }) => (errors === undefined ? undefined : jsonSchema),
    }) as JsonSchemaObject;
  }
  const cure =
    standard.vendor === "zod"
      ? "zod needs version 4.2 or newer, or pass z.toJSONSchema(schema)"
      : `pass a JSON Schema, or a schema whose ~standard has jsonSchema`;
  throw new TypeError(`${standard.vendor} gives no JSON Schema: ${cure}`);
}

/** Without what a model need not read: zod's bounds of exact integers at every integer, valibot's empty `required`. */
function tidy(root: JsonSchemaObject): JsonSchemaObject {
  const copy = structuredClone(root);
  visitSchemas(copy, (schema) => {
    if (schema.required?.length === 0) delete schema.required;
    if (schema.type !== "integer") return;
    if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
    if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  });
  return copy;
}

/** arktype leaves defaults out of its JSON Schema. A model should know them. */
function addArktypeDefaults(json: JsonSchemaObject, schema: StandardInput): void {
  for (const { key, value, fallback } of arktypeProps(schema)) {
    const property = json.properties?.[key];
    if (typeof property !== "object") continue;
    if (isStandard(value)) addArktypeDefaults(property, value);
    // One that is made anew by a function has no place in a schema.
    if (fallback !== undefined && typeof fallback !== "function") property.default ??= structuredClone(fallback);
  }
}

/** Libraries also throw plain data. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as { code?: unknown };
  return typeof code === "string" ? `${code} has no form in JSON Schema` : error.message;
}

/** Returns the path of the first field that can't be converted, found by converting the parts one by one. */
function locate(schema: StandardInput, side: Side, depth: number): string {
  if (depth > 20) return "";
  for (const [key, part] of partsOf(schema)) {
    try {
      convert(part, side);
    } catch {
      const inner = locate(part, side, depth + 1);
      return inner === "" || inner.startsWith("[") ? `${key}${inner}` : `${key}${key === "" ? "" : "."}${inner}`;
    }
  }
  return "";
}

/** Returns the parts of an object, array or wrapper schema of the three libraries; `""` for a part that adds no path. */
function partsOf(schema: StandardInput): [string, StandardInput][] {
  const parts: [string, unknown][] = [];
  const add = (holder: unknown, wrappers: Record<string, string>, properties: string): void => {
    if ((typeof holder !== "object" && typeof holder !== "function") || holder === null) return;
    const found = holder as Record<string, unknown>;
    if (isObject(found[properties])) parts.push(...Object.entries(found[properties]));
    for (const [name, path] of Object.entries(wrappers)) parts.push([path, found[name]]);
  };
  switch (schema["~standard"].vendor) {
    case "zod":
      add((schema as { def?: unknown }).def, { innerType: "", element: "[]", in: "" }, "shape");
      break;
    case "valibot":
      add(schema, { wrapped: "", item: "[]" }, "entries");
      break;
    case "arktype":
      parts.push(...arktypeProps(schema).map(({ key, value }): [string, unknown] => [key, value]));
  }
  return parts.filter((part): part is [string, StandardInput] => isStandard(part[1]));
}

interface ArktypeProp {
  key: string;
  value: unknown;
  fallback: unknown;
}

function arktypeProps(schema: StandardInput): ArktypeProp[] {
  try {
    const { props } = schema as { props?: { key: PropertyKey; value: unknown; default?: unknown }[] };
    return (props ?? []).map((prop) => ({ key: String(prop.key), value: prop.value, fallback: prop.default }));
  } catch {
    return []; // it throws for what is no object
  }
}
