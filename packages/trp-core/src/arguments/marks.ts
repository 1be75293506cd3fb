import type { JsonSchema, JsonSchemaObject } from "@toolglot/core";
import { isObject } from "@toolglot/internal";
import { refTarget } from "../catalog/arg-template-words.ts";

/** A schema's marks of which texts in a value are safe. */
export interface MarkedSchema {
  /** Of the value itself, when it is a text. */
  readonly marks: ReadonlySet<string>;
  property(key: string): MarkedSchema | undefined;
  item(index: number): MarkedSchema | undefined;
}

/** By the schema object, which a registered capability never changes. */
const known = new WeakMap<JsonSchemaObject, MarkedSchema | null>();

/** The marks in a schema (`x-safety` and `format`); undefined when it has none, so that nothing need be looked up. */
export function readMarks(schema: JsonSchemaObject): MarkedSchema | undefined {
  let found = known.get(schema);
  if (found === undefined) {
    found = hasMarks(schema) ? new Node([schema], schema) : null;
    known.set(schema, found);
  }
  return found ?? undefined;
}

/** Checks whether any subschema has one of the two keywords; wherever they stand, a mark too many costs only time. */
function hasMarks(root: JsonSchemaObject): boolean {
  const open: unknown[] = [root];
  const seen = new Set<unknown>();
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== "object" || value === null || seen.has(value)) continue;
    seen.add(value);
    if ("x-safety" in value || "format" in value) return true;
    for (const inner of Object.values(value)) if (typeof inner === "object") open.push(inner);
  }
  return false;
}

/** Every branch that could hold for the value counts: a text that one of them marks is checked. */
const inPlace = ["allOf", "anyOf", "oneOf"] as const;

/** The schemas that hold together for one place in the value. */
class Node implements MarkedSchema {
  readonly marks: ReadonlySet<string>;
  readonly #schemas: readonly JsonSchemaObject[];
  readonly #root: JsonSchemaObject;
  readonly #steps = new Map<string | number, MarkedSchema | null>();

  constructor(schemas: readonly JsonSchema[], root: JsonSchemaObject) {
    this.#root = root;
    this.#schemas = expand(schemas, root);
    this.marks = new Set(this.#schemas.flatMap(marksOf));
  }

  property(key: string): MarkedSchema | undefined {
    return this.#step(key, ({ properties = {}, patternProperties, additionalProperties }) => {
      const found: unknown[] = Object.hasOwn(properties, key) ? [properties[key]] : [];
      if (typeof patternProperties === "object" && patternProperties !== null) {
        // Which of them hold is not looked at: all of them do.
        found.push(...Object.values(patternProperties));
      }
      if (found.length === 0) found.push(additionalProperties);
      return found;
    });
  }

  item(index: number): MarkedSchema | undefined {
    return this.#step(index, ({ items, prefixItems }) => {
      const first: unknown = Array.isArray(prefixItems) ? prefixItems[index] : undefined;
      return [first ?? items];
    });
  }

  #step(key: string | number, next: (schema: JsonSchemaObject) => unknown[]): MarkedSchema | undefined {
    let found = this.#steps.get(key);
    if (found === undefined) {
      const schemas = this.#schemas.flatMap(next).filter(isSchemaObject);
      const node = schemas.length === 0 ? null : new Node(schemas, this.#root);
      found = node;
      // Names come from outside: what is remembered is bounded.
      if (this.#steps.size < 256) this.#steps.set(key, found);
    }
    return found ?? undefined;
  }
}

const isSchemaObject = isObject as (value: unknown) => value is JsonSchemaObject;

function expand(schemas: readonly JsonSchema[], root: JsonSchemaObject): JsonSchemaObject[] {
  const all = new Set<JsonSchemaObject>();
  const add = (schema: unknown): void => {
    if (!isSchemaObject(schema) || all.has(schema)) return;
    all.add(schema);
    for (const keyword of inPlace) for (const branch of schema[keyword] ?? []) add(branch);
    for (const keyword of ["if", "then", "else"]) add(schema[keyword]);
    if (typeof schema.$ref === "string") add(refTarget(root, schema.$ref));
  };
  for (const schema of schemas) add(schema);
  return [...all];
}

function marksOf(schema: JsonSchemaObject): string[] {
  const said = schema["x-safety"];
  const marks = [said].flat().filter((mark) => typeof mark === "string");
  if (typeof schema.format === "string") marks.push(schema.format);
  return marks as string[];
}
