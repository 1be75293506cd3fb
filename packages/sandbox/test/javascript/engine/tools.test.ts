import { ToolError } from "@toolglot/core";
import { expect, it } from "vitest";
import { addTool, tool } from "../../support.ts";
import { sharedSandbox } from "../../worker-sandbox.ts";

const failing = tool("fail", { how: { type: "string" } }, async ({ how }: { how: string }) => {
  throw how === "told" ? new ToolError("no such order: 7") : new Error("cannot read /home/ada/secret.txt");
});
const named = tool(
  "File.Read",
  { "file-name": { type: "string" }, class: { type: "string", default: "x" } },
  (input) => input,
);
const open = tool("anything", { known: { type: "number" } }, (input) => input, { additionalProperties: true });
const echo = tool("echo", { value: {} }, ({ value }: { value: unknown }) => value);
const sandbox = sharedSandbox("javascript", { tools: [addTool, failing, named, open, echo] });

it("should offer tools as async functions of one object", async () => {
  const run = await sandbox.run(
    "const p = add({ a: 1 });\nreturn [p instanceof Promise, add.name, await p, await add({ a: 1, b: 1 })]",
  );
  expect(run).toMatchObject({ value: [true, "add", 3, 2] });
  expect(run.toolCalls).toMatchObject([{ args: { a: 1, b: 2 } }, { args: { a: 1, b: 1 } }]);
});

it("should map names that are no identifiers, and take the schema's own too", async () => {
  const run = await sandbox.run(
    "return [await File_Read({ file_name: 'a' }), await File_Read({ 'file-name': 'b', class: 'y' })]",
  );
  expect(run.status === "ok" ? run.value : run.error).toEqual([
    { "file-name": "a", class: "x" },
    { "file-name": "b", class: "y" },
  ]);
});

it("should give a tool whose name has a dot as a member of an object, too", async () => {
  const write = tool("File.Write", {}, () => "written");
  const own = [tool("JSON.parse", {}, () => 1), tool("add.more", {}, () => 2), tool("a.b.c", {}, () => 3), addTool];
  const run = await sandbox.run(
    `File.Write = 1;
     return [await File.Read({ file_name: "a" }), typeof File.Write, Object.keys(File), JSON.parse("[4]"),
       await JSON_parse({}), await add_more({}), typeof add.more, await a_b_c({})];`,
    { tools: [write, ...own] },
  );
  const read = { "file-name": "a", class: "x" };
  expect(run.status === "ok" ? run.value : run.error).toEqual([
    ...[read, "number", ["Read", "Write"], [4], 1, 2, "undefined", 3],
  ]);
});

it("should take values as they are, and refuse prototype keys", async () => {
  const value = { a: [1, "é\u0000", null] };
  expect(await sandbox.run(`return await echo({ value: ${JSON.stringify(value)} })`)).toMatchObject({
    status: "ok",
    value,
  });
  for (const key of ["__proto__", "constructor", "prototype"]) {
    const run = await sandbox.run(`return await echo({ value: [JSON.parse('{"${key}":1}')] })`);
    const message = `echo() cannot take value[0].${key}: it is a key that no tool is given (it was 1)`;
    expect(run).toMatchObject({ status: "error", error: { type: "TypeError", message }, toolCalls: [] });
  }
});

it("should take what is not there as not given", async () => {
  const run = await sandbox.run("return await add({ a: 1, b: undefined })");
  expect(run).toMatchObject({ value: 3, toolCalls: [{ args: { a: 1, b: 2 } }] });
});

it("should be callable by map", async () => {
  expect(await sandbox.run("return await Promise.all([{ a: 1 }, { a: 2 }].map(add))")).toMatchObject({ value: [3, 4] });
});

it("should let further names through where the schema does", async () => {
  expect(await sandbox.run("return await anything({ known: 1, other: [2] })")).toMatchObject({
    value: { known: 1, other: [2] },
  });
});

const mistakes: { code: string; message: string }[] = [
  { code: "add(1, 2)", message: "add() takes one object, not 2 values" },
  { code: "add(1)", message: "add() takes one object, not a number" },
  { code: "add('x')", message: "add() takes one object, not a string" },
  { code: "add(null)", message: "add() takes one object, not null" },
  { code: "add([1])", message: "add() takes one object, not an array" },
  { code: "add()", message: "add() is missing a" },
  { code: "add({ b: 1 })", message: "add() is missing a" },
  { code: "add({ a: 1, c: 2 })", message: "add() has no parameter c" },
];

it.each(mistakes)("should say how the tool is called: $code", async ({ code, message }) => {
  const run = await sandbox.run(`const x = 1;\nawait ${code}`);
  const error = { type: "TypeError", message, line: 2, hint: "call it as add({ a, b = 2 })" };
  expect(run).toMatchObject({ status: "error", error, toolCalls: [] });
});

it("should end in the program's own error when reading its arguments throws", async () => {
  const run = await sandbox.run(
    "await add({}).catch(() => {});\nawait add({ get a() { throw new RangeError('mine') } })",
  );
  expect(run).toMatchObject({ error: { type: "RangeError", message: "mine", line: 2 } });
  expect(run.status === "error" && run.error.hint).toBeFalsy();
  const missing = await sandbox.run("await File_Read({})");
  expect(missing).toMatchObject({ error: { message: "File_Read() is missing file_name" } });
});

it("should name the parameter that was probably meant", async () => {
  const run = await sandbox.run("await File_Read({ filename: 'a' })");
  expect(run).toMatchObject({ error: { message: "File_Read() has no parameter filename; did you mean file_name?" } });
});

it("should throw a failed call as ToolError, word for word", async () => {
  const run = await sandbox.run(`
    try { await fail({ how: "told" }) } catch (error) {
      return [error instanceof ToolError, error instanceof Error, error.name, error.message, String(error)];
    }`);
  expect(run).toMatchObject({
    value: [true, true, "ToolError", "no such order: 7", "ToolError: no such order: 7"],
    toolCalls: [{ ok: false, error: { type: "ToolError" } }],
  });
});

it("should end in a failed call that is not caught, by the line of the call", async () => {
  const run = await sandbox.run("const x = 1;\nawait fail({ how: 'told' });", { callIdPrefix: "t" });
  const error = { type: "ToolError", message: "no such order: 7", line: 2, callId: "t:1" };
  expect(run).toMatchObject({ status: "error", error });
});

it("should keep paths of the host from the program", async () => {
  const run = await sandbox.run("try { await fail({ how: 'other' }) } catch (e) { return e.message + e.stack }");
  expect(run.status === "ok" ? run.value : "").not.toContain("/home/ada");
});

it("should end in a failed call that nobody looks at", async () => {
  const run = await sandbox.run("fail({ how: 'told' });\nreturn 'done'");
  expect(run).toMatchObject({ status: "error", error: { type: "ToolError", line: 1 } });
  const handled = await sandbox.run("fail({ how: 'told' }).catch(() => {});\nreturn 'done'");
  expect(handled).toMatchObject({ status: "ok", value: "done" });
  const late = await sandbox.run(
    "const p = fail({ how: 'told' });\nawait add({ a: 1 });\ntry { await p } catch { return 'caught' }",
  );
  expect(late).toMatchObject({ status: "ok", value: "caught" });
});

it("should leave no failed promise behind a call whose stack overflowed, since the program can't hear it", async () => {
  const code = `
    const promises = [];
    let calls = 0;
    const unreadable = { get a() { throw new Error("read"); } };
    function deep() {
      try { deep(); } catch {}
      if (++calls > 30) return;
      let promise;
      try { promise = add(unreadable); } catch { return; }
      promises[promises.length] = promise;
    }
    deep();
    for (const promise of promises) promise.catch(() => {});
    return promises.length > 0;`;
  expect(await sandbox.run(code)).toMatchObject({ status: "ok", value: true });
});

it("should run calls at the same time, and give each its own answer", async () => {
  let most = 0;
  let open = 0;
  const slow = tool("slow", { n: { type: "number" } }, async ({ n }: { n: number }) => {
    most = Math.max(most, ++open);
    await new Promise((resolve) => setTimeout(resolve, 40 - n * 5));
    open--;
    return n;
  });
  const run = await sandbox.run("return await Promise.all([0, 1, 2, 3].map((n) => slow({ n })))", { tools: [slow] });
  expect(run).toMatchObject({ value: [0, 1, 2, 3] });
  expect(most).toBe(4);
});

it("should settle combinations of calls as the language does", async () => {
  const run = await sandbox.run(`
    const settled = await Promise.allSettled([add({ a: 1 }), fail({ how: "told" })]);
    const first = await Promise.any([fail({ how: "told" }), add({ a: 5 })]);
    return [settled.map(({ status }) => status), settled[1].reason.message, first];`);
  expect(run).toMatchObject({ value: [["fulfilled", "rejected"], "no such order: 7", 7] });
});

it("should not let calls in flight pile up without a bound", async () => {
  const run = await sandbox.run(`
    const big = "x".repeat(3_900_000);
    const calls = [];
    for (let i = 0; i < 8; i++) calls.push(echo({ value: big }).then(() => "ok", (error) => error.name + ": " + error.message));
    return await Promise.all(calls);`);
  const outcomes = run.status === "ok" ? (run.value as string[]) : [];
  expect(outcomes.filter((each) => each === "ok")).toHaveLength(4);
  expect(outcomes.at(-1)).toMatch(/^RangeError: echo\(\) cannot be called: await the calls in flight first/);
});

it("should end at the first call that is too many", async () => {
  const counted = sharedSandbox("javascript", { tools: [addTool], limits: { maxToolCalls: 3 } });
  const run = await counted.run("for (;;) add({ a: 1 })");
  expect(run).toMatchObject({ error: { type: "ToolCallLimit", line: 1 } });
  expect(run.toolCalls).toHaveLength(3);
});
