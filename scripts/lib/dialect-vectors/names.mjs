// Vectors of names and keys, of calls beside a bad one, and of JSON that is repaired.
import { isTags } from "./closers.mjs";
import { codes, forEachRow, ping, weather } from "./vector.mjs";
import {
  argument,
  body,
  callText,
  formOf,
  head,
  isWholeObject,
  json,
  run,
  textOf,
  typeMarkOf,
  wrapper,
  write,
} from "./writing.mjs";

/** @typedef {import("./vector.mjs").Row} Row @typedef {import("./vector.mjs").Vector} Vector */

const call = { name: "get_weather", input: { city: "SF" } };
const isWritten = (/** @type {Row} */ row) => row.write;
/** Found by the names of tools alone. */
const markless = ["llama3-json", "pythonic"];

/** @param {Record<string, Row>} rows @returns {Vector[]} */
export function names(rows) {
  return forEachRow(
    rows,
    (row, id) => row.write && !markless.includes(id),
    (row, dialect) => {
      const strips = dialect === "kimi-k2" || dialect === "harmony";
      const isWord = formOf(row) === "python" || formOf(row) === "keyed";
      const odd = [
        "get.weather",
        "get-weather",
        "get_weather2",
        ...(isWord || row.call.name.at === "text" || row.header ? [] : ["get weather", "a:b"]),
      ];
      const named = (/** @type {string} */ name) =>
        write(row, [{ name, input: call.input }]).replace("functions.functions.", "functions.");
      return [
        {
          name: strips ? "functions. is stripped" : "functions. is part of the name",
          dialect,
          input: named("functions.get_weather"),
          calls: [{ name: strips ? "get_weather" : "functions.get_weather", input: call.input }],
          text: "",
          diagnostics: strips ? [] : codes("unknown-tool"),
        },
        ...["get_wether", "weather", "my_get_weather"].map((name) => ({
          name: `the unknown tool ${name}`,
          dialect,
          input: named(name),
          calls: [{ name, input: call.input, status: /** @type {const} */ ("complete") }],
          text: "",
          diagnostics: codes("unknown-tool"),
        })),
        ...odd
          .filter((name) => formOf(row) !== "python" || !/[-.]/.test(name))
          .map((name) => ({
            name: `the name ${name}`,
            dialect,
            tools: [{ name, inputSchema: { type: "object" } }],
            input: named(name),
            calls: [{ name, input: call.input }],
            text: "",
            diagnostics: [],
          })),
      ];
    },
  );
}

/** @param {Record<string, Row>} rows @returns {Vector[]} */
export function keys(rows) {
  const twice = (/** @type {Row} */ row) =>
    write(row, [{ name: "get_weather", input: { city: "LA", citz: "SF" } }]).replaceAll("citz", "city");
  const odd = Object.fromEntries([
    ["__proto__", "a"],
    ["constructor", "b"],
    ["toString", "c"],
  ]);
  return forEachRow(rows, isWritten, (row, dialect) => [
    {
      name: "a key that stands twice",
      dialect,
      input: twice(row),
      calls: [],
      held: [weather({ city: "SF" })],
      text: "",
      diagnostics: codes("duplicate-key"),
    },
    {
      name: "keys of the object prototype are data",
      dialect,
      input: write(row, [{ name: "get_weather", input: odd }]),
      calls: [weather(odd)],
      text: "",
      diagnostics: [],
    },
  ]);
}

/** @param {Record<string, Row>} rows @returns {Vector[]} */
export function missing(rows) {
  const nameless = (/** @type {string} */ name, /** @type {string} */ dialect, /** @type {string} */ input) => ({
    name,
    dialect,
    input,
    calls: [],
    rejected: [{ status: /** @type {const} */ ("invalid") }],
    text: "",
    diagnostics: codes("missing-name"),
    blocks: [{ dialect, status: "invalid" }],
  });
  return [
    ...forEachRow(
      rows,
      (row, id) => row.write && row.call.name.at === "key" && row.values === "json" && !markless.includes(id),
      (row, dialect) => {
        const [key = ""] = row.arguments.keys ?? [];
        const nameKey = row.call.name.at === "key" ? (row.call.name.keys[0] ?? "") : "";
        const whole = (/** @type {object} */ value) => run(row, [json(value)]);
        const arguments_ = (/** @type {string} */ name, /** @type {unknown} */ given) => ({
          name,
          dialect,
          input: whole({ [nameKey]: "get_weather", [key]: given }),
        });
        const bad = {
          calls: [],
          rejected: [{ status: /** @type {const} */ ("invalid"), name: "get_weather" }],
          text: "",
          diagnostics: codes("invalid-arguments"),
        };
        return [
          nameless("an empty name", dialect, whole({ [nameKey]: "", [key]: {} })),
          nameless("a name of white space", dialect, whole({ [nameKey]: " ", [key]: {} })),
          nameless("no name", dialect, whole({ [key]: { city: "SF" } })),
          {
            name: "no arguments",
            dialect,
            input: whole({ [nameKey]: "ping" }),
            calls: [ping],
            text: "",
            diagnostics: [],
          },
          { ...arguments_("null for arguments", null), calls: [weather({})], text: "", diagnostics: [] },
          {
            ...arguments_("arguments as a string of JSON", '{"city": "SF"}'),
            calls: [weather({ city: "SF" })],
            text: "",
          },
          { ...arguments_("a list for arguments", ["SF"]), ...bad },
          { ...arguments_("a number for arguments", 7), ...bad },
          { ...arguments_("a text for arguments", "SF"), ...bad },
        ];
      },
    ),
    ...forEachRow(
      rows,
      (row) => row.call.name.at === "attribute",
      (row, dialect) => {
        const { attribute } = row.call.name.at === "attribute" ? row.call.name : { attribute: "" };
        const input = (/** @type {string} */ name) =>
          run(row, [callText(row, name, argument(row, "city", "SF", typeMarkOf(row, "")))]);
        return [
          nameless("an empty name", dialect, input("")),
          nameless("no name", dialect, input("@").replace(`${attribute}="@"`, "")),
        ];
      },
    ),
  ];
}

/** A call that can't be read, of each form. @param {Row} row @returns {[text: string, code: string | undefined]} */
function badCall(row) {
  const form = formOf(row);
  const input = { city: "@" };
  if (form === "tags") {
    const { key } = row.arguments;
    if (key === "tag") return [callText(row, "get_weather", argument(row, "", "SF")), undefined];
    if (typeof key === "object" && "attribute" in key)
      return [callText(row, "get_weather", argument(row, "@", "SF").replace(`${key.attribute}="@"`, "")), undefined];
    return [
      callText(row, "get_weather", `${textOf(row.arguments.open)}city=SF${textOf(row.arguments.close)}`),
      undefined,
    ];
  }
  const whole = callText(row, "get_weather", body(row, { name: "get_weather", input }));
  if (form === "keyed") {
    const [open = ""] = row.stringDelimiters?.[0] ?? [];
    return [whole.replace(`${open}@${open}`, `${open}a${open} b`), "invalid-json"];
  }
  if (row.values === "python") return [whole.replace(/["']@["']/, "os.getcwd()"), "not-a-literal"];
  return [whole.replace('"@"', "SF"), "invalid-json"];
}

/** @param {Record<string, Row>} rows @returns {Vector[]} */
export function siblings(rows) {
  return forEachRow(rows, isWritten, (row, dialect) => {
    const [bad, code] = badCall(row);
    const good = (/** @type {number} */ index) =>
      callText(row, "ping", body(row, { name: "ping", input: {} }, index), index);
    const expected = {
      calls: [ping],
      rejected: [{ status: /** @type {const} */ ("invalid"), name: "get_weather" }],
      text: "",
      ...(code && { diagnostics: codes(code) }),
      blocks: [{ dialect, status: "recovered" }],
    };
    const isList = row.list && isWholeObject(row);
    const { open, close } = wrapper(row);
    const both = [call, { name: "ping", input: {} }];
    return [
      ...(markless.includes(dialect)
        ? []
        : [
            {
              name: "a bad call, and a good one",
              dialect,
              input: run(row, [bad, good(1)], ["get_weather", "ping"]),
              ...expected,
            },
            {
              name: "a good call, and a bad one",
              dialect,
              input: run(row, [good(0), bad], ["ping", "get_weather"]),
              ...expected,
            },
            {
              name: "a bad call alone",
              dialect,
              input: run(row, [bad]),
              ...expected,
              calls: [],
              blocks: [{ dialect, status: "invalid" }],
            },
          ]),
      ...(isList
        ? [
            {
              name: "a missing comma between two calls",
              dialect,
              input: `${open}${both.map((one, index) => body(row, one, index)).join(" ")}${close}`,
              calls: [weather(call.input), ping],
              text: "",
            },
          ]
        : []),
      ...(isTags(row) && (row.call.close || row.wrapsEach)
        ? [
            {
              name: "a lost closing mark of a call, and the next call",
              dialect,
              input: row.call.close
                ? run(row, [head(row, "get_weather") + body(row, call), good(1)], ["get_weather", "ping"])
                : `${open}${head(row, "get_weather")}${body(row, call)}${run(row, [good(1)])}`,
              calls: [{ ...weather(call.input), status: /** @type {const} */ ("recovered") }, ping],
              text: "",
              ...(row.call.close && row.wrapsEach ? {} : { diagnostics: codes("unclosed") }),
            },
          ]
        : []),
    ];
  });
}
