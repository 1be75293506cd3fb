import type { JsonSchema, JsonSchemaType } from "@toolglot/core";
import { atPointer, typeOf } from "@toolglot/internal";

/** What a reader makes of a text without delimiters, as far as a writer has to know. */
type Types = ReadonlySet<JsonSchemaType>;

/** Returns the types that a schema takes; undefined when it takes any, or says nothing. */
export function typesOf(schema: JsonSchema | undefined, root: JsonSchema, depth = 0): Types | undefined {
  if (typeof schema !== "object" || schema === null || depth > 20) return undefined;
  const { type, $ref, anyOf, oneOf, allOf, nullable } = schema;
  const literals = "const" in schema ? [schema.const] : schema.enum;
  const again = (inner: JsonSchema): Types | undefined => typesOf(inner, root, depth + 1);
  const sets: (Types | undefined)[] = [];
  if (type !== undefined) sets.push(new Set([type].flat()));
  if (Array.isArray(literals)) sets.push(new Set(literals.map((literal) => typeOf(literal) as JsonSchemaType)));
  if (typeof $ref === "string" && $ref.startsWith("#"))
    sets.push(again(atPointer(root, decodeURIComponent($ref.slice(1))) as JsonSchema | undefined as JsonSchema));
  for (const branches of [anyOf, oneOf]) if (Array.isArray(branches)) sets.push(union(branches.map(again)));
  if (Array.isArray(allOf)) sets.push(...allOf.map(again));
  const known = sets.filter((set) => set !== undefined);
  if (known.length === 0) return undefined;
  const common = [...(known[0] as Types)].filter((name) => known.every((set) => takes(set, name)));
  return new Set(nullable === true ? [...common, "null"] : common);
}

function union(sets: readonly (Types | undefined)[]): Types | undefined {
  return sets.some((set) => set === undefined) ? undefined : new Set(sets.flatMap((set) => [...(set as Types)]));
}

/** Whether types include one; an integer is a number. */
export function takes(types: Types, type: JsonSchemaType): boolean {
  return types.has(type) || (type === "integer" && types.has("number"));
}

/**
 * Whether a text may be read as another value than itself: as one of `types`, or, without types, as any literal of JSON or Python. Says
 * so of a few texts more than readers do, never of fewer.
 */
export function maySayMore(text: string, types: Types | undefined): boolean {
  const bare = text.trim();
  const first = bare.charAt(0);
  const last = bare.slice(1).slice(-1);
  const wants = (type: JsonSchemaType): boolean => types === undefined || types.has(type);
  if (/^(?:null|none)$/i.test(bare)) return wants("null") || !types?.has("string");
  if (/^(?:true|false)$/i.test(bare)) return wants("boolean");
  if (/^[-+]?(?:\.?\d[\w.+-]*|nan|inf(?:inity)?)$/i.test(bare)) return wants("number") || wants("integer");
  if ((first === "[" && last === "]") || (first === "(" && last === ")")) return wants("array");
  if (first === "{" && last === "}") return wants("object");
  return types === undefined && /["']/.test(first) && first === last;
}
