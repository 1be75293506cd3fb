import type { CodeAction, Decision, ExecutorContext, ExecutorEvent } from "@toolglot/core";
import { MemoryOperationLog } from "@toolglot/core/operation-log";
import { leftToCi } from "@toolglot/internal/testing";
import { describe, expect, it } from "vitest";
import { sandboxExecutor } from "../src/node/index.ts";
import { logWithClock } from "./durable/support.ts";
import { addTool, tool } from "./support.ts";
import { sharedSandbox } from "./worker-sandbox.ts";

const remove = tool("remove", { id: { type: "integer" } }, () => "removed", { annotations: { destructiveHint: true } });
const sandboxes = {
  javascript: sharedSandbox("javascript"),
  python: sharedSandbox("python"),
};
const executor = sandboxExecutor(sandboxes.python, { tools: [addTool, remove], imports: "ignore-allowed" });

const code = (source: string, language: CodeAction["language"] = "python"): CodeAction => ({
  kind: "code",
  id: "action-1",
  language,
  source,
  span: { start: 0, end: source.length },
});

function context(decision: Decision = { approved: false }, signal = new AbortController().signal) {
  const events: ExecutorEvent[] = [];
  const asked: unknown[] = [];
  const given: ExecutorContext = {
    signal,
    emit: (event) => events.push(event),
    approve: async (request) => {
      asked.push(request);
      return decision;
    },
    runId: "run",
    stepIndex: 0,
  };
  return { events, asked, given };
}

it("should handle code of the sandbox's language only", async () => {
  expect(executor.handles(code("x"))).toBe(true);
  expect(executor.handles(code("x", "javascript"))).toBe(false);
  expect(executor.handles({ kind: "decline", message: "", span: { start: 0, end: 0 } })).toBe(false);
  await expect(executor.execute(code("x", "javascript"), context().given)).rejects.toThrow(TypeError);
});

it("should give one result with the value, the logs and the calls, and tell events as they happen", async () => {
  const { events, given } = context();
  const source = "import math\nprint('sum')\n__result__ = {'sum': add(1), 'root': math.sqrt(4)}";
  const results = await executor.execute(code(source), given);
  expect(results).toMatchObject([
    {
      callId: "action-1",
      status: "ok",
      data: { sum: 3, root: 2 },
      content: [{ type: "text", text: '{"sum":3,"root":2}' }],
      logs: [{ stream: "stdout", text: "sum" }],
      metadata: { toolCalls: [{ callId: "action-1:1", name: "add", ok: true }], stats: { toolCalls: 1 } },
    },
  ]);
  expect(results).toHaveLength(1);
  expect(events).toMatchObject([
    { type: "log", callId: "action-1", entry: { text: "sum" } },
    { type: "tool-call-start", callId: "action-1:1", name: "add", input: { a: 1, b: 2 } },
    { type: "tool-call-end", callId: "action-1:1", name: "add", status: "ok", data: 3 },
  ]);
});

it("should say to the model what failed, where, and what to do", async () => {
  const [result] = await executor.execute(code("y = 1\nx = ad(1)"), context().given);
  expect(result).toMatchObject({
    status: "error",
    error: { type: "NameError", line: 2, sourceLine: "x = ad(1)", hint: "the tool is called add" },
    content: [
      { type: "text", text: "NameError: name 'ad' is not defined (line 2: x = ad(1))\nthe tool is called add" },
    ],
  });
  expect(result).not.toHaveProperty("data");
});

it("should be interrupted by the signal", async () => {
  const { given } = context({ approved: true }, AbortSignal.abort());
  expect(await executor.execute(code("__result__ = 1"), given)).toMatchObject([
    { status: "interrupted", error: { type: "Aborted" } },
  ]);
});

// What the executor makes of an outcome does not hang on the language.
const programs = {
  javascript: {
    removes: "const x = 1;\nawait remove({ id: 1 });",
    catches: "try {\n  await remove({ id: 1 });\n} catch {\n  __result__ = 'left';\n}",
    failsElse: "try {\n  await remove({ id: 1 });\n} catch {}\nthrow new Error('else');",
    gives: "return await remove({ id: 1 });",
    parks: "console.log(await add({ a: 1 }));\n__result__ = await remove({ id: 7 });",
    sticks: "try {\n  await stuck();\n} catch {}\n__result__ = 1;",
    named: "class InDoubt extends Error {}\nthrow new InDoubt('no');",
  },
  python: {
    removes: "x = 1\nremove(1)",
    catches: "try:\n    remove(1)\nexcept ToolError:\n    __result__ = 'left'",
    failsElse: "try:\n    remove(1)\nexcept ToolError:\n    pass\nraise ValueError('else')",
    gives: "__result__ = remove(1)",
    parks: "print(add(1))\n__result__ = remove(7)",
    sticks: "try:\n    stuck()\nexcept Exception:\n    pass\n__result__ = 1",
    named: "class InDoubt(Exception):\n    pass\nraise InDoubt('no')",
  },
};

describe.each(["javascript", "python"] as const)("%s", (language) => {
  const sandbox = sandboxes[language];
  const executor = sandboxExecutor(sandbox, { tools: [addTool, remove] });
  const action = (name: keyof typeof programs.python): CodeAction => code(programs[language][name], language);

  it("should end as denied when a denial was not caught, and as ok when it was", async (test) => {
    leftToCi(test, language === "javascript");
    const uncaught = context({ approved: false, reason: "not on Sundays" });
    expect(await executor.execute(action("removes"), uncaught.given)).toMatchObject([
      {
        status: "denied",
        error: { type: "ToolError", message: "remove was denied: not on Sundays", line: 2 },
        metadata: { toolCalls: [{ error: { type: "Denied" } }] },
      },
    ]);
    expect(uncaught.asked).toMatchObject([
      { kind: "tool-call", callId: "action-1:1", tool: "remove", input: { id: 1 } },
    ]);
    expect(uncaught.events.at(-1)).toMatchObject({
      type: "tool-call-end",
      status: "denied",
      error: { type: "Denied" },
    });
    const caught = context();
    expect(await executor.execute(action("catches"), caught.given)).toMatchObject([{ status: "ok", data: "left" }]);
    expect(await executor.execute(action("failsElse"), context().given)).toMatchObject([{ status: "error" }]);
    expect(await executor.execute(action("gives"), context({ approved: true }).given)).toMatchObject([
      { status: "ok", data: "removed" },
    ]);
  });

  it("should end as pending when an approval comes later, and go on with the same action", async (test) => {
    leftToCi(test, language === "javascript");
    const log = new MemoryOperationLog();
    let decision: Decision | "later" = "later";
    const durable = { storage: { operations: log }, approve: async () => decision };
    const patient = sandboxExecutor(sandbox, { tools: [addTool, remove], durable });
    const waiting = {
      callId: "action-1:2",
      name: "remove",
      args: { id: 7 },
      reason: "The program wants to call remove.",
    };
    expect(await patient.execute(action("parks"), context().given)).toMatchObject([
      {
        callId: "action-1",
        status: "pending",
        content: [{ type: "text", text: "The program waits for an approval: remove." }],
        logs: [{ text: "3" }],
        metadata: { parked: { id: "run:action-1", waiting: [waiting] } },
      },
    ]);
    decision = { approved: true };
    const { given, events } = context();
    expect(await patient.execute(action("parks"), given)).toMatchObject([{ status: "ok", data: "removed" }]);
    expect(events).toContainEqual(expect.objectContaining({ type: "tool-call-end", callId: "action-1:1", data: 3 }));
    const other = sandboxExecutor(sandbox, {
      durable: { storage: { operations: log }, id: ({ source }) => source, parkAfterMs: 5 },
    });
    await other.execute(code("__result__ = 1", language), context().given);
    expect(await sandbox.resume({ storage: { operations: log }, id: "__result__ = 1" })).toMatchObject({
      status: "ok",
      value: 1,
    });
  });

  it("should end as in-doubt when nobody knows whether a call happened", async (test) => {
    leftToCi(test, language === "javascript");
    // Its time stands still, so that no lease runs out while a busy machine is at something else.
    const { log, pass } = logWithClock();
    const stop = new AbortController();
    const stuck = tool("stuck", {}, () => {
      stop.abort();
      return new Promise(() => {});
    });
    const durable = { storage: { operations: log }, id: () => "stuck" };
    const patient = sandboxExecutor(sandbox, { tools: [stuck], durable });
    expect(await patient.execute(action("sticks"), context(undefined, stop.signal).given)).toMatchObject([
      { status: "interrupted" },
    ]);
    pass(3_600_000);
    expect(await patient.execute(action("sticks"), context().given)).toMatchObject([
      { status: "in-doubt", error: { type: "InDoubt", message: expect.stringContaining("action-1:1") } },
    ]);
    expect(await executor.execute(action("named"), context().given)).toMatchObject([{ status: "error" }]);
  });
});
