// Vectors of how arguments are written: JSON that is repaired, and Python that is no more than literals.
import { codes, forEachRow, weather } from "./vector.mjs";
import { body, callText, formOf, run } from "./writing.mjs";

/** @typedef {import("./vector.mjs").Row} Row @typedef {import("./vector.mjs").Vector} Vector */

/** @param {Record<string, Row>} rows @returns {Vector[]} */
export function jsonRepairs(rows) {
  /** Arguments as written, their value, and codes; without a value the call is rejected. @type {[name: string, written: string, value: import("./vector.mjs").Input | undefined, ...codes: string[]][]} */
  const forms = [
    ["a line break in a string", '{"city": "a\nb"}', { city: "a\nb" }, "json-repaired"],
    ["a tab in a string", '{"city": "a\tb"}', { city: "a\tb" }, "json-repaired"],
    ["a trailing comma", '{"city": "SF",}', { city: "SF" }, "json-repaired"],
    ["a trailing comma in a list", '{"l": [1, 2,]}', { l: [1, 2] }, "json-repaired"],
    ["a missing comma", '{"city": "SF" "days": 3}', { city: "SF", days: 3 }, "json-repaired"],
    ["a missing comma in a list", '{"l": ["a" "b"]}', { l: ["a", "b"] }, "json-repaired"],
    ["single quotes", "{'city': 'SF'}", { city: "SF" }, "python-literal"],
    ["a key without quotes", '{city: "SF"}', { city: "SF" }, "json-repaired"],
    ["Python's words", '{"any": [True, False, None]}', { any: [true, false, null] }, "python-literal"],
    ["an unescaped quote in a string", '{"city": "a "b" c"}', undefined, "invalid-json"],
    ["text for a value", '{"city": SF}', undefined, "invalid-json"],
    ["no value", '{"city": }', undefined, "invalid-json"],
    ["a comment", '{"city": /* the city */ "SF"}', undefined, "invalid-json"],
    ["an ellipsis", '{"city": "SF", ...}', undefined, "invalid-json"],
    ["a call for a value", '{"days": len("a")}', undefined, "invalid-json"],
  ];
  return forEachRow(
    rows,
    (row, id) => row.values === "json" && row.write && id !== "llama3-json",
    (row, dialect) =>
      forms.map(([name, written, value, ...found]) => {
        const text = body(row, { name: "get_weather", input: { city: "@" } }).replace(
          /\{"city":\s*"@"\}/,
          () => written,
        );
        return {
          name,
          dialect,
          input: run(row, [callText(row, "get_weather", text)]),
          calls: value ? [{ ...weather(value), status: /** @type {const} */ ("recovered") }] : [],
          ...(!value && { rejected: [{ status: /** @type {const} */ ("invalid"), name: "get_weather" }] }),
          text: "",
          diagnostics: codes(...found),
        };
      }),
  );
}

/** @param {Record<string, Row>} rows @returns {Vector[]} */
export function literals(rows) {
  /** @type {[name: string, written: string, value: import("./vector.mjs").Input | undefined][]} */
  const forms = [
    ["both quotes", `city='S"F', any="S'F"`, { city: 'S"F', any: "S'F" }],
    ["Python's words", "ok=True, u=None", { ok: true, u: null }],
    ["JSON's words", "ok=true, u=null", { ok: true, u: null }],
    ["nested values", 'l=[1, (2, 3)], o={"k": [{"v": "x"}]}', { l: [1, [2, 3]], o: { k: [{ v: "x" }] } }],
    ["numbers", "days=-3, n=1.5e3", { days: -3, n: 1500 }],
    ["a trailing comma", 'city="SF",', { city: "SF" }],
    ["white space", ' city = "SF" , days = 3 ', { city: "SF", days: 3 }],
    ["a closing mark in a string", 'city="a) b] c"', { city: "a) b] c" }],
    ["a name", "city=home", undefined],
    ["a call", "city=os.getcwd()", undefined],
    ["an operator", 'city="a" + "b"', undefined],
    ["a prefix", 'city=f"{home}"', undefined],
    ["unpacking", "**arguments", undefined],
  ];
  return forEachRow(
    rows,
    (row, id) => formOf(row) === "python" && id !== "pythonic",
    (row, dialect) => [
      ...forms.map(([name, written, value]) => ({
        name,
        dialect,
        input: run(row, [callText(row, "get_weather", written)]),
        calls: value ? [weather(value)] : [],
        ...(!value && { rejected: [{ status: /** @type {const} */ ("invalid"), name: "get_weather" }] }),
        text: "",
        ...(!value && { diagnostics: codes("not-a-literal") }),
      })),
      {
        name: "arguments without names are those of the schema",
        dialect,
        input: run(row, [callText(row, "get_weather", '"SF", 3')]),
        calls: [],
        held: [weather({ city: "SF", days: 3 })],
        text: "",
      },
      {
        name: "arguments without names, and no schema",
        dialect,
        tools: null,
        input: run(row, [callText(row, "get_weather", '"SF"')]),
        calls: [],
        rejected: [{ status: /** @type {const} */ ("invalid"), name: "get_weather" }],
        text: "",
        diagnostics: codes("not-a-literal"),
      },
    ],
  );
}
