// Vectors of types: what a schema, or a type mark, makes of a text.
import { isTags, tagged } from "./closers.mjs";
import { codes, forEachRow, weather } from "./vector.mjs";
import { formOf, isWholeObject, typeMarkOf, write } from "./writing.mjs";

/** @typedef {import("./vector.mjs").Row} Row @typedef {import("./vector.mjs").Vector} Vector */

/** Schema, text, value, codes; `held`: a code affects the value. @type {[schema: unknown, text: string, value: unknown, codes?: string[], held?: true][]} */
const typed = [
  [{ type: "string" }, "null", "null", []],
  [{ type: "string" }, "7", "7", []],
  [{ type: "string" }, "1.50", "1.50", []],
  [{ type: "string" }, '{"a":1}', '{"a":1}', []],
  [{ type: "string" }, "True", "True", []],
  [{ type: "integer" }, "7", 7, []],
  [{ type: "integer" }, "-7", -7, []],
  [{ type: "integer" }, "007", 7],
  [{ type: "integer" }, "+3", 3],
  [{ type: "integer" }, "100.0", 100],
  [{ type: "integer" }, "1.5", "1.5", ["type-mismatch"], true],
  [{ type: "integer" }, "yes", "yes", ["type-mismatch"], true],
  [{ type: "integer" }, "null", null],
  [{ type: "integer" }, "12345678901234567890", "12345678901234567890", ["inexact-number"], true],
  [{ type: "number" }, "1.50", 1.5, []],
  [{ type: "number" }, "0.1000000000000000055511", "0.1000000000000000055511", ["inexact-number"], true],
  [{ type: "number" }, "NaN", "NaN", ["inexact-number"], true],
  [{ type: "number" }, "Infinity", "Infinity", ["inexact-number"], true],
  [{ type: "boolean" }, "true", true, []],
  [{ type: "boolean" }, "True", true, ["python-literal"]],
  [{ type: "boolean" }, "FALSE", false],
  [{ type: "boolean" }, "yes", "yes", ["type-mismatch"], true],
  [{ type: "array" }, '["a", 1]', ["a", 1], []],
  [{ type: "array" }, "['a', None, True]", ["a", null, true], ["python-literal"]],
  [{ type: "array" }, "a, b", "a, b", ["type-mismatch"], true],
  [{ type: "object" }, '{"a": {"b": null}}', { a: { b: null } }, []],
  [{ type: "object" }, "{'a': (1, 2)}", { a: [1, 2] }, ["python-literal"]],
  [{ type: ["string", "null"] }, "NULL", null],
  [{ type: ["string", "null"] }, "none at all", "none at all", []],
  [{ type: ["string", "integer"] }, "7", 7, []],
  [{ type: ["string", "integer"] }, "7a", "7a", []],
  [{ type: ["integer", "number"] }, "1.5", 1.5, []],
  [{ anyOf: [{ type: "string" }, { type: "array" }] }, "[1]", [1], []],
  [{ oneOf: [{ type: "boolean" }, { type: "string" }] }, "true", true, []],
  [{ allOf: [{ type: "integer" }, { minimum: 1 }] }, "2", 2, []],
  [{ $ref: "#/$defs/count" }, "2", 2, []],
  [{ enum: ["1", "2"] }, "1", "1", []],
  [{ enum: [1, 2] }, "1", 1, []],
  [{ const: "true" }, "true", "true", []],
  [{ const: true }, "true", true, []],
  [{}, "7", 7, []],
  [{}, "SF", "SF", []],
  [{}, '{"a": [1]}', { a: [1] }, []],
  [{}, "7 days", "7 days", []],
  [{}, '{"a": 1} and', '{"a": 1} and', []],
];

/** @param {unknown} schema */
const toolWith = (schema) => [
  {
    name: "get_weather",
    inputSchema: { type: "object", properties: { v: schema }, $defs: { count: { type: "integer" } } },
  },
];

/** @param {Record<string, Row>} rows @returns {Vector[]} */
export function typing(rows) {
  return [
    ...forEachRow(
      rows,
      (row) => isTags(row) && !row.arguments.typeMark?.attribute,
      (row, dialect) =>
        typed.map(([schema, text, value, found, held]) => ({
          name: `${JSON.stringify(schema)} of ${text}`,
          dialect,
          tools: toolWith(schema),
          input: tagged(row, "v", text),
          calls: held ? [] : [weather({ v: value })],
          ...(held && { held: [weather({ v: value })] }),
          text: "",
          ...(found && { diagnostics: codes(...found) }),
        })),
    ),
    ...forEachRow(
      rows,
      (row) => isTags(row) && row.arguments.typeMark?.attribute !== undefined,
      (row, dialect) => {
        const raw = typeMarkOf(row, "");
        const number = typeMarkOf(row, 1);
        return [
          /** @type {const} */ (["a text marked as one", "7", raw, "7", []]),
          /** @type {const} */ (["a number marked as one", "7", number, 7, []]),
          /** @type {const} */ (["a marked number that is none", "SF", number, "SF", ["type-mismatch"]]),
        ].map(([name, text, type, value, found]) => ({
          name,
          dialect,
          tools: null,
          input: tagged(row, "v", text, type),
          calls: found.length > 0 ? [] : [weather({ v: value })],
          ...(found.length > 0 && { held: [weather({ v: value })] }),
          text: "",
          diagnostics: codes(...found),
        }));
      },
    ),
    // JSON has types of its own.
    ...forEachRow(
      rows,
      (row, id) => formOf(row) === "json" && id !== "openai-loose" && row.values === "json",
      (row, dialect) =>
        [
          /** @type {const} */ (["days", 7, 7]),
          /** @type {const} */ (["days", "7", 7]),
          /** @type {const} */ (["ok", "true", true]),
          /** @type {const} */ (["l", "[1, 2]", [1, 2]]),
          /** @type {const} */ (["o", '{"a": 1}', { a: 1 }]),
          /** @type {const} */ (["city", "7", "7"]),
          /** @type {const} */ (["city", "null", "null"]),
          /** @type {const} */ (["u", "null", "null"]),
          /** @type {const} */ (["any", "7", "7"]),
          /** @type {const} */ (["any", { a: [true, null] }, { a: [true, null] }]),
        ].map(([key, given, value]) => {
          const isCoerced = typeof given !== typeof value;
          const call = weather({ [key]: value });
          return {
            name: `${key}: ${JSON.stringify(given)}`,
            dialect,
            input: write(row, [{ name: "get_weather", input: { [key]: given } }]),
            calls: isCoerced ? [] : [call],
            ...(isCoerced && { held: [call] }),
            text: "",
            diagnostics: isCoerced ? codes("coerced") : [],
          };
        }),
    ),
    ...forEachRow(
      rows,
      (row) => row.values === "json" && isWholeObject(row) && row.write,
      (row, dialect) => {
        const input = write(row, [{ name: "get_weather", input: { n: "\0" } }])
          .replace('"\0"', "12345678901234567890")
          .replace('"\\u0000"', "12345678901234567890");
        return [
          {
            name: "a number that no double holds is its text",
            dialect,
            input,
            calls: [],
            held: [weather({ n: "12345678901234567890" })],
            text: "",
            diagnostics: codes("inexact-number"),
          },
        ];
      },
    ),
  ];
}
