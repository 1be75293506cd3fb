import type { JsonSchema, JsonSchemaObject } from "@toolglot/core";
import { isObject } from "@toolglot/internal";
import { LinearPattern } from "./linear-pattern.ts";
import { eachSubschema, followRefs, visitSchemas } from "./schema-walk.ts";

/**
 * Takes the patterns out of a schema that can't be run in linear time, and whatever would no longer mean the same without
 * them: what is left refuses nothing that the whole schema takes. With `all`, takes out every pattern. Changes the schema;
 * returns the patterns.
 */
export function weaken(root: JsonSchemaObject, all = false): string[] {
  const left: string[] = [];
  /** Schemas that take more than they did. */
  const weak = new Set<JsonSchema>();
  visitSchemas(root, (schema) => {
    if (typeof schema.pattern === "string" && (all || LinearPattern.from(schema.pattern) === undefined)) {
      left.push(schema.pattern);
      delete schema.pattern;
      weak.add(schema);
    }
    if (!isObject(schema.patternProperties)) return;
    const names = Object.keys(schema.patternProperties).filter((pattern) => all || !isPlain(pattern));
    if (names.length === 0) return;
    for (const pattern of names) delete schema.patternProperties[pattern];
    // What these let through would now be one property too many.
    delete schema.additionalProperties;
    delete schema.unevaluatedProperties;
    left.push(...names);
    weak.add(schema);
  });
  if (weak.size > 0) spread(root, weak);
  return left;
}

/** Where a schema that takes more makes another one take less, the other one goes. */
function spread(root: JsonSchemaObject, weak: Set<JsonSchema>): void {
  for (let size = -1; size !== weak.size; ) {
    size = weak.size;
    visitSchemas(root, (schema) => {
      if (weak.has(schema)) return;
      const target = schema.$ref === undefined ? undefined : followRefs(root, { schema, pointer: "" })?.schema;
      // A reference that isn't a pointer may lead anywhere.
      let isWeak = schema.$ref !== undefined && (target === undefined || weak.has(target));
      eachSubschema(schema, (_keyword, inner) => {
        isWeak ||= weak.has(inner);
      });
      if (isWeak) weak.add(schema);
    });
  }
  visitSchemas(root, (schema) => {
    const isWeak = (inner: unknown): boolean => weak.has(inner as JsonSchema);
    if (isWeak(schema.not)) delete schema.not;
    if (isWeak(schema.if)) for (const keyword of ["if", "then", "else"]) delete schema[keyword];
    if (isWeak(schema.contains)) delete schema.maxContains;
    if (!schema.oneOf?.some(isWeak)) return;
    schema.allOf = [...(schema.allOf ?? []), { anyOf: schema.oneOf }];
    delete schema.oneOf;
  });
}

/** Checks whether `RegExp` runs a pattern in linear time: no groups or choices, and one quantifier at most, from the start on. */
function isPlain(pattern: string): boolean {
  const bare = pattern.replace(/\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]/g, "x");
  if (/[()|]/.test(bare)) return false;
  const marks = bare.match(/[*+?{]/g) ?? [];
  return marks.length === 0 || (marks.length === 1 && (bare.startsWith("^") || /^\.[*+]\$?$/.test(bare)));
}
