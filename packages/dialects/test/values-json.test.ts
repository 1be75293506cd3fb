import type { JsonValue } from "@toolglot/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "../src/parse.ts";
import { LiteralReader } from "../src/values/literal-reader.ts";
import { jsonSyntax } from "../src/values/syntaxes.ts";
import { readChunks, readEachWay, slipsOf } from "./read-literal.ts";

const json = jsonSyntax;
const read = (text: string) => readEachWay(text, json);

describe("JSON as it should be", () => {
  it.each([
    '{"a": 1, "b": [true, false, null], "c": {"d": "x"}}',
    "[]",
    "{}",
    " \n\t[ ]",
    '"a\\n\\t\\b\\f\\r\\"\\\\\\/\\u00e9"',
    '["\\ud83d\\ude00", "\\ud83d", "\\ude00x", "\\ud83d\\u0041", "\\ud83d\\n"]',
    "[0, -0.5, 1e3, 1E-2, 1.50, 100000000000000000000]",
    '{"": ""}',
    '["😀", "\u2028"]',
  ])("%s", (text) => {
    const { state, value, slips, end } = read(text);
    expect({ state, slips, end }).toEqual({ state: "done", slips: [], end: text.length });
    expect(value).toEqual(JSON.parse(text));
  });

  it("ends directly behind the value", () => {
    expect(read('{"a": 1} </tool_call>')).toMatchObject({ state: "done", end: 8 });
    expect(read('"a"b')).toMatchObject({ state: "done", end: 3 });
    expect(read("12,")).toMatchObject({ state: "done", end: 2, value: 12 });
  });

  it("tells where values begin and end, and strings in pieces", () => {
    const { heard, pieces } = read(' {"a": "x\\ny", "b": [1, {"c": ""}]}');
    expect(heard).toEqual([
      "begin 0 undefined 1",
      "begin 1 a 7",
      'value 1 a "x\\ny" 7-13',
      "begin 1 b 20",
      "begin 2 undefined 21",
      "value 2 undefined 1 21-22",
      "begin 2 undefined 24",
      "begin 3 c 30",
      'value 3 c "" 30-32',
      'value 2 undefined {"c":""} 24-33',
      'value 1 b [1,{"c":""}] 20-34',
      'value 0 undefined {"a":"x\\ny","b":[1,{"c":""}]} 1-35',
    ]);
    expect([...pieces]).toEqual([["7", "x\ny"]]);
  });

  it("tells no strings that are deeper than asked for", () => {
    const told = readChunks(['{"a": "x", "b": ["y"]}'], json, 1).pieces;
    expect([...told.values()]).toEqual(["x"]);
  });

  it("keeps keys that objects are born with as data", () => {
    const { value } = read('{"__proto__": {"a": 1}, "constructor": 2, "toString": 3}');
    expect(Object.keys(value as object)).toEqual(["__proto__", "constructor", "toString"]);
    expect(slipsOf(read('{"constructor": 2}'))).toEqual([]);
  });

  it("knows whether it stands in a string, and how deep", () => {
    const reader = new LiteralReader(json);
    reader.read('{"a": ["x', 0, 0, false);
    expect([reader.quote, reader.depth, reader.start]).toEqual(['"', 2, 0]);
    reader.read('"]', 0, 9, false);
    expect([reader.quote, reader.depth]).toEqual(["", 1]);
  });

  it("reads from the middle of a window, with offsets of the whole text", () => {
    const reader = new LiteralReader(json);
    expect(reader.read('xx{"a": tru', 2, 98, false)).toBe(11);
    expect(reader.read("e, b: 2}y", 0, 109, false)).toBe(8);
    expect(reader).toMatchObject({ state: "done", start: 100, value: { a: true, b: 2 } });
    expect(reader.slips).toContainEqual({ code: "json-repaired", affects: "structure", start: 112, end: 113 });
  });
});

describe("slips that are read as meant", () => {
  it.each<[string, JsonValue, string[]]>([
    ['{"a": "x\ny\tz"}', { a: "x\ny\tz" }, ["json-repaired none 8-9"]],
    ['{"a": 1,}', { a: 1 }, ["json-repaired structure 8-9"]],
    ["[1, 2, ]", [1, 2], ["json-repaired structure 7-8"]],
    ['{"a": "x" "b": 1}', { a: "x", b: 1 }, ["json-repaired structure 10-10"]],
    ['{"a": 1 "b": 2}', { a: 1, b: 2 }, ["json-repaired structure 8-8"]],
    ['{"a": {}"b": 2}', { a: {}, b: 2 }, ["json-repaired structure 8-8"]],
    ['[{"a": 1}{"b": 2}\n{"c": 3}]', [{ a: 1 }, { b: 2 }, { c: 3 }], ["json-repaired structure 9-9"]],
    ["[1 2 -3 [4] [5]]", [1, 2, -3, [4], [5]], ["json-repaired structure 3-3"]],
    ['["a" "b"]', ["a", "b"], ["json-repaired structure 5-5"]],
    ["{'a': 'x\"y\\'z'}", { a: "x\"y'z" }, ["python-literal none 1-4"]],
    ["[True, False, None]", [true, false, null], ["python-literal none 1-5"]],
    ["{a: 1, $b-c.d: 2, 城: 3, 4: 5}", { a: 1, "$b-c.d": 2, 城: 3, 4: 5 }, ["json-repaired structure 1-2"]],
    ['{"a": 1, "a": 2}', { a: 2 }, ["duplicate-key value 9-12"]],
    ['{"a": 1, "a": 2, "a": 3}', { a: 3 }, ["duplicate-key value 9-12", "duplicate-key value 17-20"]],
    [
      "[12345678901234567890, 1e400, 1e-400, NaN, -Infinity]",
      ["12345678901234567890", "1e400", "1e-400", "NaN", "-Infinity"],
      [
        "inexact-number value 1-21",
        "inexact-number value 23-28",
        "inexact-number value 30-36",
        "inexact-number value 38-41",
        "inexact-number value 43-52",
      ],
    ],
  ])("%s", (text, value, slips) => {
    const found = read(text);
    expect(found.state).toBe("done");
    expect(found.value).toEqual(value);
    expect(slipsOf(found)).toEqual(slips);
  });

  it("tells a number that is kept as text in pieces, too", () => {
    expect([...read('{"a": NaN}').pieces.values()]).toEqual(["NaN"]);
  });

  it.each([
    ['{"a": 1,}', "json-repaired"],
    ['{"a": "\t"}', "json-repaired"],
    ["{a: 1}", "json-repaired"],
    ["[1 2]", "json-repaired"],
    ["['a']", "python-literal"],
    ["[True]", "python-literal"],
    ["[NaN]", "inexact-number"],
    ['{"a": 1, "a": 2}', "duplicate-key"],
  ])("%s rejects the call where %s is not allowed", (text, code) => {
    const call = `<tool_call>{"name": "f", "arguments": {"x": ${text}}}</tool_call>`;
    const { blocks, diagnostics } = parse(call, { repairs: { [`dialects/${code}`]: false } });
    expect(blocks).toMatchObject([{ status: "invalid", calls: [], rejected: [{ name: "f" }] }]);
    expect(diagnostics).toMatchObject([{ code: `dialects/${code}`, severity: "error" }]);
    expect(parse(call).blocks).toMatchObject([{ status: "recovered" }]);
  });
});

describe("what is no JSON", () => {
  it.each([
    '{"a": "say "hi" now"}',
    '{"a": "say ""hi"" now"}',
    '["say "hi" now"]',
    '{"a": "x""b": 1}',
    '{"a": "x", "b", "c": 1}',
    "{'a': 'it's'}",
    '{"a": "x" b: 1}',
    '{"a": text}',
    '{"a": undefined}',
    '{"a": "\\x41"}',
    '{"a": "\\q"}',
    '{"a": "\\u12g4"}',
    '{"a": "it\\\'s"}',
    '{"a": 1 // one\n}',
    '{"a": 1, ...}',
    "[1, 2, ...]",
    '{"a": 01}',
    '{"a": +1}',
    '{"a": .5}',
    '{"a": 1.}',
    '{"a": 0x1f}',
    '{"a": "x" + "y"}',
    '{"a", "b"}',
    '{"a": 1,, "b": 2}',
    "[,1]",
    '{"a"}',
    '{"a": }',
    '{"a": 1, <',
    '{"a" <',
    "hello ",
    "<",
    "#",
  ])("%s", (text) => {
    const { state, value, failure } = read(text);
    expect(state).toBe("failed");
    expect(value).toBeUndefined();
    expect(failure?.at).toBeLessThan(text.length);
    expect(failure?.message).not.toBe("");
  });

  it.each(['["say "[1]" now"]', '["say " [1] " now"]', '{"a": "say "{x}" now"}', '{"a": [1}', "[1)"])(
    "%s gives no value",
    (text) => {
      expect(read(text)).toMatchObject({ state: "blocked", value: undefined });
    },
  );

  it("names the place", () => {
    expect(read('{"a": "say "hi" now"}').failure).toEqual({ at: 12, message: '"h" can\'t stand here' });
    expect(read('{"a": "\\q"}').failure).toEqual({ at: 7, message: "no such escape" });
    expect(read('{"a": text}').failure).toEqual({ at: 6, message: "no literal" });
  });

  it("ends at 512 containers in one another", () => {
    expect(readChunks(["[".repeat(512) + "]".repeat(512)], json).state).toBe("done");
    expect(readChunks(["[".repeat(513)], json)).toMatchObject({ state: "failed", failure: { at: 512 } });
  });
});

describe("a mark where the value should go on", () => {
  const openers = ["</tool_call>", "[TOOL_CALLS]", "```", "]<]minimax[>[", ";", "{"];
  it.each(openers)("%s: what is open can be closed", (mark) => {
    const text = `{"a": {"b": [1, {"c": 2}], "d": "x" ${mark}`;
    const reader = new LiteralReader(json);
    const at = reader.read(text, 0, 0, false);
    expect([reader.state, at, reader.depth]).toEqual(["blocked", text.length - mark.length, 2]);
    expect(reader.close(at)).toBe(true);
    expect(reader).toMatchObject({ state: "done", depth: 0, failure: undefined });
    expect(reader.value).toEqual({ a: { b: [1, { c: 2 }], d: "x" } });
    expect(reader.slips).toEqual([{ code: "json-repaired", affects: "structure", start: at, end: at }]);
  });

  it.each(['{"a": 1', "[", "{", '[{"a": []', "[1 "])("%s can be closed", (text) => {
    const reader = new LiteralReader(json);
    const at = reader.read(`${text}<`, 0, 0, false);
    expect([reader.state, reader.close(at), reader.state]).toEqual(["blocked", true, "done"]);
  });

  it.each(['{"a', '{"a"', '{"a":', '{"a": 1,', "[1,", '["x', "", "<", "nul", '{"a": b', "{'", '"a"'])(
    "%s can't be closed",
    (text) => {
      const reader = new LiteralReader(json);
      const at = reader.read(`${text}<`, 0, 0, false);
      const { state } = reader;
      expect(state).not.toBe("blocked");
      expect([reader.close(at), reader.state]).toEqual([false, state]);
    },
  );

  it("is told from a list in a list", () => {
    expect(read("[1 [TOOL_CALLS]").state).toBe("blocked");
    expect(read("[1 [/TOOL_CALLS]").state).toBe("blocked");
    expect(read("[1 [True]]").value).toEqual([1, [true]]);
  });

  it("closes at the end of the text, too, when the caller wants it", () => {
    const reader = new LiteralReader(json);
    expect(reader.read('{"a": 12', 0, 0, true)).toBe(8);
    expect([reader.state, reader.close(8), reader.value]).toEqual(["open", true, expect.objectContaining({ a: 12 })]);
  });

  it("is asked about again when reading goes on", () => {
    const reader = new LiteralReader(json);
    expect(reader.read("[1 <", 0, 0, false)).toBe(3);
    expect(reader.read("<x", 0, 3, false)).toBe(0);
    expect(reader).toMatchObject({ state: "blocked", failure: { at: 3 } });
  });
});

const attempt = (read: () => unknown): unknown => {
  try {
    return read();
  } catch {
    return undefined;
  }
};
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe("any JSON", () => {
  it("reads back, whatever the chunks", () => {
    const indents = fc.constantFrom(undefined, 2, "\t");
    const any = fc.jsonValue({ stringUnit: fc.constantFrom("a", '"', "\\", "\n", "😀", "\ud83d", "}", "é", "'") });
    fc.assert(
      fc.property(fc.oneof(any, fc.jsonValue()), indents, (value, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        const found = readEachWay(text, json);
        expect(found.state).toBe("done");
        expect(found.slips).toEqual([]);
        expect(plain(found.value)).toEqual(plain(value));
        expect(found.end).toBe(text.length);
      }),
      { numRuns: 300 },
    );
  });

  it("has no slips where JSON.parse reads it, and else has some, or no value", () => {
    const part = fc.constantFrom(
      ..."{}[],:\"'\\ \n1-.eE+0a",
      '"a"',
      "true",
      "null",
      "None",
      "NaN",
      "\\u00e9",
      '{"a":',
      "1,",
      "]}",
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 14 }), fc.constantFrom("", "[", '{"k":', '["'), (parts, begin) => {
        const text = begin + parts.join("");
        const { state, value, slips, end } = read(text);
        const parsed = attempt(() => JSON.parse(text.slice(0, end)) as unknown);
        const isExact =
          state === "done" && slips.every(({ code }) => code === "duplicate-key" || code === "inexact-number");
        if (!isExact || /NaN/.test(text)) return;
        expect(parsed).not.toBeUndefined();
        if (slips.length === 0) expect(plain(value)).toEqual(plain(parsed));
      }),
      { numRuns: 3000 },
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
        const parsed = attempt(() => JSON.parse(parts.join("")) as unknown);
        if (parsed !== undefined) expect(read(parts.join("")).state).toBe("done");
      }),
      { numRuns: 5000 },
    );
  });

  it("tells strings in pieces that make up the whole", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 40 }), fc.boolean(), fc.nat(60), (string, escaped, at) => {
        const quoted = JSON.stringify(string);
        const text = escaped
          ? quoted.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
          : quoted;
        const { value, pieces } = readChunks([text.slice(0, at), text.slice(at)], json);
        expect(value).toBe(string);
        expect(pieces.get("0") ?? "").toBe(string);
      }),
    );
  });

  it("never halves a pair, as two escapes or as it is", () => {
    const told: string[] = [];
    const reader = new LiteralReader(json, { listener: { piece: (_depth, _key, text) => told.push(text) } });
    let window = "";
    for (const unit of '"a\\ud83d\\ude00\\ud83d\\ud83d\\ude00😀\ud83dx"'.split("")) {
      window += unit;
      window = window.slice(reader.read(window, 0, 0, false));
    }
    expect(told).toEqual(["a", "😀", "\ud83d", "😀", "😀", "\ud83dx"]);
  });

  it("is never another value when it is cut", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue()), fc.string()),
        (value) => {
          const text = JSON.stringify(value);
          for (let at = 0; at < text.length; at++) {
            expect(readChunks([text.slice(0, at)], json).state).toBe("open");
          }
        },
      ),
    );
  });
});
