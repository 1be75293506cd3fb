import type { JsonSchema, JsonSchemaObject } from "@toolglot/core";
import { isObject, typeOf } from "@toolglot/internal";
import { branchPlaces, contradicts, itemPlace, propertyPlace } from "./describe.ts";
import { visitBudget } from "./flaw.ts";
import { eachSubschema, followRefs, type Place, setOwn, step, visitSchemas } from "./schema-walk.ts";
import type { Validator } from "./types.ts";

/** Returns a value with defaults for what is missing; the same value when nothing is. */
export type Filler = (value: unknown) => unknown;

/**
 * Returns what fills in the defaults of a schema, nested ones too; undefined when it has none. Throws `TypeError` for a default that
 * doesn't fit its own schema: the model would be blamed for it. A null that doesn't fit means that there is no default,
 * as many schemas written by hand do, and is deleted.
 */
export function makeFiller(root: JsonSchemaObject, validator: Validator, where: string): Filler | undefined {
  let found = false;
  visitSchemas(root, (schema, pointer) => {
    if (schema.default === undefined) return;
    if (validator.accepts(schema.default, pointer)) {
      found = true;
      return;
    }
    if (schema.default === null) {
      delete schema.default;
      return;
    }
    const field = pointer.split("/").pop() || "the input";
    throw new TypeError(
      `${where}: the default ${JSON.stringify(schema.default)} of ${field} (${typeOf(schema.default)}) does not fit its schema`,
    );
  });
  if (!found) return undefined;
  const plans = new Plans(root);
  return (value) => fillIn(root, validator, plans, value);
}

/** Places of the defaults of an object schema, found once. */
interface Plan {
  /** Properties with a default of their own. */
  fallbacks: [key: string, place: Place, fallback: unknown][];
  /** Declared properties with defaults somewhere inside. */
  inner: [key: string, place: Place][];
  /** Whether properties that aren't declared may have defaults inside. */
  others: boolean;
}

class Plans {
  readonly #root: JsonSchemaObject;
  /** The schemas from which a default can be reached; the others need no walk. */
  readonly #live = new Set<JsonSchema>();
  readonly #plans = new Map<JsonSchemaObject, Plan>();

  constructor(root: JsonSchemaObject) {
    this.#root = root;
    const leading = new Map<JsonSchema, JsonSchema[]>();
    const lead = (from: JsonSchema, to: JsonSchema): void => {
      const known = leading.get(to);
      if (known === undefined) leading.set(to, [from]);
      else known.push(from);
    };
    const open: JsonSchema[] = [];
    visitSchemas(root, (schema) => {
      eachSubschema(schema, (_keyword, inner) => lead(schema, inner));
      if (schema.default !== undefined) open.push(schema);
      if (schema.$ref === undefined) return;
      const target = followRefs(root, { schema, pointer: "" })?.schema;
      if (target !== undefined) lead(schema, target);
    });
    for (let schema = open.pop(); schema !== undefined; schema = open.pop()) {
      if (this.#live.has(schema)) continue;
      this.#live.add(schema);
      open.push(...(leading.get(schema) ?? []));
    }
  }

  isLive({ schema }: Place): boolean {
    return this.#live.has(schema);
  }

  of({ schema, pointer }: Place): Plan {
    const object = schema as JsonSchemaObject;
    const known = this.#plans.get(object);
    if (known !== undefined) return known;
    const plan: Plan = { fallbacks: [], inner: [], others: false };
    for (const [key, found] of Object.entries(object.properties ?? {})) {
      const place: Place = { schema: found, pointer: step(pointer, "properties", key) };
      if (!this.isLive(place)) continue;
      plan.inner.push([key, place]);
      const fallback = defaultOf(found) ?? defaultOf(followRefs(this.#root, place)?.schema);
      if (fallback !== undefined) plan.fallbacks.push([key, place, fallback]);
    }
    const patterns = Object.values((object.patternProperties ?? {}) as Record<string, JsonSchema>);
    plan.others = [object.additionalProperties, ...patterns].some((other) => other && this.#live.has(other));
    this.#plans.set(object, plan);
    return plan;
  }
}

/** Returns the value with its defaults. */
function fillIn(root: JsonSchemaObject, validator: Validator, plans: Plans, value: unknown): unknown {
  const open = new Set<string>();
  /** Set at the first union: unions inside unions multiply the visits. */
  let left: number | undefined;
  return visit({ schema: root, pointer: "" }, value);

  function visit(given: Place, current: unknown): unknown {
    if (typeof current !== "object" || current === null || !plans.isLive(given)) return current;
    if (left !== undefined && left-- <= 0) return current;
    const place = followRefs(root, given);
    if (place === undefined || typeof place.schema === "boolean") return current;
    let result: unknown = current;
    for (const branch of branchPlaces(place, "allOf")) result = visit(branch, result);
    for (const keyword of ["anyOf", "oneOf"] as const) result = fillUnion(branchPlaces(place, keyword), result);
    if (Array.isArray(result)) return fillItems(place, result);
    return isObject(result) ? fillProperties(place, result) : result;
  }

  /** By the first branch that fits once it is filled in. */
  function fillUnion(branches: Place[], current: unknown): unknown {
    if (branches.length === 0) return current;
    left ??= visitBudget(value);
    const chosen = branches
      .filter((branch) => !contradicts(root, branch, current))
      .map((branch) => ({ branch, filled: visit(branch, current) }))
      .find(({ branch, filled }) => validator.accepts(filled, branch.pointer));
    return chosen === undefined ? current : chosen.filled;
  }

  function fillItems(place: Place, items: unknown[]): unknown[] {
    let copy: unknown[] | undefined;
    for (const [index, item] of items.entries()) {
      const child = itemPlace(place, index);
      const filled = child === undefined ? item : visit(child, item);
      if (filled === item) continue;
      copy ??= items.slice();
      copy[index] = filled;
    }
    return copy ?? items;
  }

  function fillProperties(place: Place, object: Record<string, unknown>): Record<string, unknown> {
    const { fallbacks, inner, others } = plans.of(place);
    let copy: Record<string, unknown> | undefined;
    const set = (key: string, item: unknown): void => {
      copy ??= { ...object };
      setOwn(copy, key, item);
    };
    for (const [key, child, fallback] of fallbacks) {
      if (Object.hasOwn(object, key)) continue;
      // Cloning costs microseconds, also for a number.
      const isPlain = typeof fallback !== "object" || fallback === null;
      set(key, isPlain ? fallback : fillFallback(child, structuredClone(fallback)));
    }
    const given: [string, Place | undefined][] = others
      ? Object.keys(object).map((key) => [key, propertyPlace(place, key)])
      : inner;
    for (const [key, child] of given) {
      if (child === undefined || !Object.hasOwn(object, key)) continue;
      const filled = visit(child, object[key]);
      if (filled !== object[key]) set(key, filled);
    }
    return copy ?? object;
  }

  /** A default may lack defaults of its own; one that would come to stand inside itself stays as it is. */
  function fillFallback(place: Place, fallback: unknown): unknown {
    const { pointer } = followRefs(root, place) ?? place;
    if (open.has(pointer)) return fallback;
    open.add(pointer);
    const filled = visit(place, fallback);
    open.delete(pointer);
    return filled;
  }
}

function defaultOf(schema: JsonSchema | undefined): unknown {
  return typeof schema === "object" ? schema.default : undefined;
}
