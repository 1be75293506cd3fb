import type { JsonObject } from "@toolglot/core";
import { isObject } from "@toolglot/internal";
import * as v from "valibot";

/** Whether a value that came out of JSON is an object. */
export const isJsonObject = isObject as (value: unknown) => value is JsonObject;

// The pieces that frames are made of. The message of each names what is expected there: "expected …, got …".

/** Characters of an id, a name, a key. */
const idLength = 256;
/** Characters of an approval token. */
export const tokenLength = 8_192;
/** The longest time a timer can wait: 2^31 - 1 ms, 24.8 days. */
export const maxTimeoutMs = 2_147_483_647;
/** How many calls one call may depend on. */
export const maxDependencies = 256;

/** The input of a schema is unknown, its output is known. */
export type FrameSchema<Value> = v.GenericSchema<unknown, Value>;

/** Holds a schema to a type of `types.ts`, both ways: its output is of the type, and each value of the type can be its output. */
export function agreeing<Value>(): <Schema extends FrameSchema<Value>>(
  schema: [Value] extends [v.InferOutput<Schema>] ? Schema : never,
) => FrameSchema<Value> {
  return (schema) => schema;
}

// No control characters and no half of a surrogate pair: stores keep such texts differently, and two ids must never
// become one.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused.
const idForm = /^[^\u0000-\u001f\u007f\p{Cs}]*$/u;
const plainId = /^[\x20-\x7e]{1,256}$/;

/** Checks whether a text may be an id: 1 to 256 characters, none of them a control character or half of one. */
export function isId(value: unknown): value is string {
  if (typeof value !== "string") return false;
  return plainId.test(value) || (value.length > 0 && value.length <= idLength && idForm.test(value));
}

export function isIdOrNull(value: unknown): value is string | null {
  return value === null || isId(value);
}

/** Checks for an integer that JavaScript can count, from `min` on. */
export function isInteger(value: unknown, min: number): value is number {
  return Number.isSafeInteger(value) && (value as number) >= min;
}

const idText = `string of 1 to ${idLength} characters, without control characters`;

function idSchema(expected: string): v.GenericSchema<string> {
  return v.pipe(
    v.string(expected),
    v.minLength(1, expected),
    v.maxLength(idLength, expected),
    v.regex(idForm, expected),
  );
}

/** An id, a name, a key. */
export const id: v.GenericSchema<string> = idSchema(idText);
/** The same, or null. */
export const nullableId: v.GenericSchema<string | null> = v.nullable(idSchema(`${idText}, or null`));

/** An approval token, or null. */
export const nullableToken: v.GenericSchema<string | null> = v.nullable(
  v.pipe(
    v.string(`string of at most ${tokenLength} characters, or null`),
    v.maxLength(tokenLength, `string of at most ${tokenLength} characters, or null`),
  ),
);

/** An integer that JavaScript can count, from `min` on. */
export function integer(min: number, also = ""): v.GenericSchema<number> {
  const expected = `integer ≥ ${min}${also}`;
  return v.pipe(v.number(expected), v.safeInteger(expected), v.minValue(min, expected));
}

/** Returns one of some words. */
export function oneOf<const Word extends string>(...words: Word[]): v.GenericSchema<Word> {
  return v.picklist(words, words.map((word) => `"${word}"`).join(" or "));
}

/** An object of JSON: parsing has seen to that. */
export const jsonObject: v.GenericSchema<JsonObject> = v.custom<JsonObject>(isJsonObject, "object");
/** The same, or null. */
export const nullableJsonObject: v.GenericSchema<JsonObject | null> = v.nullable(
  v.custom<JsonObject>(isJsonObject, "object or null"),
);
