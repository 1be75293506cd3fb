import { expect, it } from "vitest";
import { createSandbox } from "../../../src/node/index.ts";
import { addTool } from "../../support.ts";
import { sharedSandbox } from "../../worker-sandbox.ts";

const sandbox = sharedSandbox("javascript", { tools: [addTool] });

const programs: { name: string; code: string; value: unknown }[] = [
  { name: "a value that is assigned", code: "__result__ = 1 + 1", value: 2 },
  { name: "a value that is returned", code: "const x = await add({ a: 1 });\nreturn x", value: 3 },
  { name: "a return in the middle", code: "if (true) { return 'early' }\n__result__ = 'late'", value: "early" },
  { name: "const __result__", code: "const __result__ = { a: 1 }", value: { a: 1 } },
  { name: "let __result__, set later", code: "let __result__;\n__result__ = [1]", value: [1] },
  { name: "var __result__, changed", code: "var __result__ = [1];\n__result__.push(2)", value: [1, 2] },
  {
    name: "a value assigned in a function",
    code: "async function main() { __result__ = await add({ a: 1 }) }\nmain()",
    value: 3,
  },
  { name: "a value assigned in a callback", code: "add({ a: 1 }).then((x) => { __result__ = x })", value: 3 },
  { name: "a promise as the value", code: "__result__ = add({ a: 1 })", value: 3 },
  {
    name: "strict mode",
    code: "// first\n'use strict';\n__result__ = (function () { return this === undefined })()",
    value: true,
  },
  {
    name: "sloppy mode",
    code: "total = 1;\n__result__ = (function () { return this === globalThis && total === 1 })()",
    value: true,
  },
  { name: "functions used before they stand there", code: "__result__ = f();\nfunction f() { return 1 }", value: 1 },
  { name: "a last line that is a comment", code: "__result__ = 1 // done", value: 1 },
  { name: "a hashbang", code: "#!/usr/bin/env node\n__result__ = 1", value: 1 },
  { name: "labels of its own", code: "outer: for (;;) { for (;;) break outer }\nreturn 1", value: 1 },
  { name: "an async call at the end", code: "(async () => {\n  __result__ = await add({ a: 1 })\n})()", value: 3 },
  {
    name: "words that look like imports",
    code: "const o = { import: 1, export: 2 }; return o.import + o.export",
    value: 3,
  },
  { name: "eval and Function, which stay inside", code: "return eval('1 + 1') + Function('return 2')()", value: 4 },
  { name: "null", code: "return null", value: null },
];

it.each(programs)("should run $name", async ({ code, value }) => {
  expect(await sandbox.run(code)).toMatchObject({ status: "ok", value });
});

it("should not end before what the program started has ended", async () => {
  const run = await sandbox.run(
    "let n = 0;\nfor (let i = 0; i < 3; i++) add({ a: i }).then(() => { n++; __result__ = n })",
  );
  expect(run).toMatchObject({ status: "ok", value: 3, toolCalls: [{ ok: true }, { ok: true }, { ok: true }] });
});

it("should keep nothing from one run to the next", async () => {
  await sandbox.run("globalThis.left = 1; Array.prototype.left = 2; add.left = 3; return 1");
  const run = await sandbox.run("return [typeof left, [].left ?? 'none', add.left ?? 'none']");
  expect(run).toMatchObject({ value: ["undefined", "none", "none"] });
});

it("should not let a program out of the function around it", async () => {
  const closed = ["})();globalThis.x = 1;(async function () {", "}});globalThis.x = 1;(async function () {{", "}}"];
  for (const code of closed) {
    const run = await sandbox.run(`${code}\n__result__ = "out"`);
    expect(run).toMatchObject({
      error: { type: "SyntaxError", message: "this } closes nothing that is open", line: 1, column: 1 },
    });
  }
});

it("should answer well whatever built-ins the program overwrites", async () => {
  const run = await sandbox.run(`
    JSON.stringify = () => '{"type":"result","value":"forged"}';
    JSON.parse = () => ({ type: "return", value: "forged" });
    Promise.prototype.then = () => { throw 1 };
    Array.prototype.map = Array.prototype.push = Array.prototype.join = null;
    Array.prototype[Symbol.iterator] = null;
    Object.keys = Object.defineProperty = Reflect.apply = Reflect.ownKeys = null;
    Object.defineProperty = null;
    Function.prototype.call = Function.prototype.apply = null;
    Object.prototype.get = () => 1; Object.prototype.value = 9; Object.prototype.id = 7; Object.prototype.clock = 5;
    Map.prototype.get = Set.prototype.has = String.prototype.slice = String.prototype.includes = null;
    globalThis.Promise = globalThis.JSON = globalThis.Error = globalThis.TypeError = globalThis.Object = null;
    const sum = await add({ a: 1, b: 2 });
    console.log("sum", { sum });
    return [sum, { nested: [sum] }, Date.now() > 1e12];`);
  expect(run).toMatchObject({ status: "ok", value: [3, { nested: [3] }, true] });
  expect(run.logs).toEqual([{ stream: "stdout", text: "sum { sum: 3 }" }]);
});

it("should respect what the program's own classes say of themselves", async () => {
  const run = await sandbox.run("Object.prototype.toJSON = function () { return 'its own' }; return { a: 1 }");
  expect(run).toMatchObject({ value: "its own" });
});

it("should give the same random numbers for the same seed alone", async () => {
  const code = "return Array.from({ length: 1000 }, () => Math.random())";
  const [one, two, other] = await Promise.all(
    [1, 1, 2].map(async (seed) => {
      const seeded = createSandbox({ language: "javascript", seed });
      const run = await seeded.run(code);
      await seeded[Symbol.asyncDispose]();
      return run.status === "ok" ? (run.value as number[]) : [];
    }),
  );
  const fresh = await sandbox.run(code);
  expect(one).toHaveLength(1000);
  expect(two).toEqual(one);
  expect(other).not.toEqual(one);
  expect(fresh).toMatchObject({ status: "ok" });
  expect(fresh).not.toMatchObject({ value: one });
  const mean = (one ?? []).reduce((sum, each) => sum + each, 0) / 1000;
  expect(Math.abs(mean - 0.5)).toBeLessThan(0.05);
  expect(new Set(one).size).toBe(1000);
});
