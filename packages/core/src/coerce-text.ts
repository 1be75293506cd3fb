import { checkKeys } from "@toolglot/internal";
import type { InputIssue } from "./call.ts";
import type { JsonSchema } from "./json.ts";
import { fitsSchema, literalsOf, target, typesOf } from "./schema-kinds.ts";

/** A value read from text, or why it could not be. */
export type CoerceResult = { success: true; value: unknown } | { success: false; issue: InputIssue };

/** Where a parameter's schema stands. */
export interface CoerceTextOptions {
  /** The schema that local references (`#/$defs/…`) point into. Default: the schema itself. */
  root?: JsonSchema;
}

const inexact = "a number that can't be kept exactly";
const numberText = /^-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/**
 * Reads a value from a model's text as its JSON Schema wants it. Only `type`, `enum`, `const`, the combinators, local
 * references and `nullable` count: whether a value fits in full is for a validator.
 *
 * Text stays text, to the last blank, where the schema takes it: always without a schema, and in unions with string.
 * Else outer white space is dropped, and nothing is guessed or lost:
 * - numbers in JSON's form (`3`, `-0.5`, `1e3`); not `007`, `0x10`, `+1`, `.5`, `1_000`, `NaN`, `Infinity`, and not
 *   `1e400` or `1e-400`, which no double holds; integers within ±(2^53−1), `3.0` counts as one;
 * - `true`, `false`, `null`, also in Python's form `True`, `False`, `None`;
 * - arrays and objects as JSON, whose numbers obey the same rule; strings inside stay strings.
 *
 * @example
 * ```ts
 * const read = coerceText("3", { type: "integer" }); // { success: true, value: 3 }
 * ```
 */
export function coerceText(text: string, schema?: JsonSchema, options: CoerceTextOptions = {}): CoerceResult {
  checkKeys("coerceText", options, "root:boolean|object");
  const root = options.root ?? schema;
  const fits = (value: unknown): boolean => schema === undefined || fitsSchema(value, schema, root, undefined, false);
  if (schema === undefined || fits(text)) return { success: true, value: text };
  const reading = read(text.trim());
  if ("value" in reading && fits(reading.value)) return { success: true, value: reading.value };
  const expected = describe(schema, { root, left: 2000, depth: 100 }) || "nothing";
  const got = JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
  const reason = "reason" in reading ? ` (${reading.reason})` : "";
  return { success: false, issue: { path: "", expected, got, message: `expected ${expected}, got ${got}${reason}` } };
}

/** Returns the value that text means when it is no string: at most one. */
function read(text: string): { value: unknown } | { reason: string } | Record<never, never> {
  if (/^(?:true|false|null|True|False|None)$/.test(text)) {
    return { value: /^[nN]/.test(text) ? null : /^[tT]/.test(text) };
  }
  if (numberText.test(text)) return isExact(text) ? { value: Number(text) + 0 } : { reason: inexact };
  if (!/^[[{]/.test(text)) return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { reason: "not valid JSON" };
  }
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[-\d][-+.\deE]*/g)) {
    if (token[0] !== '"' && !isExact(token)) return { reason: `${token.slice(0, 40)}: ${inexact}` };
  }
  return { value };
}

/** Integers must be safe ones, other numbers within a double's range. */
function isExact(text: string): boolean {
  const [, fraction, exponent] = numberText.exec(text) ?? [];
  const value = Number(text);
  if (!fraction && !exponent) return Number.isSafeInteger(value);
  return Number.isFinite(value) && (value !== 0 || !/^-?[0.]*[1-9]/.test(text));
}

/** A walk through a schema; schemas may refer to themselves, so it ends after a number of them, and does not go deeper than `depth`. */
interface Walk {
  root: JsonSchema | undefined;
  left: number;
  depth: number;
}

/** Returns `integer or null`, `one of "a", "b"`. */
function describe(schema: JsonSchema, walk: Walk): string {
  if (typeof schema === "boolean" || walk.left-- < 0 || walk.depth < 0) return "";
  const literals = literalsOf(schema);
  const { anyOf = [], oneOf = [], allOf = [] } = schema;
  const inner = (branch: JsonSchema): string => {
    walk.depth -= 1;
    const found = describe(branch, walk);
    walk.depth += 1;
    return found;
  };
  const names = literals
    ? [(literals.length > 1 ? "one of " : "") + literals.map((literal) => JSON.stringify(literal)).join(", ")]
    : (typesOf(schema) ?? [target(schema, walk.root), ...anyOf, ...oneOf, ...allOf].map(inner));
  const all = schema.nullable === true ? [...names, "null"] : names;
  return [...new Set(all.filter(Boolean))].join(" or ");
}
