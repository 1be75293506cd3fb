import { createRecord, type JsonSchema, type JsonValue } from "@toolglot/core";
import { fitsSchema, kindCount, kindsOf, memberSchema, type SchemaKind, simpleKinds } from "@toolglot/core/text";
import { LiteralReader } from "./literal-reader.ts";
import { readNumber } from "./numbers.ts";
import { jsonSyntax, pythonSyntax } from "./syntaxes.ts";
import type { LiteralSyntax, ValueSlip } from "./types.ts";

/** A slip of a whole value. */
type TypedSlip = Omit<ValueSlip, "start" | "end">;

/** A value as its schema wants it. */
export interface TypedValue {
  value: JsonValue;
  /** One of each kind. */
  slips: TypedSlip[];
}

/** What one value's reading shares. */
interface Typing {
  root: JsonSchema | undefined;
  slips: TypedSlip[];
  kinds?: Map<JsonSchema, ReadonlySet<SchemaKind>>;
}

/**
 * Reads the text of an argument as its schema wants it. Where a string may stand, what fits no other type is the text, to the last blank;
 * else it is JSON, a literal of Python, or a lenient form (`TRUE`, `007`, `100.0` for an integer). What does not fit stays text.
 *
 * `root`: what local references point into. `mark`: what the dialect calls the text: `raw`, a string; `json`, anything else.
 */
export function typeText(
  text: string,
  schema: JsonSchema | undefined,
  root: JsonSchema | undefined,
  mark?: "raw" | "json",
): TypedValue {
  const typing = newTyping(root);
  const known = schema ?? true;
  const value =
    mark === "raw"
      ? asJson(text, known, typing)
      : mark === "json" || takes(known, typing).size === kindCount
        ? byForm(text, known, mark, typing)
        : bySchema(text, known, typing);
  return { value, slips: typing.slips };
}

/** What reads a text as its schema wants it. */
export type TypeText = typeof typeText;

/**
 * Types a value that a model wrote as JSON: it keeps its types, but for strings where the schema takes no string, also in objects and
 * arrays. `root`: what local references point into.
 */
export function typeJson(value: JsonValue, schema: JsonSchema | undefined, root: JsonSchema | undefined): TypedValue {
  const typing = newTyping(root);
  return { value: asJson(value, schema ?? true, typing), slips: typing.slips };
}

/** Whether any text is a string of this schema, so that it can be passed on before its end is known. */
export function readsAsText(schema: JsonSchema | undefined, root: JsonSchema | undefined): boolean {
  const kinds = kindsOf(schema ?? true, root);
  return kinds.size === 1 && kinds.has("string");
}

const newTyping = (root: JsonSchema | undefined): Typing => ({ root, slips: [] });

function takes(schema: JsonSchema, typing: Typing): ReadonlySet<SchemaKind> {
  const known = typing.kinds?.get(schema) ?? simpleKinds(schema);
  if (known) return known;
  const found = kindsOf(schema, typing.root);
  typing.kinds ??= new Map();
  typing.kinds.set(schema, found);
  return found;
}

function addSlips({ slips }: Typing, ...found: TypedSlip[]): void {
  for (const { code, affects } of found) {
    if (!slips.some((slip) => slip.code === code && slip.affects === affects)) slips.push({ code, affects });
  }
}

const ofPython: TypedSlip = { code: "python-literal", affects: "none" };
const lenient: TypedSlip = { code: "coerced", affects: "none" };
const coerced: TypedSlip = { code: "coerced", affects: "value" };
const inexact: TypedSlip = { code: "inexact-number", affects: "value" };
const mismatch: TypedSlip = { code: "type-mismatch", affects: "value" };
/** Longer than a list whose items have schemas of their own. */
const tupleLength = 64;
const losesDigits = ({ code }: TypedSlip): boolean => code === "inexact-number";
const isRepaired = ({ code }: TypedSlip): boolean => code !== "inexact-number" && code !== "duplicate-key";

/** Reads a whole text as one literal; undefined when it is none. */
function readWhole(text: string, syntax: LiteralSyntax): TypedValue | undefined {
  const reader = new LiteralReader(syntax);
  const end = reader.read(text, 0, 0, true);
  if (reader.state !== "done" || end < text.length) return undefined;
  const slips: TypedSlip[] = syntax === pythonSyntax ? [ofPython, ...reader.slips] : reader.slips;
  return { value: reader.value as JsonValue, slips };
}

/** Without a schema, the form of a text decides what it is. */
function byForm(text: string, schema: JsonSchema, mark: "json" | undefined, typing: Typing): JsonValue {
  const trimmed = text.trim();
  const asWritten = readWhole(trimmed, jsonSyntax);
  const isOwn = asWritten && (mark || !asWritten.slips.some(isRepaired));
  const found = isOwn ? asWritten : readWhole(trimmed, pythonSyntax);
  if (!found) {
    if (mark) addSlips(typing, mismatch);
    return text;
  }
  addSlips(typing, ...found.slips);
  return asJson(found.value, schema, typing);
}

function bySchema(text: string, schema: JsonSchema, typing: Typing): JsonValue {
  const kinds = takes(schema, typing);
  const mayBeText = kinds.has("string");
  if (mayBeText && kinds.size === 1) return text;
  const trimmed = text.trim();
  for (const read of [readJson, readPython, readLenient]) {
    const { value, slips = [] } = read(trimmed) ?? {};
    // A number that only Python reads, or nobody, is more likely a text: `+49151`, `007`.
    const isText = mayBeText && (typeof value === "string" || (read !== readJson && typeof value !== "object"));
    if (value === undefined || isText) continue;
    if (typeof value !== "string") {
      if (!fitsSchema(value, schema, typing.root) && (value !== null || mayBeText)) continue;
      addSlips(typing, ...slips);
      // `100.0`
      if (typeof value === "number" && !kinds.has("number") && /[.e]/i.test(trimmed)) addSlips(typing, lenient);
      return asJson(value, schema, typing);
    }
    if (!slips.some(losesDigits)) {
      const inner = asJson(value, schema, typing);
      if (typeof inner !== "string") return inner;
    } else if (kinds.has("integer") || kinds.has("number")) {
      addSlips(typing, ...slips);
      return value;
    }
  }
  if (!mayBeText) addSlips(typing, mismatch);
  return text;
}

const readJson = (text: string): TypedValue | undefined => readWhole(text, jsonSyntax);
const readPython = (text: string): TypedValue | undefined => readWhole(text, pythonSyntax);

/** Reads what a model may write for a boolean, for null, or for a number with zeros before it. */
function readLenient(text: string): TypedValue | undefined {
  const word = /^(?:true|false|null)$/i.test(text) && text.toLowerCase();
  if (word) return { value: word === "null" ? null : word === "true", slips: [lenient] };
  const number = readNumber(text.replace(/^([+-]?)0+(?=\d)/, "$1"), true);
  if (number === undefined) return undefined;
  return typeof number === "string" ? { value: text, slips: [inexact] } : { value: number, slips: [lenient] };
}

function asJson(value: JsonValue, schema: JsonSchema, typing: Typing): JsonValue {
  if (typeof value === "string") return fromString(value, schema, typing);
  if (typeof value !== "object" || value === null || typeof schema !== "object") return value;
  if (Array.isArray(value)) {
    const rest = memberSchema(schema, tupleLength, typing.root);
    return value.map((item, index) =>
      asJson(item, (index < tupleLength ? memberSchema(schema, index, typing.root) : rest) ?? true, typing),
    );
  }
  const typed = createRecord<JsonValue>();
  for (const key of Object.keys(value)) {
    typed[key] = asJson(value[key] as JsonValue, memberSchema(schema, key, typing.root) ?? true, typing);
  }
  return typed;
}

/** A string in JSON is something else only where the schema takes no string. */
function fromString(text: string, schema: JsonSchema, typing: Typing): JsonValue {
  const kinds = takes(schema, typing);
  if (kinds.has("string") || kinds.size === 0 || (kinds.size === 1 && kinds.has("null"))) return text;
  const inner: Typing = { ...typing, slips: [] };
  const value = bySchema(text, schema, inner);
  if (typeof value === "string") return text;
  addSlips(typing, ...inner.slips, coerced);
  return value;
}
