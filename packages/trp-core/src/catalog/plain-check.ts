import type { JsonSchema, JsonSchemaObject } from "@toolglot/core";

/** True: the schema surely takes the value as it is. False: ask the engine. */
export type PlainCheck = (value: unknown) => boolean;

/** Keywords without effect on which values are good. */
const silent = new Set(["title", "description", "examples", "$comment", "$schema", "$id", "deprecated", "readOnly"]);

const bounds = "minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum minItems maxItems".split(" ");

/** The keywords that are numbers; all others are looked at where they are used. */
type Plain = JsonSchemaObject & { [bound in "minLength" | "maxLength" | "minItems" | "maxItems"]?: number } & {
  [bound in "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum"]?: number;
};

type Kind = "string" | "number" | "integer" | "boolean" | "null" | "object" | "array";

/**
 * Returns a quick check for plain schemas: closed objects and lists of texts, numbers and constants, without defaults, patterns,
 * formats or branches. Undefined for all others. Most calls pass it, twenty times as fast as the engine, which still
 * has the say about whatever this doesn't take; a property test holds the two together.
 */
export function plainCheck(given: JsonSchema): PlainCheck | undefined {
  if (typeof given === "boolean" || typeof given.type !== "string") return undefined;
  if (bounds.some((keyword) => given[keyword] !== undefined && typeof given[keyword] !== "number")) return undefined;
  const schema = given as Plain;
  const left = Object.keys(schema).filter((key) => key !== "type" && !silent.has(key) && !key.startsWith("x-"));
  switch (schema.type as Kind) {
    case "string":
      return stringCheck(schema, left);
    case "number":
    case "integer":
      return numberCheck(schema, left);
    case "boolean":
      return left.length === 0 ? (value) => typeof value === "boolean" : undefined;
    case "null":
      return left.length === 0 ? (value) => value === null : undefined;
    case "array":
      return arrayCheck(schema, left);
    case "object":
      return objectCheck(schema, left);
    default:
      return undefined;
  }
}

function stringCheck(
  { enum: values, const: only, minLength, maxLength }: Plain,
  left: readonly string[],
): PlainCheck | undefined {
  if (!areOf(left, ["enum", "const", "minLength", "maxLength"])) return undefined;
  const words = values === undefined ? undefined : new Set<unknown>(values);
  // JSON Schema counts code points, of which there are at least half as many as UTF-16 units.
  const least = minLength === undefined || minLength <= 0 ? 0 : minLength === 1 ? 1 : 2 * minLength;
  const most = maxLength ?? Number.POSITIVE_INFINITY;
  return (value: unknown): boolean =>
    typeof value === "string" &&
    value.length >= least &&
    value.length <= most &&
    (words === undefined || words.has(value)) &&
    (only === undefined || only === value);
}

function numberCheck(schema: Plain, left: readonly string[]): PlainCheck | undefined {
  if (!areOf(left, ["enum", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"])) return undefined;
  const { type, enum: values, minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  const whole = type === "integer";
  return (value) =>
    typeof value === "number" &&
    (whole ? Number.isInteger(value) : Number.isFinite(value)) &&
    (values === undefined || values.includes(value)) &&
    (minimum === undefined || value >= minimum) &&
    (maximum === undefined || value <= maximum) &&
    (exclusiveMinimum === undefined || value > exclusiveMinimum) &&
    (exclusiveMaximum === undefined || value < exclusiveMaximum);
}

function arrayCheck(schema: Plain, left: readonly string[]): PlainCheck | undefined {
  if (!areOf(left, ["items", "minItems", "maxItems"])) return undefined;
  const { items, minItems = 0, maxItems = Number.POSITIVE_INFINITY } = schema;
  const check = items === undefined || Array.isArray(items) ? undefined : plainCheck(items as JsonSchema);
  if (check === undefined) return undefined;
  return (value) => {
    if (!Array.isArray(value) || value.length < minItems || value.length > maxItems) return false;
    for (let index = 0; index < value.length; index++) if (!check(value[index])) return false;
    return true;
  };
}

function objectCheck(schema: Plain, left: readonly string[]): PlainCheck | undefined {
  if (!areOf(left, ["properties", "required", "additionalProperties"])) return undefined;
  const { properties = {}, required = [] } = schema;
  const members = new Map<string, { check: PlainCheck; required: boolean }>();
  for (const name of Object.keys(properties)) {
    const check = plainCheck(properties[name] as JsonSchema);
    if (check === undefined) return undefined;
    members.set(name, { check, required: required.includes(name) });
  }
  const needed = new Set(required);
  if ([...needed].some((name) => !members.has(name))) return undefined;
  return (value) => {
    if (typeof value !== "object" || value === null) return false;
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null) return false;
    let missing = needed.size;
    for (const key in value) {
      // What is not declared is the engine's to judge, whatever the schema has for it.
      const member = members.get(key);
      if (member === undefined || !member.check((value as Record<string, unknown>)[key])) return false;
      if (member.required) missing--;
    }
    return missing === 0;
  };
}

function areOf(keywords: readonly string[], known: readonly string[]): boolean {
  return keywords.every((keyword) => known.includes(keyword));
}
