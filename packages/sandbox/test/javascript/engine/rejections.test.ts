import { ToolError } from "@toolglot/core";
import { describe, expect, it } from "vitest";
import { tool } from "../../support.ts";
import { sharedSandbox } from "../../worker-sandbox.ts";

const save = tool("save", { id: { type: "string" } }, async ({ id }: { id: string }) => {
  if (id === "b") throw new ToolError("disk full");
  return id;
});
const sandbox = sharedSandbox("javascript", { tools: [save] });

const lost: [what: string, code: string, error: Record<string, unknown>][] = [
  [
    "forEach(async)",
    "['a', 'b', 'c'].forEach(async (id) => {\n  await save({ id });\n});\nreturn 'saved';",
    { type: "ToolError", message: "disk full", line: 2, call: 2 },
  ],
  [
    "an async function",
    "(async () => { throw new TypeError('lost'); })();\nreturn 1;",
    { type: "TypeError", message: "lost", line: 1 },
  ],
  [
    "a chain",
    "save({ id: 'a' }).then((id) => {\n  throw new RangeError(id);\n});\nreturn 1;",
    { type: "RangeError", message: "a", line: 2 },
  ],
  [
    "a chain behind a tool",
    "const done = save({ id: 'b' }).then((id) => id + 1).finally(() => {});\nreturn 1;",
    { type: "ToolError", line: 1, call: 1 },
  ],
  [
    "a promise's constructor",
    "new Promise((_, reject) => reject(new Error('made')));\nreturn 1;",
    { type: "Error", message: "made", line: 1 },
  ],
  [
    "an async generator",
    "async function* rows() {\n  yield 1;\n  throw new Error('row');\n}\n(async () => { for await (const _ of rows()); })();\nreturn 1;",
    { type: "Error", message: "row", line: 3 },
  ],
  [
    "an async method",
    "const o = { async go() {\n await save({ id: 'b' });\n} };\no.go();\nreturn 1;",
    { type: "ToolError", line: 2, call: 1 },
  ],
  [
    "a callback of replace",
    "'b'.replace(/b/, (id) => {\n  save({ id });\n  return '';\n});\nreturn 1;",
    { type: "ToolError", line: 2, call: 1 },
  ],
  [
    "a sibling of what Promise.all has told of",
    "try { await Promise.all([save({ id: 'b' })]); } catch {}\nPromise.reject(new Error('other'));\nreturn 1;",
    { type: "Error", message: "other" },
  ],
  [
    "what a handler throws",
    "Promise.reject(new Error('first')).catch(() => { throw new Error('second'); });\nreturn 1;",
    { message: "second" },
  ],
  ["no error at all", "Promise.reject('bare');\nreturn 1;", { type: "Error", message: "bare" }],
  ["code made of text", "eval(\"(async () => { throw new Error('text'); })()\");\nreturn 1;", { message: "text" }],
];
describe.each(lost)("a failure that nobody waited for, behind %s", (_, code, { call, ...error }) => {
  it("should be the run's error", async () => {
    const run = await sandbox.run(code);
    const callId = call === undefined ? {} : { callId: run.toolCalls[Number(call) - 1]?.callId };
    expect(run).toMatchObject({ status: "error", error: { ...error, ...callId } });
  });
});

it.each([
  ["handled at once", "Promise.reject(new Error('x')).catch(() => {});\nreturn 1;"],
  [
    "handled later",
    "const p = Promise.reject(new Error('x'));\nawait save({ id: 'a' });\nawait p.catch(() => {});\nreturn 1;",
  ],
  [
    "handled after the program's body",
    "const p = save({ id: 'b' });\nsave({ id: 'a' }).then(() => p).catch(() => {});\nreturn 1;",
  ],
  [
    "given to allSettled",
    "const all = ['a', 'b'].map((id) => save({ id }));\nawait Promise.allSettled(all);\nreturn 1;",
  ],
  ["lost a race", "const p = Promise.reject(new Error('slow'));\nawait Promise.race([1, p]);\nreturn 1;"],
  ["as many as you like", "for (let i = 0; i < 20000; i++) Promise.reject(i).catch(() => {});\nreturn 1;"],
])("should be no error when it is %s", async (_, code) => {
  expect(await sandbox.run(code)).toMatchObject({ status: "ok", value: 1 });
});

it("should tell of a rejection in the program of a session in which it happens", async () => {
  const session = await sandbox.openSession();
  expect(
    await session.run("let lose; const later = new Promise((_, reject) => { lose = reject; }); return 1"),
  ).toMatchObject({ status: "ok" });
  expect(await session.run("lose(new Error('now'));\nreturn 2")).toMatchObject({
    status: "error",
    error: { message: "now" },
    state: "kept",
  });
  expect(await session.run("return later.catch(({ message }) => message)")).toMatchObject({
    status: "ok",
    value: "now",
  });
  await session.close();
});
