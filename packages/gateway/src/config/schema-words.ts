import type { JsonObject, JsonValue } from "@toolglot/core";
import { isObject } from "@toolglot/internal";
import type { Effect } from "@toolglot/trp-core";
import type { IoClass, RiskTier } from "@toolglot/trp-core/frames";
import * as v from "valibot";

// The pieces that schemas of a configuration are made of. A message says what a value must be, said after "must be".

const maxMs = 2_147_483_647;
export const opt: typeof v.exactOptional = v.exactOptional;

const textWords = "text that is not empty";
export const text: v.GenericSchema<string> = v.pipe(v.string(textWords), v.minLength(1, textWords));
export const texts: v.GenericSchema<string[]> = v.array(text, "a list of texts");
export const flag: v.GenericSchema<boolean> = v.boolean("true or false");

export function oneOf<const Word extends string>(...words: Word[]): v.GenericSchema<Word> {
  const quoted = words.map((word) => `"${word}"`);
  return v.picklist(words, `${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}`);
}

export function whole(least: number, most: number = Number.MAX_SAFE_INTEGER): v.GenericSchema<number> {
  const words =
    most === Number.MAX_SAFE_INTEGER ? `a whole number from ${least}` : `a whole number from ${least} to ${most}`;
  return v.pipe(v.number(words), v.integer(words), v.minValue(least, words), v.maxValue(most, words));
}
export const ms = (least: number): v.GenericSchema<number> => whole(least, maxMs);

export function matching(form: RegExp, words: string): v.GenericSchema<string> {
  return v.pipe(v.string(words), v.regex(form, words));
}

export function object<const Entries extends v.ObjectEntries>(entries: Entries): v.StrictObjectSchema<Entries, string> {
  return v.strictObject(entries, "an object");
}

export const glob: v.GenericSchema<string> = matching(/^[\s\S]{1,256}$/, "a glob of 1 to 256 characters, as get_*");
export const globs: v.GenericSchema<string[]> = v.array(glob, "a list of globs, as get_*");
export const pointer: v.GenericSchema<string> = matching(/^(?:\/(?:[^~/]|~[01])*)*$/, "a JSON pointer, as /id");
const loopback = /^https:\/\/[\s\S]+|^http:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?:[:/][\s\S]*)?$/i;
export const safeUrl: v.GenericSchema<string> = matching(loopback, "an https URL, or one of loopback");

export function some<Schema extends v.GenericSchema>(item: Schema): v.GenericSchema<v.InferOutput<Schema>[]> {
  return v.pipe(v.array(item, "a list"), v.minLength(1, "a list of at least one"));
}

export const riskTier: v.GenericSchema<RiskTier> = oneOf("LOW", "MEDIUM", "HIGH", "CRITICAL");
export const ioClass: v.GenericSchema<IoClass> = oneOf("READ", "WRITE");
export const effect: v.GenericSchema<Effect> = oneOf("pure", "idempotent", "keyed", "probe", "opaque");
export const json: v.GenericSchema<JsonValue> = v.custom<JsonValue>((value) => value !== undefined, "JSON");
export const jsonObject: v.GenericSchema<JsonObject> = v.custom<JsonObject>(isObject, "an object");

/** Holds a schema to a type, both ways. */
export function agreeing<Value>(): <Schema extends v.GenericSchema>(
  schema: [Value, v.InferOutput<Schema>] extends [v.InferOutput<Schema>, Value] ? Schema : never,
) => v.GenericSchema<unknown, Value> {
  return (schema) => schema as unknown as v.GenericSchema<unknown, Value>;
}
