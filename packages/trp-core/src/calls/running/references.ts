import type { JsonObject, JsonSchemaObject, JsonValue } from "@toolglot/core";
import { isObject, pointerSteps, valueAt } from "@toolglot/internal";
import type { RegisteredCapability } from "../../catalog/types.ts";
import { type Fault, fault } from "../../frames/fault.ts";

/** A place in the arguments of a call that another call's result fills. */
export interface Reference {
  /** Where it stands in the arguments. */
  readonly at: readonly (string | number)[];
  /** The call whose result it takes. */
  readonly from: string;
  /** Into that result: `/data/items/0/id` is the id of the first item. */
  readonly path: readonly string[];
}

/** References in one call, at most. */
const maxReferences = 64;

/**
 * The references in the arguments of a call of a graph: every object with `$from` is one, `{ "$from": "call_1", "path":
 * "/data/items/0/id" }`; without `path` it stands for the whole result. TRP_2001 for one that is malformed.
 */
export function referencesOf(args: JsonObject): Reference[] | Fault {
  const found: Reference[] = [];
  const problem = collect(args, [], found);
  if (problem !== undefined) return fault("TRP_2001", problem);
  if (found.length > maxReferences) return fault("TRP_2001", `More than ${maxReferences} references in one call.`);
  return found;
}

function collect(value: JsonValue, at: readonly (string | number)[], found: Reference[]): string | undefined {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      const problem = collect(item, [...at, index], found);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }
  if (!isObject(value)) return undefined;
  if (!Object.hasOwn(value, "$from")) {
    for (const [key, member] of Object.entries(value)) {
      const problem = collect(member as JsonValue, [...at, key], found);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }
  const { $from: from, path = "", ...rest } = value;
  const where = placeText(at);
  if (at.length === 0) return "The arguments as a whole can't be a reference.";
  if (typeof from !== "string" || from === "") return `${where}: $from must be the call_id of another call.`;
  if (Object.keys(rest).length > 0) return `${where}: a reference has $from and path, and nothing else.`;
  const steps = typeof path === "string" ? pointerSteps(path) : undefined;
  if (steps === undefined) return `${where}: path must be a JSON pointer, as /data/items/0/id.`;
  found.push({ at, from, path: steps });
  return undefined;
}

/** Arguments with values in place of their references. The arguments stay as they are. */
export function fillReferences(args: JsonObject, values: ReadonlyMap<Reference, JsonValue>): JsonObject {
  const filled = structuredClone(args);
  for (const [{ at }, value] of values) {
    let holder: Record<string | number, unknown> = filled;
    for (const step of at.slice(0, -1)) holder = holder[step] as Record<string | number, unknown>;
    const last = at.at(-1) as string | number;
    Object.defineProperty(holder, last, { value, enumerable: true, configurable: true, writable: true });
  }
  return filled;
}

/**
 * Returns why a reference can't fit, whatever the other call returns: there is no such argument, or its types are others than those
 * that the other capability declares (`output`). Undefined when it may fit.
 */
export function misfit(
  reference: Reference,
  target: RegisteredCapability,
  source: RegisteredCapability,
): string | undefined {
  const wanted = typesAt(target.schema, reference.at.map(String), target.schema);
  const where = placeText(reference.at);
  if (wanted === "nothing") return `${where}: ${target.capId} has no such argument.`;
  const given = typesAt(resultSchema(source), reference.path, source.definition.output ?? {});
  const from = `call ${JSON.stringify(reference.from)}`;
  if (given === "nothing") return `${where}: the result of ${from} has nothing at ${pointerText(reference.path)}.`;
  if (wanted === "anything" || given === "anything") return undefined;
  const fits = [...given].some((type) => wanted.has(type) || (type === "number" && wanted.has("integer")));
  if (fits || (given.has("integer") && wanted.has("number"))) return undefined;
  return `${where}: expected ${[...wanted].join(" or ")}, and ${from} gives ${[...given].join(" or ")}.`;
}

/** Returns what a `$from` path walks through (13.1). */
function resultSchema({ definition }: RegisteredCapability): JsonSchemaObject {
  return {
    type: "object",
    properties: {
      summary: { type: "string" },
      data: definition.output ?? {},
      artifacts: { type: "array", items: { type: "object" } },
      warnings: { type: "array", items: { type: "string" } },
    },
    additionalProperties: false,
  };
}

type Types = ReadonlySet<string> | "anything" | "nothing";

/** Returns the JSON types that a schema allows at a place: `anything` where it is too involved. */
function typesAt(schema: unknown, steps: readonly string[], root: JsonSchemaObject, depth = 0): Types {
  if (schema === false) return "nothing";
  if (!isObject(schema) || depth > 32) return "anything";
  const { $ref: ref, anyOf, oneOf, allOf, type, enum: values, const: value, properties, items } = schema;
  if (typeof ref === "string") {
    const target = ref.startsWith("#") ? valueAt(root, pointerSteps(ref.slice(1)) ?? ["?"]) : undefined;
    return typesAt(target, steps, root, depth + 1);
  }
  const choices = [anyOf, oneOf].find(Array.isArray);
  if (choices !== undefined) {
    const found = choices.map((choice: unknown) => typesAt(choice, steps, root, depth + 1));
    if (found.includes("anything")) return "anything";
    const types = new Set(found.flatMap((each) => (typeof each === "string" ? [] : [...each])));
    return types.size === 0 ? "nothing" : types;
  }
  if (allOf !== undefined || schema.patternProperties !== undefined) return "anything";
  const [step, ...rest] = steps;
  if (step === undefined) {
    if (Array.isArray(values)) return new Set(values.map(typeOf));
    if (Object.hasOwn(schema, "const")) return new Set([typeOf(value)]);
    if (typeof type === "string") return new Set([type]);
    return Array.isArray(type) ? new Set(type.map(String)) : "anything";
  }
  const types = type === undefined ? undefined : new Set([type].flat());
  if (types !== undefined && !types.has("object") && !types.has("array")) return "nothing";
  if (types?.has("array") && !types.has("object")) {
    if (!/^\d+$/.test(step)) return "nothing";
    return items === undefined || Array.isArray(items) ? "anything" : typesAt(items, rest, root, depth + 1);
  }
  if (isObject(properties) && Object.hasOwn(properties, step)) {
    return typesAt(properties[step], rest, root, depth + 1);
  }
  return typesAt(schema.additionalProperties ?? {}, rest, root, depth + 1);
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return Number.isInteger(value) ? "integer" : typeof value;
}

/** `items[2].price`, as the faults of arguments have it. */
export function placeText(at: readonly (string | number)[]): string {
  let text = "";
  for (const step of at) text += typeof step === "number" ? `[${step}]` : `${text === "" ? "" : "."}${step}`;
  return text === "" ? "the arguments" : text;
}

export function pointerText(path: readonly string[]): string {
  return path.length === 0
    ? "its root"
    : path.map((step) => `/${step.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}
