import type { JsonValue } from "@toolglot/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pythonLiterals } from "../src/values/plain-quotes.ts";
import { readEachWay, slipsOf } from "./read-literal.ts";

const python = pythonLiterals({});
const lfm = pythonLiterals({ plainSingleQuotes: true });
const read = (text: string) => readEachWay(text, python);

describe("literals of Python", () => {
  it.each<[string, JsonValue]>([
    ["'a'", "a"],
    ['"a\'b"', "a'b"],
    ["'''a'b''c\nd'''", "a'b''c\nd"],
    ['"""say "hi" \\""""', 'say "hi" "'],
    ["''", ""],
    ['""', ""],
    ['""""""', ""],
    ["'\\n\\t\\\\\\'\\\"\\a\\v\\b\\f\\r'", "\n\t\\'\"\x07\v\b\f\r"],
    ["'\\x41\\u00e9\\U0001f600\\ud83d\\ude00'", "Aé😀😀"],
    ["'\\033[0m\\0\\1234'", "\x1b[0m\0S4"],
    ["'\\d\\/\\é'", "\\d\\/\\é"],
    ["'a\\\nb'", "ab"],
    ["[1, 2.5, -3, +4, 1_000, 0x1f, -0o17, 0b11, 1., .5, 1e3, -0]", [1, 2.5, -3, 4, 1000, 31, -15, 3, 1, 0.5, 1000, 0]],
    ["[True, False, None, true, false, null]", [true, false, null, true, false, null]],
    ["(1, 'a')", [1, "a"]],
    ["(1,)", [1]],
    ["(1)", 1],
    ["((((1), 2),))", [[1, 2]]],
    ["()", []],
    ["[1, (2), [3,], ]", [1, 2, [3]]],
    ["{'a': {'b': [1]}, \"c\": None,}", { a: { b: [1] }, c: null }],
    ["{1: 'a', -2.50: 'b', True: 'c', None: 'd'}", { 1: "a", "-2.50": "b", True: "c", None: "d" }],
    ["{}", {}],
  ])("%s", (text, value) => {
    const found = read(text);
    expect([found.state, found.end, slipsOf(found)]).toEqual(["done", text.length, []]);
    expect(found.value).toEqual(value);
  });

  it("keeps what no double holds as text", () => {
    const found = read("[12345678901234567890, 0xffffffffffffffffff, NaN]");
    expect(found.value).toEqual(["12345678901234567890", "0xffffffffffffffffff", "NaN"]);
    expect(slipsOf(found)).toEqual([
      "inexact-number value 1-21",
      "inexact-number value 23-43",
      "inexact-number value 45-48",
    ]);
  });

  it("tells duplicate keys", () => {
    expect(slipsOf(read("{'a': 1, 'a': 2}"))).toEqual(["duplicate-key value 9-12"]);
    expect(slipsOf(read("{1: 1, '1': 2}"))).toEqual(["duplicate-key value 7-10"]);
  });

  it.each([
    "r'a'",
    "b'a'",
    "f'{x}'",
    "u'a'",
    "name",
    "[name]",
    "[os.getcwd()]",
    "__import__('os')",
    "1+2",
    "[1 + 2]",
    "[1 2]",
    "['a' 'b']",
    "['a' * 3]",
    "'\\N{BULLET}'",
    "'\\xg0'",
    "'\\U00110000'",
    "'\\u12'",
    "007",
    "1__0",
    "1_",
    "_1",
    "1j",
    "- 1",
    "{a: 1}",
    "*x",
    "lambda: 1",
    "not True",
    "[x for x in y]",
  ])("%s is none", (text) => {
    const { state, value, end, failure } = read(`${text} `);
    expect(value).toBeUndefined();
    expect(state).toBe("failed");
    expect(end).toBeLessThanOrEqual(text.length);
    expect(failure).toBeDefined();
  });

  it.each(["{[1]: 2}", "{1, 2}", "{'a'}", "(", "('a'", "[1, (2]", "{'a': 1)"])("%s gives no value", (text) => {
    expect(read(text).value).toBeUndefined();
  });

  it("leaves what stands behind a value to the caller", () => {
    expect(read("'a' 'b'")).toMatchObject({ state: "done", end: 3, value: "a" });
    expect(read("1 + 2")).toMatchObject({ state: "done", end: 1, value: 1 });
    expect(read("'a').x")).toMatchObject({ state: "done", end: 3 });
  });

  it("reads back what Python's repr writes", () => {
    const repr = (value: JsonValue): string => {
      if (value === null) return "None";
      if (typeof value === "boolean") return value ? "True" : "False";
      if (typeof value === "string") {
        return `'${value.replace(/[\\'\n\r]/g, (unit) => ({ "\n": "\\n", "\r": "\\r" })[unit] ?? `\\${unit}`)}'`;
      }
      if (Array.isArray(value)) return `[${value.map(repr).join(", ")}]`;
      if (typeof value !== "object") return JSON.stringify(value);
      return `{${Object.entries(value)
        .map(([key, item]) => `${repr(key)}: ${repr(item)}`)
        .join(", ")}}`;
    };
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const found = read(repr(value as JsonValue));
        expect(JSON.parse(JSON.stringify(found.value))).toEqual(JSON.parse(JSON.stringify(value)));
        expect(found.slips).toEqual([]);
      }),
    );
  });
});

it.each([
  ["'a\\tb\nc'", [{ code: "json-repaired", affects: "value" }]],
  ["'a\tb\nc'", []],
  ["'''a\\tb\nc'''", []],
])("%j has an escape and a line break", (text, slips) => {
  expect(read(text)).toMatchObject({ state: "done", slips });
});

describe("single quotes that escape nothing", () => {
  it.each<[string, JsonValue, number]>([
    ["'it's',", "it's", 6],
    ["'a\\n\nb')", "a\\n\nb", 7],
    ["'say 'hi' now']", "say 'hi' now", 14],
    ["'',", "", 2],
    ["'a'\n )", "a", 3],
    ["'a'<|tool_call_end|>", "a", 3],
    ["'a'<b',", "a'<b", 6],
    ["'a'", "a", 3],
    ['"it\'s\\n",', "it's\n", 8],
    ["{'it's': 'x'y', \"z\": 'q'}", { "it's": "x'y", z: "q" }, 25],
  ])("%s", (text, value, end) => {
    const found = readEachWay(text, lfm);
    expect(found).toMatchObject({ state: "done", end, slips: [] });
    expect(found.value).toEqual(value);
  });

  it.each([
    ["''',", "'"],
    ["''a',", "'a"],
    ["''it's',", "'it's"],
  ])("%s may have its quote twice", (text, value) => {
    const found = readEachWay(text, lfm);
    expect(found).toMatchObject({ state: "done", value, slips: [{ code: "unquoted-value", affects: "value" }] });
  });

  it.each(["'a", "'a'b", "'"])("%s is open", (text) => {
    expect(readEachWay(text, lfm).state).toBe("open");
  });

  it("looks no further than 99 blanks", () => {
    expect(readEachWay(`'a'${" ".repeat(99)},`, lfm)).toMatchObject({ state: "done", end: 3 });
    expect(readEachWay(`'a'${" ".repeat(100)},`, lfm).state).toBe("open");
  });
});
