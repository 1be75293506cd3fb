import { expect, it } from "vitest";
import { tool } from "../../support.ts";
import { sharedSandbox } from "../../worker-sandbox.ts";

const echo = tool("echo", { value: {} }, async ({ value }: { value: unknown }) => value);
const sandbox = sharedSandbox("javascript", { tools: [echo] });

type Change = [path: string, from: string, to: string];
const cases: { code: string; value: unknown; changes?: Change[] }[] = [
  { code: "return [1, 1.5, -0, 'a', true, false, null]", value: [1, 1.5, 0, "a", true, false, null] },
  {
    code: "return { a: undefined, b: [undefined] }",
    value: { b: [null] },
    changes: [
      ["a", "undefined", "dropped"],
      ["b[0]", "undefined", "null"],
    ],
  },
  {
    code: "return [NaN, Infinity, -Infinity]",
    value: [null, null, null],
    changes: [
      ["[0]", "NaN", "null"],
      ["[1]", "Infinity", "null"],
      ["[2]", "-Infinity", "null"],
    ],
  },
  {
    code: "return { small: 5n, large: 2n ** 70n }",
    value: { small: 5, large: "1180591620717411303424" },
    changes: [
      ["small", "bigint", "number"],
      ["large", "bigint", "decimal text"],
    ],
  },
  {
    code: "return [new Date(0), new Date(NaN)]",
    value: ["1970-01-01T00:00:00.000Z", null],
    changes: [
      ["[0]", "Date", "ISO 8601 text"],
      ["[1]", "Date", "null"],
    ],
  },
  {
    code: "return new Map([['a', 1], [2, new Set(['x'])]])",
    value: { a: 1, 2: ["x"] },
    changes: [
      ["", "Map", "object"],
      ["2", "key of type number", "text"],
      ["2", "Set", "array"],
    ],
  },
  {
    code: "return { bytes: new Uint8Array([1, 2, 255]), buffer: new ArrayBuffer(1), floats: new Float64Array([1.5]) }",
    value: { bytes: "AQL/", buffer: "AA==", floats: [1.5] },
    changes: [
      ["bytes", "Uint8Array", "base64 text"],
      ["buffer", "ArrayBuffer", "base64 text"],
      ["floats", "Float64Array", "array"],
    ],
  },
  {
    code: "return [/x/gi, new TypeError('t'), Symbol('s'), class A {}, function f() {}, () => 1]",
    value: ["/x/gi", "TypeError: t", "Symbol(s)", "[class A]", "[function f]", "[function]"],
    changes: [
      ["[0]", "RegExp", "text"],
      ["[1]", "TypeError", "text"],
      ["[2]", "symbol", "text"],
      ["[3]", "function", "text"],
      ["[4]", "function", "text"],
      ["[5]", "function", "text"],
    ],
  },
  {
    code: "class P { x = 1; #y = 2; get z() { return 3 } }\nreturn new P()",
    value: { x: 1 },
    changes: [["", "P", "object"]],
  },
  {
    code: "return { when: { toJSON: (key) => key + '!' } }",
    value: { when: "when!" },
    changes: [["when", "Object", "what its toJSON gives"]],
  },
  {
    code: "const a = { b: 1 }; a.self = a; return { a, twice: [a.b, a.b] }",
    value: { a: { b: 1, self: null }, twice: [1, 1] },
    changes: [["a.self", "cycle", "null"]],
  },
  { code: "const a = [1]; return [a, a]", value: [[1], [1]] },
  {
    code: 'return JSON.parse(\'{"__proto__": 1, "constructor": 2, "a": {"prototype": 3, "b": 4}}\')',
    value: { a: { b: 4 } },
    changes: [
      ["__proto__", "key", "dropped"],
      ["constructor", "key", "dropped"],
      ["a.prototype", "key", "dropped"],
    ],
  },
  { code: "return [Object(1), Object('s'), Object(true)]", value: [1, "s", true] },
  { code: "return Object.assign(Object.create(null), { a: 1 })", value: { a: 1 } },
  { code: "return 'a\\u0000b\\ud800\\u2028'", value: "a\u0000b\ud800\u2028" },
  { code: "return new Proxy([1, 2], {})", value: [1, 2] },
  { code: "__result__ = undefined", value: null, changes: [["", "undefined", "null"]] },
  { code: "let x = 1; for (let i = 0; i < 199; i++) x = [x]; return JSON.stringify(x).length", value: 399 },
  { code: "return Array.from({ length: 2500 }, (_, i) => i % 7 ? i : [i]).flat().length", value: 2500 },
];

it.each(cases)("should give a written form: $code", async ({ code, value, changes = [] }) => {
  const run = await sandbox.run(code);
  expect(run).toMatchObject({ status: "ok", value });
  expect(run.stats.conversions).toEqual(changes.map(([path, from, to]) => ({ path, from, to })));
});

it("should give long lists whole, whatever stands between their plain items", async () => {
  const run = await sandbox.run(
    "return Array.from({ length: 5000 }, (_, i) => (i % 999 ? (i % 3 ? i : 't' + i) : { i }))",
  );
  const expected = Array.from({ length: 5000 }, (_, i) => (i % 999 ? (i % 3 ? i : `t${i}`) : { i }));
  expect(run).toMatchObject({ status: "ok", value: expected });
});

it("should refuse a value that nests too deeply or is too large", async () => {
  const deep = await sandbox.run("let x = []; for (let i = 0; i < 250; i++) x = [x]; return x");
  expect(deep).toMatchObject({
    error: {
      type: "ResultTooLarge",
      message: "__result__ is nested deeper than 200 levels (it was an Array of 1: [<Array>])",
    },
  });
  const long = await sandbox.run("return 'x'.repeat(2_000_000)");
  expect(long).toMatchObject({ error: { type: "ResultTooLarge", hint: expect.stringContaining("summary") } });
  const wide = await sandbox.run("return 'é'.repeat(600_000)");
  expect(wide).toMatchObject({ error: { message: "__result__ is 1200002 bytes as JSON, more than 1048576" } });
});

it("should count the bytes of a value as UTF-8", async () => {
  const run = await sandbox.run("return 'é€𝄞'");
  expect(run).toMatchObject({ value: "é€𝄞", stats: { resultBytes: 11 } });
});

it("should name a promise in a value, where it stands", async () => {
  const run = await sandbox.run("return { rows: [echo({ value: 1 })] }");
  expect(run).toMatchObject({ error: { type: "TypeError", message: "__result__.rows[0] is a promise: await it" } });
});

it("should pass arguments by the same rules, and refuse what is no data", async () => {
  const passed = await sandbox.run("return await echo({ value: { d: new Date(0), s: new Set([1]), u: undefined } })");
  expect(passed).toMatchObject({ value: { d: "1970-01-01T00:00:00.000Z", s: [1] } });
  const kinds = ["() => 1", "Symbol('s')", "NaN", "2n ** 60n", "new Error('x')", "/x/", "echo({ value: 1 })"];
  for (const kind of kinds) {
    const run = await sandbox.run(`await echo({ value: { list: [1, ${kind}] } })`);
    const message = expect.stringMatching(/^echo\(\) cannot take value\.list\[1\]: it is (an? |NaN)/);
    expect(run).toMatchObject({ error: { type: "TypeError", message, line: 1 } });
  }
  const large = await sandbox.run("await echo({ value: 'x'.repeat(5_000_000) })");
  expect(large).toMatchObject({
    error: { type: "RangeError", message: expect.stringContaining("more than 4194304 bytes") },
  });
});

it("should run getters, traps and toJSON on the program's own time", async () => {
  const hurried = sharedSandbox("javascript", { limits: { timeoutMs: 1000 } });
  const endless = ["return { get a() { for (;;); } }", "return { toJSON() { for (;;); } }"];
  const trap = "return new Proxy({}, { ownKeys() { for (;;); } })";
  for (const code of [...endless, trap]) expect(await hurried.run(code)).toMatchObject({ error: { type: "Timeout" } });
  const broken = await sandbox.run("return { get a() { throw new RangeError('no') } }");
  expect(broken).toMatchObject({ error: { type: "RangeError", message: "no", line: 1 } });
});

it.each([
  ["a number and a text", '[[1, "a"], ["1", "b"]]', '"1"'],
  ["null and a text", '[[null, "a"], ["null", "b"]]', '"null"'],
  ["two objects", "[[{}, 1], [{}, 2]]", '"[object Object]"'],
])("should never lose a value of a Map to another with the same key in JSON: %s", async (_, entries, key) => {
  const message = expect.stringContaining(`a Map with two keys that are the same text, ${key}`);
  expect(await sandbox.run(`return { m: new Map(${entries}) }`)).toMatchObject({ status: "error", error: { message } });
  const call = await sandbox.run(
    `try { await echo({ value: new Map(${entries}) }) } catch (error) { return error.message }`,
  );
  expect(call).toMatchObject({ status: "ok", value: message, toolCalls: [] });
});
