import { dereference, format, type Schema, validate } from "@cfworker/json-schema";
import type { JsonSchema, JsonSchemaObject } from "@toolglot/core";
import { atPointer } from "@toolglot/internal";
import { literalsOf } from "./describe.ts";
import { patternFormat } from "./engine-schema.ts";
import { visitBudget } from "./flaw.ts";
import { inOneCall, isSpent, matchesPattern, spend, Undecided } from "./pattern-tests.ts";
import { eachSubschema, setOwn, visitSchemas } from "./schema-walk.ts";
import type { Validator } from "./types.ts";
import { extractUniqueItems } from "./unique.ts";
import { weaken } from "./weaken.ts";

/** Returns the engine that runs everywhere: an interpreter, so it needs neither `eval` nor a build step. */
export function interpretingValidator(schema: JsonSchemaObject): Validator {
  return interpreter(schema, false);
}

/**
 * Returns the same engine for an untrusted schema, whatever is in it: patterns run in linear time, and the whole validation may take only
 * so many steps. What isn't decided by then is accepted: the server that runs the tool validates as well. Compiles what `weaken`
 * left.
 */
export function boundedValidator(schema: JsonSchemaObject): Validator {
  const whole = interpreter(schema, true);
  let bare: Validator | undefined;
  const ask = (value: unknown, pointer: string | undefined): boolean => {
    const accepted = decided(() => whole.accepts(value, pointer));
    if (accepted !== undefined || isSpent()) return accepted ?? true;
    // A text too long for its pattern: the rest still counts.
    bare ??= interpreter(withoutPatterns(schema), true);
    const { accepts } = bare;
    return decided(() => accepts(value, pointer)) ?? true;
  };
  return {
    accepts: (value, pointer) =>
      isSpent() ||
      inOneCall(
        true,
        () => visitBudget(value),
        () => ask(value, pointer),
      ),
  };
}

function withoutPatterns(schema: JsonSchemaObject): JsonSchemaObject {
  const left = structuredClone(schema);
  weaken(left, true);
  return left;
}

/** Returns the answer, or undefined when there was none. */
function decided(ask: () => boolean): boolean | undefined {
  try {
    return ask();
  } catch (error) {
    if (error instanceof Undecided) return undefined;
    throw error;
  }
}

function interpreter(schema: JsonSchemaObject, isBounded: boolean): Validator {
  // The engine annotates what it is given.
  const own = structuredClone(schema);
  visitSchemas(own, constantsFirst);
  isolatePatterns(own);
  // It compares each item with each: seconds for some thousands of them.
  const itemsDiffer = extractUniqueItems(own);
  const lookup = dereference(own as Schema) as Record<string, JsonSchema>;
  if (isBounded) countVisits(own);
  skipReferences(own, lookup);
  return {
    accepts(value: unknown, pointer = ""): boolean {
      const at = pointer === "" ? own : atPointer(own, pointer);
      // Taken out with a pattern that it needed.
      if (at === undefined && isBounded) return true;
      try {
        return (
          validate(value, at as Schema, "2020-12", lookup as Record<string, Schema>, true).valid &&
          (itemsDiffer === undefined || itemsDiffer(value, pointer))
        );
      } catch (error) {
        if (error instanceof Undecided) throw error;
        // It throws for `undefined`, and for more than about 100,000 faults: it passes them on as arguments.
        return false;
      }
    },
  };
}

/** The pattern that is asked about. */
let asked = "";
(format as Record<string, (text: string) => boolean>)[patternFormat] = (text) => matchesPattern(asked, text);

/**
 * Makes a format of each pattern. The engine would compile and run the pattern again for each question; a format is a
 * function of ours, which remembers. The engine reads the name of the format: at that moment the pattern notes that it is the one.
 */
function isolatePatterns(root: JsonSchemaObject): void {
  visitSchemas(root, (schema) => {
    if (typeof schema.pattern !== "string") return;
    const { pattern } = schema;
    const name = {
      toString: () => {
        asked = pattern;
        return patternFormat;
      },
    } as unknown as string;
    delete schema.pattern;
    if (schema.format === undefined) schema.format = name;
    else schema.allOf = [...(schema.allOf ?? []), { format: name }];
  });
}

/** Has each visit of the engine to a schema counted: it reads the type each time. */
function countVisits(root: JsonSchemaObject): void {
  const found: JsonSchemaObject[] = [];
  visitSchemas(root, (schema) => {
    found.push(schema);
  });
  for (const schema of found) {
    const { type } = schema;
    Object.defineProperty(schema, "type", {
      enumerable: type !== undefined,
      get: () => {
        spend(stepsPerVisit);
        return type;
      },
    });
  }
}

/** A visit takes about as long as so many steps of a pattern. */
const stepsPerVisit = 20;

/**
 * The engine stops at an object's first wrong property, but tries every branch of a union. With the constants first it
 * leaves a branch that isn't meant before it walks into its children: nested unions would multiply.
 */
function constantsFirst(schema: JsonSchemaObject): void {
  if (schema.properties === undefined) return;
  const entries = Object.entries(schema.properties);
  const isConstant = ([, found]: [string, JsonSchema]): boolean => literalsOf(found) !== undefined;
  const sorted = [...entries.filter(isConstant), ...entries.filter((entry) => !isConstant(entry))];
  const properties: Record<string, JsonSchema> = {};
  for (const [name, found] of sorted) setOwn(properties, name, found);
  schema.properties = properties;
}

/**
 * Puts what a reference leads to in its place. Each reference costs the engine a call, and stack: a deep value under
 * schemas that refer to each other would overflow it. From here on the schema goes round in circles.
 */
function skipReferences(root: JsonSchemaObject, lookup: Record<string, JsonSchema>): void {
  const moves: (() => void)[] = [];
  visitSchemas(root, (schema) => {
    eachSubschema(schema, (keyword, inner, key) => {
      const target = targetOf(inner, lookup);
      if (target === inner) return;
      const holder = key === undefined ? schema : (schema[keyword] as Record<string | number, unknown>);
      moves.push(() => setOwn(holder, String(key ?? keyword), target));
    });
  });
  for (const move of moves) move();
}

const saysNothing = new Set(["$ref", "description", "default", "examples", "$comment"]);

function targetOf(schema: JsonSchema, lookup: Record<string, JsonSchema>): JsonSchema {
  let current = schema;
  while (typeof current === "object" && current.$ref !== undefined) {
    if (!Object.keys(current).every((keyword) => saysNothing.has(keyword))) break;
    const next = lookup[String(current.__absolute_ref__)];
    if (next === undefined) break;
    current = next;
  }
  return current;
}
