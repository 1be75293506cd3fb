import { type AgentOptions, createAgent, nativeProtocol, type ResumeOptions, type RunSnapshot } from "@toolglot/agent";
import { type ScriptedTurn, scriptedModel } from "@toolglot/agent/testing";
import type { Action, ToolCall, ToolResult } from "@toolglot/core";
import { MemoryOperationLog } from "@toolglot/core/operation-log";
import { tamPrompt } from "@toolglot/prompts/tam";
import { createSandbox, sandboxExecutor } from "@toolglot/sandbox";
import { tamProtocol } from "@toolglot/tam";
import { defineTool, Toolkit, toolkitExecutor } from "@toolglot/toolkit";
import { afterAll, describe, expect, it } from "vitest";
import { bracketProtocol } from "../support/bracket-protocol.ts";
import { collect, only } from "../support/collect.ts";
import { definitions, recordingExecutor } from "../support/tools.ts";

const call = (id: string, name: string): { type: "call"; call: ToolCall } => ({
  type: "call",
  call: { id, name, input: { a: 1 }, protocol: "native" },
});

/** A run's log up to the first line that a test stops at, as its process would have left it. */
async function logUntil(
  options: Omit<AgentOptions, "model">,
  turns: readonly ScriptedTurn[],
  stopsAt: (line: { type: string; callId?: string }) => boolean,
): Promise<RunSnapshot> {
  const run = createAgent({ ...options, model: scriptedModel(turns) }).run("Go");
  await run.result;
  const { lines, ...rest } = run.snapshot();
  const end = lines.findIndex((line) => stopsAt(JSON.parse(line) as { type: string }));
  return { ...rest, lines: lines.slice(0, end + 1) };
}

async function goOn(options: Omit<AgentOptions, "model">, saved: RunSnapshot, how: ResumeOptions = {}) {
  const model = scriptedModel(["Done."]);
  const run = await createAgent({ ...options, model }).resume(saved, how);
  const { status, results } = await run.result;
  expect(status).toBe("answered");
  return { results, model, doubts: only(await collect(run), "call-in-doubt").map(({ callId }) => callId) };
}

function bank() {
  const made: string[] = [];
  const toolkit = new Toolkit();
  for (const [name, annotations] of [
    ["pay", {}],
    ["look", { readOnlyHint: true }],
    ["mark", { idempotentHint: true }],
  ] as const) {
    const execute = (): number => made.push(name);
    toolkit.registerToolFunction(defineTool({ name, description: name, args: { a: "integer" }, annotations, execute }));
  }
  const options = { protocol: nativeProtocol(), executor: toolkitExecutor(toolkit), tools: toolkit };
  return { made, toolkit, options };
}

describe("a call that was under way", () => {
  it("is in doubt unless its tool may run twice; those before keep their results, those behind run", async () => {
    const { made, options } = bank();
    const names = ["look", "mark", "pay", "pay"];
    const calls: ScriptedTurn = names.map((name, index) => call(`${index}`, name));
    for (const [under, ran, statuses] of [
      ["1", ["look", "mark", "pay", "pay"], ["ok", "ok", "ok", "ok"]],
      ["2", ["look", "pay"], ["ok", "ok", "in-doubt", "ok"]],
      ["3", ["look"], ["ok", "ok", "ok", "in-doubt"]],
    ] as const) {
      const saved = await logUntil(
        options,
        [calls, "Done."],
        ({ type, callId }) => type === "call-start" && callId === under,
      );
      made.length = 0;
      const { results, doubts, model } = await goOn(options, saved);
      expect(results.map(({ status }) => status)).toEqual(statuses);
      expect(made).toEqual(ran);
      expect(doubts).toEqual(results.filter(({ status }) => status === "in-doubt").map(({ callId }) => callId));
      if (doubts.length > 0) expect(JSON.stringify(model.requests[0])).toContain("may or may not have taken effect");
    }
  });

  it("is what the host says of it", async () => {
    const { made, options } = bank();
    const saved = await logUntil(options, [[call("0", "pay")], "Done."], ({ type }) => type === "call-start");
    made.length = 0;
    const result: ToolResult = { callId: "0", status: "ok", content: [{ type: "text", text: "Paid, says the bank." }] };
    const told = await goOn(options, saved, { settle: { 0: result } });
    expect(told).toMatchObject({
      results: [{ status: "ok", content: [{ text: "Paid, says the bank." }] }],
      doubts: [],
    });
    expect(made).toEqual([]);
    expect(await goOn(options, saved, { settle: { 0: "rerun" } })).toMatchObject({
      results: [{ data: 1 }],
      doubts: [],
    });
    expect(made).toEqual(["pay"]);
  });

  it("of an executor without hooks is in doubt with all calls of its action that have effects", async () => {
    const executor = recordingExecutor();
    const options = { protocol: nativeProtocol(), executor, tools: definitions };
    const calls: ScriptedTurn = [call("0", "store"), call("1", "add"), call("2", "store")];
    const saved = await logUntil(options, [calls, "Done."], ({ callId }) => callId === "2");
    executor.ran.length = 0;
    const { results, doubts } = await goOn(options, saved);
    expect(results.map(({ status }) => status)).toEqual(["in-doubt", "ok", "in-doubt"]);
    expect(doubts).toEqual(["0", "2"]);
    expect(executor.ran).toMatchObject([{ calls: [{ id: "1" }] }]);
  });
});

describe("a plan that was under way", () => {
  const plan = (requestId?: string): string => {
    const steps = ["pay", "pay", "pay"].map((tool, at) => ({
      ...{
        index: at + 1,
        callId: "",
        tool,
        params: { a: at },
        uris: {},
        onError: "stop" as const,
        retry: 0,
        errors: [],
      },
      span: { start: 0, end: 0 },
    }));
    const action: Action = {
      kind: "plan",
      plan: { common: {}, steps },
      span: { start: 0, end: 0 },
    };
    const text = tamProtocol({ prompt: tamPrompt }).formatActions([action], { tools: bank().toolkit.definitions() });
    return requestId === undefined ? text : text.replace(/^command/m, `request_id:»»»${requestId}«««\ncommand`);
  };
  const isSecond = ({ type, callId }: { type: string; callId?: string }): boolean =>
    type === "call-start" && callId === "call_1";

  it("keeps the results of its steps, and stops at the one in doubt", async () => {
    const { made, options: given } = bank();
    const options = { ...given, protocol: tamProtocol({ prompt: tamPrompt }) };
    for (const requestId of [undefined, "req"]) {
      const saved = await logUntil(
        { ...options, executor: bank().options.executor },
        [plan(requestId), "Done."],
        isSecond,
      );
      made.length = 0;
      const { results } = await goOn(options, saved);
      expect(results.map(({ status, error }) => error?.type ?? status)).toEqual(["ok", "InDoubt", "NotRun"]);
      expect(made).toEqual([]);
    }
  });

  it("is what a durable log says of it, where there is one", async () => {
    const { made, toolkit, options } = bank();
    const log = Object.assign(new MemoryOperationLog(), { durability: "disk" as const });
    const executor = toolkitExecutor(toolkit, { storage: { operations: log } });
    const durable = { ...options, protocol: tamProtocol({ prompt: tamPrompt }), executor };
    // Its process died when all steps had run, and the session knew of the first alone.
    const saved = await logUntil(durable, [plan("req"), "Done."], isSecond);
    expect(made).toHaveLength(3);
    const { results, doubts } = await goOn(durable, saved);
    expect(results.map(({ status }) => status)).toEqual(["ok", "ok", "ok"]);
    expect(doubts).toEqual([]);
    expect(made).toHaveLength(3);
  });
});

describe("a program that was under way", () => {
  const sandbox = createSandbox({ language: "javascript" });
  afterAll(() => sandbox[Symbol.asyncDispose]());
  /** The bracket protocol with programs of JavaScript. */
  const bracket = bracketProtocol();
  const protocol = {
    ...bracket,
    actions: (block: Parameters<typeof bracket.actions>[0]) =>
      bracket
        .actions(block)
        .map((action) => (action.kind === "code" ? { ...action, language: "javascript" as const } : action)),
  };

  it("runs again when it names no tool with effects, else it is in doubt", async () => {
    const { made, toolkit } = bank();
    const executor = sandboxExecutor(sandbox, { tools: () => toolkit.tools() });
    const options = { protocol, executor, tools: toolkit };
    for (const [tool, status] of [
      ["look", "ok"],
      ["pay", "in-doubt"],
    ] as const) {
      const turns = [`[[python return await ${tool}({ a: 1 });]]`, "Done."];
      const saved = await logUntil(options, turns, ({ type }) => type === (tool === "look" ? "answer" : "call-start"));
      made.length = 0;
      const { results } = await goOn(options, saved);
      expect(results).toMatchObject([{ callId: "call_0", status }]);
      expect(made).toEqual(status === "ok" ? ["look"] : []);
    }
  });

  it("goes on by its own journal, where it has one", async () => {
    const { made, toolkit } = bank();
    const durable = {
      storage: { operations: Object.assign(new MemoryOperationLog(), { durability: "disk" as const }) },
    };
    const executor = sandboxExecutor(sandbox, { tools: () => toolkit.tools(), durable });
    const options = { protocol, executor, tools: toolkit };
    const turns = ["[[python return [await pay({ a: 1 }), await pay({ a: 2 })];]]", "Done."];
    const saved = await logUntil(options, turns, ({ type }) => type === "call-start");
    expect(made).toEqual(["pay", "pay"]);
    const { results, doubts } = await goOn(options, saved);
    expect(results).toMatchObject([{ status: "ok", data: [1, 2] }]);
    expect(made).toEqual(["pay", "pay"]);
    expect(doubts).toEqual([]);
  });

  it("waits for a decision in its journal, and goes on with it", async () => {
    const { made, toolkit } = bank();
    const ask = defineTool({
      name: "ask",
      description: "Asks first.",
      args: { a: "integer" },
      annotations: { requiresApproval: true },
      execute: () => made.push("ask"),
    });
    toolkit.registerToolFunction(ask);
    const durable = { storage: { operations: new MemoryOperationLog() }, parkAfterMs: 0 };
    const executor = sandboxExecutor(sandbox, { tools: () => toolkit.tools(), durable });
    const options = { protocol, executor, tools: toolkit };
    const model = scriptedModel(["[[python return [await pay({ a: 1 }), await ask({ a: 2 })];]]"]);
    const run = createAgent({ ...options, model, approve: () => "later" }).run("Go");
    const first = await run.result;
    expect(first).toMatchObject({ status: "waiting", pending: [{ callId: "call_0:2", tool: "ask" }], results: [] });
    const { results } = await goOn(options, first.snapshot as RunSnapshot, {
      decisions: { "call_0:2": { approved: true } },
      allowUnbound: true,
    });
    expect(results).toMatchObject([{ status: "ok", data: [1, 2] }]);
    expect(made).toEqual(["pay", "ask"]);
  });
});
