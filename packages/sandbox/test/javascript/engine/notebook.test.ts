import { expect, it } from "vitest";
import { addTool } from "../../support.ts";
import { sharedSandbox } from "../../worker-sandbox.ts";

const sandbox = sharedSandbox("javascript", { style: "notebook", tools: [addTool] });

it.for([
  ["1 + 2", 3],
  ["const x = 5;\nx * 2;", 10],
  ["let a = [1, 2]\na\n  .map((v) => v * 2)", [2, 4]],
  ["({ a: 1 })", { a: 1 }],
  ["await add({ a: 1 })", 3],
  ["add({ a: 1 })", 3],
  ["async function main() { return 4 }\nmain()", 4],
  ["const x = 1;\nreturn x + 6", 7],
  ["__result__ = 3;\n9", 3],
  ["let y = 1\ny += 2", 3],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a program
  ["`t${1}`", "t1"],
  ["'use strict';\n[1, 2, 3]", [1, 2, 3]],
  // No value, and nothing is missing.
  ["console.log(1)", null],
  ["const f = 1", null],
  ["class A {}", null],
  ["if (true) { 5 }", null],
  ["foo: for (;;) break foo", null],
  ["async function never() {}", null],
  ["", null],
] as const)("should end %j in its value", async ([code, value]) => {
  const run = await sandbox.run(code);
  expect(run.status === "ok" ? run.value : run.error).toEqual(value);
});

it("should keep the places of errors, and take no files", async () => {
  expect(await sandbox.run("const a = 1\nnothing.there")).toMatchObject({
    error: { type: "ReferenceError", line: 2, column: 1, sourceLine: "nothing.there" },
  });
  await expect(sandbox.run("1", { files: [] })).rejects.toThrow("files are for Python");
  expect(await sandbox.run("1 + 1", { style: "attp" })).toMatchObject({ error: { type: "MissingResult" } });
});
