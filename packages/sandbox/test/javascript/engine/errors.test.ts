import { expect, it } from "vitest";
import type { SandboxError } from "../../../src/node/index.ts";
import { addTool, tool } from "../../support.ts";
import { sharedSandbox } from "../../worker-sandbox.ts";

const search = tool("search_web", { query: { type: "string" } }, () => [{ title: "a" }]);
const sandbox = sharedSandbox("javascript", { tools: [addTool, search] });

// Type, message, line, column, source line and hint, as the model gets them.
const cases: { name: string; code: string; error: { [key in keyof SandboxError]?: unknown } }[] = [
  {
    name: "an exception, by the line that threw",
    code: "function f(x) {\n  if (x > 1) throw new RangeError('too much');\n  return x;\n}\nf(1);\nf(2);",
    error: {
      type: "RangeError",
      message: "too much",
      line: 2,
      column: 34,
      sourceLine: "  if (x > 1) throw new RangeError('too much');",
    },
  },
  {
    name: "an exception of the program's own class",
    code: "class NotFound extends Error {}\nconst f = () => {\n  throw new NotFound('no such order');\n};\n[1].map(f);",
    error: { type: "NotFound", message: "no such order", line: 3 },
  },
  {
    name: "a class with a constructor and a name of its own",
    code: "class NF extends Error {\n  constructor(m) { super(m); this.name = 'NF' }\n}\nthrow new NF('z')",
    error: { type: "NF", message: "z", line: 4 },
  },
  {
    name: "an exception after an await, in a function that was awaited",
    code: "async function f() {\n  const x = await add({ a: 1 });\n  return x.a.b;\n}\nawait f();",
    error: { type: "TypeError", message: "cannot read property 'b' of undefined", line: 3, column: 13 },
  },
  {
    name: "the error of an async function that nobody awaits at the end",
    code: "async function main() {\n  throw new Error('lost');\n}\nmain();",
    error: { type: "Error", message: "lost", line: 2 },
  },
  {
    name: "the error of a chain at the end",
    code: "(async () => {\n  const rows = await search_web({ query: 'a' });\n  return rows[1].title;\n})();",
    error: { type: "TypeError", line: 3 },
  },
  { name: "a text that was thrown", code: "throw 'just text'", error: { type: "Error", message: "just text" } },
  { name: "null that was thrown", code: "throw null", error: { type: "Error", message: "null was thrown" } },
  {
    name: "an object that was thrown",
    code: "throw { code: 3 }",
    error: { type: "Error", message: "{ code: 3 } was thrown" },
  },
  {
    name: "a proxy that was thrown",
    code: "throw new Proxy({}, { get() { throw 1 }, getPrototypeOf() { throw 2 }, ownKeys() { throw 3 } })",
    error: { type: "Error", message: expect.stringContaining("was thrown") },
  },
  {
    name: "an error whose message cannot be read",
    code: "const e = new TypeError('x');\nObject.defineProperty(e, 'message', { get() { throw 1 } });\nthrow e",
    error: { type: "TypeError", message: "", line: 1 },
  },
  {
    name: "a class that is called like an end of ours",
    code: "class EngineFailure extends Error {}\nthrow new EngineFailure('x')",
    error: { type: "Error", message: "x", line: 2 },
  },
  {
    name: "a syntax error, with line and column",
    code: "const x = 1;\nif (x {\n}",
    error: { type: "SyntaxError", line: 2, column: 7, sourceLine: "if (x {" },
  },
  {
    name: "a column of the first line",
    code: "const a = ;",
    error: { type: "SyntaxError", line: 1, column: 11 },
  },
  {
    name: "a bracket that is not closed",
    code: "const x = [1, 2;\nreturn x",
    error: { type: "SyntaxError", line: 1 },
  },
  {
    name: "a program that ends too early",
    code: "function f() {\n  return 1;\n",
    error: { type: "SyntaxError", message: expect.stringContaining("ends too early"), line: 3, column: 1 },
  },
  {
    name: "a bracket that closes nothing",
    code: "const x = '{' + /[}]/;\n}\nlet y;",
    error: { type: "SyntaxError", message: "this } closes nothing that is open", line: 2, column: 1 },
  },
  {
    name: "await in a plain callback",
    code: "const xs = [1].map((x) => await add({ a: x }));",
    error: { type: "SyntaxError", line: 1, hint: expect.stringContaining("write async before the function") },
  },
  {
    name: "a fence around the code",
    code: "```js\nreturn 1\n```",
    error: { line: 1, hint: "write the code alone, without a fence" },
  },
  {
    name: "Python",
    code: "def f(x):\n    return x",
    error: { type: "SyntaxError", line: 1, hint: expect.stringContaining("Python") },
  },
  { name: "broken JSON text", code: "const x = 1;\nJSON.parse('{bad')", error: { type: "SyntaxError", line: 2 } },
  {
    name: "a tool's name nearly right",
    code: "\nconst x = await serch_web({ query: 'a' })",
    error: {
      type: "ReferenceError",
      message: "'serch_web' is not defined",
      line: 2,
      hint: "the tool is called search_web",
    },
  },
  {
    name: "a variable's name nearly right",
    code: "const total_amount = 3;\n__result__ = total_amuont",
    error: { type: "ReferenceError", line: 2, hint: "did you mean total_amount?" },
  },
  {
    name: "an unknown name that is like nothing",
    code: "qqqqqq()",
    error: { type: "ReferenceError", hint: "available tools: add, search_web" },
  },
  {
    name: "a call of what is no function, by its name",
    code: "const order = {};\norder.total()",
    error: { type: "TypeError", message: "order.total is not a function", line: 2 },
  },
  {
    name: "a tool's promise that is used like its value",
    code: "const rows = search_web({ query: 'a' });\nreturn rows.map((row) => row.title)",
    error: {
      type: "TypeError",
      message: "rows.map is not a function",
      line: 2,
      hint: "tools are async: write await search_web(…)",
    },
  },
  {
    name: "an import",
    code: "const x = 1;\nimport fs from 'node:fs';",
    error: { type: "ImportForbidden", line: 2, column: 1, hint: expect.stringContaining("node:fs is not available") },
  },
  {
    name: "an import inside a function that never runs",
    code: "function f() {\n  return import('os');\n}\n__result__ = 1",
    error: { type: "ImportForbidden", line: 2, column: 10 },
  },
  {
    name: "an import put together at run time",
    code: 'await eval("im" + "port(\'os\')")',
    error: { type: "ImportForbidden" },
  },
  {
    name: "an export",
    code: "export const a = 1",
    error: { type: "ImportForbidden", hint: expect.stringContaining("return the value") },
  },
  {
    name: "require",
    code: "const fs = require('fs')",
    error: { type: "ImportForbidden", line: 1, column: 12, message: "require is not available here" },
  },
  {
    name: "process",
    code: "process.exit()",
    error: { type: "ReferenceError", hint: expect.stringContaining("no Node") },
  },
  {
    name: "fetch",
    code: "await fetch('http://a')",
    error: { type: "ReferenceError", hint: expect.stringContaining("no network") },
  },
  {
    name: "sleep",
    code: "sleep(1)",
    error: { type: "ReferenceError", hint: expect.stringContaining("setTimeout") },
  },
  {
    name: "document",
    code: "document.title",
    error: { type: "ReferenceError", hint: expect.stringContaining("no page") },
  },
  {
    name: "Buffer",
    code: "Buffer.from('a')",
    error: { type: "ReferenceError", hint: expect.stringContaining("no Node") },
  },
  {
    name: "no result, with what was probably meant",
    code: "const rows = [1, 2];\nconsole.log(rows)",
    error: { type: "MissingResult", hint: "write __result__ = rows" },
  },
  {
    name: "no result after a declaration",
    code: "const rows = [1, 2].map((x) => {\n  return x;\n});",
    error: { type: "MissingResult", hint: "write __result__ = rows as the last line" },
  },
  {
    name: "no result after an expression",
    code: "await add({ a: 1 })",
    error: { type: "MissingResult", hint: "write __result__ = await add({ a: 1 })" },
  },
  {
    name: "no result of a function that gives one",
    code: "async function main() {\n  return 1\n}\nmain()",
    error: { type: "MissingResult", hint: "write __result__ = await main(), and let main return the value" },
  },
  {
    name: "a function that is never called",
    code: "function main() { return 1 }",
    error: { type: "MissingResult", hint: expect.stringContaining("main(…)") },
  },
  {
    name: "nothing at all",
    code: "",
    error: { type: "MissingResult", hint: expect.stringContaining("__result__ = …") },
  },
  {
    name: "nothing returned",
    code: "return",
    error: { type: "MissingResult", hint: expect.stringContaining("return a value") },
  },
  {
    name: "a class of the program's own that is called like the end of a durable run",
    code: "class Diverged extends Error {}\nthrow new Diverged('of mine')",
    error: { type: "Error", message: "of mine", line: 2 },
  },
  {
    name: "a line after a byte order mark and a line for the shell",
    code: "\ufeff#!/usr/bin/env node\nnowhere;",
    error: { type: "ReferenceError", line: 2, column: 1, sourceLine: "nowhere;" },
  },
];

// The engine notes no place for these; the program's text tells.
const places: [code: string, error: { [key in keyof SandboxError]?: unknown }][] = [
  ["const a = Math.abs(1);\n\na = 2;", { message: "'a' is read-only", line: 3, column: 1, sourceLine: "a = 2;" }],
  ["const n = 1;\nconst f = () => {\n  n++;\n};\nf();", { message: "'n' is read-only", line: 3 }],
  ["const n = Math.abs(1);\nconst c = null;\nconst { a } = c;", { type: "TypeError", line: 3, column: 7 }],
  ["const n = Math.abs(1);\nconst c = 5;\nconst [a] = c;", { message: "value is not iterable", line: 3, column: 7 }],
  ["const n = Math.abs(1);\nconst c = null;\n[n.x] = c;", { type: "TypeError", line: 3 }],
  ["let n = 1;\nfor (const [a, b] of [1]) n++;", { message: "value is not iterable", line: 2 }],
  ["const { title } = (await search_web({ query: 'a' }))[1];", { type: "TypeError", line: 1 }],
  ["const { a } = await null;\nconst { b } = {};", { type: "TypeError", line: 1, column: 7 }],
  // A call, a loop over a value and a spread have their places.
  ["const c = null;\nObject.keys(c);\nconst { a } = {};", { type: "TypeError", line: 2 }],
  ["let c = null;\nfor (const x of c) {}\nconst [a] = [1];", { type: "TypeError", line: 2 }],
  ["let c = 5;\nconst d = [...c];\nconst [a] = [1];", { type: "TypeError", line: 2 }],
];

it.each(places)("should find the line that raised in %j", async (code, error) => {
  expect(await sandbox.run(code)).toMatchObject({ status: "error", error });
});

it("should name no line when several could have raised the error", async () => {
  const run = await sandbox.run("const n = Math.abs(1);\nlet c = null;\nconst { a } = {};\nconst { b } = c;");
  expect(run).toMatchObject({ status: "error", error: { type: "TypeError" } });
  expect(run.status === "error" && run.error).not.toHaveProperty("line");
});

it.each(cases)("should explain $name", async ({ code, error }) => {
  expect(await sandbox.run(code)).toMatchObject({ status: "error", error });
});

it("should end in the error although it printed and called before", async () => {
  const run = await sandbox.run("console.log('before');\nawait add({ a: 1 });\nnull.x");
  expect(run).toMatchObject({
    status: "error",
    error: { type: "TypeError", line: 3 },
    logs: [{ stream: "stdout", text: "before" }],
    toolCalls: [{ name: "add", ok: true }],
  });
});
