import { type AgentOptions, createAgent, nativeProtocol, type RunSnapshot } from "@toolglot/agent";
import { type ScriptedTurn, scriptedModel } from "@toolglot/agent/testing";
import type { ToolCall } from "@toolglot/core";
import { tamPrompt } from "@toolglot/prompts/tam";
import { tamProtocol } from "@toolglot/tam";
import { defineTool, Toolkit, toolkitExecutor } from "@toolglot/toolkit";
import { describe, expect, it } from "vitest";
import { bracketProtocol } from "../support/bracket-protocol.ts";
import { collect, only } from "../support/collect.ts";
import { manualRuntime } from "../support/manual-runtime.ts";
import { memoryRuns } from "../support/memory-runs.ts";
import { definitions, recordingExecutor } from "../support/tools.ts";

const call = (id: string, name: string, input: unknown = {}): { type: "call"; call: ToolCall } => ({
  type: "call",
  call: { id, name, input, protocol: "native" },
});

function openBank() {
  const made: string[] = [];
  const toolkit = new Toolkit();
  const tool = (name: string, annotations: object): unknown =>
    toolkit.registerToolFunction(
      defineTool({
        name,
        description: `Does ${name}.`,
        args: { n: "integer" },
        annotations,
        execute: ({ n }) => made.push(`${name} ${n}`),
      }),
    );
  tool("look", { readOnlyHint: true });
  tool("pay", {});
  tool("mark", { idempotentHint: true });
  tool("guarded", { requiresApproval: true });
  const base = { protocol: nativeProtocol(), executor: toolkitExecutor(toolkit), tools: toolkit };
  const agentOf = (turns: readonly ScriptedTurn[], more: Partial<AgentOptions> = {}) => {
    const model = scriptedModel(turns);
    return { model, agent: createAgent({ ...base, model, ...more }) };
  };
  return { made, toolkit, agentOf };
}

const actions: ScriptedTurn = [
  call("a", "look", { n: 1 }),
  call("b", "pay", { n: 2 }),
  call("c", "guarded", { n: 3 }),
  call("d", "pay", { n: 4 }),
];

describe("a decision that comes later", () => {
  const later = { approve: () => "later" as const };

  it("ends the run as waiting, when all other calls of the action have run", async () => {
    const { made, agentOf } = openBank();
    const run = agentOf([actions], later).agent.run("Go");
    const result = await run.result;
    expect(result).toMatchObject({
      status: "waiting",
      denied: 0,
      pending: [{ kind: "tool-call", callId: "c", tool: "guarded", input: { n: 3 } }],
      results: [{ callId: "a" }, { callId: "b" }, { callId: "d" }],
      snapshot: { version: 1, runId: run.runId },
    });
    expect(made).toEqual(["look 1", "pay 2", "pay 4"]);
    expect(run.snapshot()).toEqual(result.snapshot);
    expect(only(await collect(run), "approval-response")).toMatchObject([
      { decision: { approved: false, later: true } },
    ]);
    expect(only(await collect(run), "action-end")).toEqual([]);
  });

  it.each([true, false])("goes on from its snapshot with the decision (approved: %s)", async (approved) => {
    const { made, agentOf } = openBank();
    const first = await agentOf([actions], later).agent.run("Go").result;
    made.length = 0;
    const { agent, model } = agentOf(["Done."]);
    const saved = JSON.parse(JSON.stringify(first.snapshot)) as RunSnapshot;
    const run = await agent.resume(saved, {
      decisions: { c: { approved, reason: "So it is.", fingerprint: first.pending?.[0]?.fingerprint as string } },
    });
    const result = await run.result;
    expect(run.runId).toBe(first.runId);
    expect(result).toMatchObject({ status: "answered", text: "Done.", turns: 2, denied: approved ? 0 : 1 });
    expect(result.results.map(({ callId, status }) => `${callId} ${status}`)).toEqual([
      "a ok",
      "b ok",
      approved ? "c ok" : "c denied",
      "d ok",
    ]);
    expect(made).toEqual(approved ? ["guarded 3"] : []);
    const events = await collect(run);
    expect(events[0]).toMatchObject({ type: "run-resume", runId: first.runId, from: "approval" });
    expect(events.at(-1)?.type).toBe("run-end");
    // The model gets the call with one result for each, in order.
    const parts = model.requests[0]?.messages.flatMap((message) => message.parts) ?? [];
    expect(parts.flatMap((part) => (part.type === "result" ? [part.result.callId] : []))).toEqual(["a", "b", "c", "d"]);
    expect(result.transcript.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"]);
  });

  it("is asked for again when it is missing, and may come later still", async () => {
    const { made, agentOf } = openBank();
    const first = await agentOf([actions], later).agent.run("Go").result;
    const second = await (await agentOf([], later).agent.resume(first.snapshot as RunSnapshot)).result;
    expect(second).toMatchObject({ status: "waiting", pending: [{ callId: "c" }], results: [{}, {}, {}] });
    const asked: unknown[] = [];
    const { agent } = agentOf(["Done."], { approve: ({ input }) => asked.push(input) > 0 });
    await (await agent.resume(second.snapshot as RunSnapshot)).result;
    expect(asked).toEqual([{ n: 3 }]);
    expect(made).toEqual(["look 1", "pay 2", "pay 4", "guarded 3"]);
  });

  it("counts for the call that was asked about alone", async () => {
    const { made, agentOf } = openBank();
    const first = await agentOf([actions], later).agent.run("Go").result;
    const asked: unknown[] = [];
    const { agent } = agentOf(["Done."], {
      beforeCall: ({ name, input }) => (name === "guarded" ? { input: { n: 99 } } : { input }),
      approve: ({ input }) => asked.push(input) < 0,
    });
    const run = await agent.resume(first.snapshot as RunSnapshot, {
      decisions: { c: { approved: true } },
      allowUnbound: true,
    });
    expect((await run.result).denied).toBe(1);
    expect(asked).toEqual([{ n: 99 }]);
    expect(made).toEqual(["look 1", "pay 2", "pay 4"]);
  });

  it("should be refused for a call that waits for none", async () => {
    const { agentOf } = openBank();
    const first = await agentOf([actions], later).agent.run("Go").result;
    const { agent } = agentOf([]);
    const resume = (options: object) => agent.resume(first.snapshot as RunSnapshot, options);
    await expect(resume({ decisions: { d: { approved: true } }, allowUnbound: true })).rejects.toThrow(
      /"d".*they are c\./,
    );
    await expect(resume({ settle: { c: "rerun" } })).rejects.toThrow(TypeError);
    await expect(resume({ decision: {} })).rejects.toThrow(/decisions/);
    await expect(agent.resume("run_1")).rejects.toThrow(/storage/);
  });

  it("is a denial where a call can't wait", async () => {
    const model = scriptedModel(["[[call remove {}]]", "Ok."]);
    const executor = recordingExecutor();
    const agent = createAgent({ model, protocol: bracketProtocol(), executor, tools: definitions, ...later });
    const { status, denied, results } = await agent.run("Go").result;
    expect({ status, denied, results }).toMatchObject({
      status: "answered",
      denied: 1,
      results: [{ status: "denied" }],
    });
    expect(JSON.stringify(model.requests[1])).toContain("can't wait");
  });

  it("holds up the steps of a plan behind it, which run afterwards", async () => {
    for (const requestId of [undefined, "req-1"]) {
      const { made, toolkit, agentOf } = openBank();
      const protocol = tamProtocol({ prompt: tamPrompt });
      const names = ["pay", "guarded", "pay"];
      const plan = {
        common: {},
        steps: names.map((tool, at) => ({
          ...{
            index: at + 1,
            callId: "",
            tool,
            params: { n: at },
            uris: {},
            onError: "stop" as const,
            retry: 0,
            errors: [],
          },
          span: { start: 0, end: 0 },
        })),
      };
      const written = protocol.formatActions([{ kind: "plan", plan, span: { start: 0, end: 0 } }], {
        tools: toolkit.definitions(),
      });
      const text = requestId ? written.replace(/^command/m, `request_id:»»»${requestId}«««\ncommand`) : written;
      const first = await agentOf([text], { ...later, protocol }).agent.run("Go").result;
      expect(first).toMatchObject({ status: "waiting", results: [{ status: "ok" }] });
      expect(made).toEqual(["pay 0"]);
      const run = await agentOf(["Done."], { protocol }).agent.resume(first.snapshot as RunSnapshot, {
        decisions: { [first.pending?.[0]?.callId ?? ""]: { approved: true } },
        allowUnbound: true,
      });
      expect((await run.result).results.map(({ status }) => status)).toEqual(["ok", "ok", "ok"]);
      expect(made).toEqual(["pay 0", "guarded 1", "pay 2"]);
    }
  });

  it("can be about a block that was copied", async () => {
    const block = "[[call store {}]]";
    const executor = recordingExecutor(() => block);
    const options = { protocol: bracketProtocol(), executor, tools: definitions };
    const agent = createAgent({ ...options, model: scriptedModel(["[[call add {}]]", block]), ...later });
    const first = await agent.run("Go").result;
    expect(first).toMatchObject({ status: "waiting", pending: [{ kind: "echoed-block", callId: "call_1" }] });
    const again = createAgent({ ...options, model: scriptedModel(["Done."]) });
    const run = await again.resume(first.snapshot as RunSnapshot, {
      decisions: { call_1: { approved: true } },
      allowUnbound: true,
    });
    expect(await run.result).toMatchObject({
      status: "answered",
      results: [{ status: "ok" }, { callId: "call_1", status: "ok" }],
    });
  });
});

describe("a run that is gone on with", () => {
  it("has its counters, its call ids, and what is said to it", async () => {
    const { agentOf } = openBank();
    const usage = { inputTokens: 5, outputTokens: 2 };
    const finish = { type: "finish" as const, reason: "calls" as const, usage };
    const turns = [
      [call("x", "look", { n: 1 }), finish],
      [call("x", "guarded", { n: 1 }), finish],
    ];
    const price = { price: () => 3 };
    const first = await agentOf(turns, { ...price, approve: () => "later" }).agent.run("Go").result;
    expect(first).toMatchObject({ status: "waiting", turns: 2, usage: { cost: 6, inputTokens: 10 } });
    const callId = first.pending?.[0]?.callId as string;
    expect(callId).not.toBe("x");
    const { agent, model } = agentOf([[call("x", "look", { n: 2 }), finish], [call("y", "look", { n: 3 })]], {
      ...price,
      limits: { turns: 4, cost: 100 },
    });
    const run = await agent.resume(first.snapshot as RunSnapshot, {
      decisions: { [callId]: { approved: true } },
      allowUnbound: true,
      steer: "Be quick.",
    });
    const result = await run.result;
    expect(result).toMatchObject({ status: "limit", limit: "turns", turns: 4, usage: { cost: 9, inputTokens: 15 } });
    expect(new Set(result.results.map((one) => one.callId)).size).toBe(4);
    expect(result.steps.map(({ stepIndex }) => stepIndex)).toEqual([0, 1, 2, 3]);
    expect(JSON.stringify(model.requests[0]?.messages.at(-1))).toContain("Be quick.");
  });

  it("should be refused w/ another protocol, when it has ended, and when there is none", async () => {
    const { agentOf } = openBank();
    const storage = memoryRuns();
    const { agent } = agentOf(["Hello."], { storage });
    const run = agent.run("Hi", { runId: "r1" });
    await run.result;
    await expect(agent.resume("r1")).rejects.toMatchObject({ code: "agent/session-ended" });
    await expect(agent.resume(run.snapshot())).rejects.toMatchObject({ code: "agent/session-ended" });
    await expect(agent.resume("r2")).rejects.toMatchObject({ code: "agent/session-unknown" });
    const tam = createAgent({
      ...optionsOf(openBank()),
      protocol: tamProtocol({ prompt: tamPrompt }),
      storage,
    });
    storage.runs.set("r1", storage.runs.get("r1")?.slice(0, 1) ?? []);
    await expect(tam.resume("r1")).rejects.toMatchObject({
      code: "agent/session-mismatch",
      data: { protocol: "native/1" },
    });
  });

  it("has the time in which processes lived", async () => {
    const { agentOf } = openBank();
    const runtime = manualRuntime();
    const limits = { timeMs: 100 };
    const slow = (ms: number) => () => {
      runtime.pass(ms);
      return [call("g", "guarded", { n: 1 })];
    };
    const first = await agentOf([slow(60)], { runtime, limits, approve: () => "later" }).agent.run("Go").result;
    expect(first.status).toBe("waiting");
    runtime.pass(3_600_000);
    const again = (ms: number) => agentOf([slow(ms), "Done."], { runtime, limits, approve: () => true });
    const how = { decisions: { g: { approved: true } }, allowUnbound: true };
    expect(await (await again(39).agent.resume(first.snapshot as RunSnapshot, how)).result).toMatchObject({
      status: "answered",
    });
    expect(await (await again(41).agent.resume(first.snapshot as RunSnapshot, how)).result).toMatchObject({
      limit: "time",
    });
  });

  it("gives a plan its bytes back", async () => {
    const { toolkit, agentOf } = openBank();
    const got: unknown[] = [];
    toolkit.registerToolFunction(
      defineTool({
        name: "store",
        description: "Stores bytes.",
        input: { type: "object", properties: { data: {} } },
        annotations: { requiresApproval: true },
        execute: ({ data }: { data?: unknown }) => got.push(data),
      }),
    );
    const protocol = tamProtocol({ prompt: tamPrompt });
    const bytes = new Uint8Array([1, 2, 255]);
    const step = { index: 1, callId: "", tool: "store", params: { data: bytes }, uris: {}, onError: "stop" as const };
    const plan = { common: {}, steps: [{ ...step, retry: 0, errors: [], span: { start: 0, end: 0 } }] };
    const text = protocol.formatActions([{ kind: "plan", plan, span: { start: 0, end: 0 } }], {
      tools: toolkit.definitions(),
    });
    const first = await agentOf([text], { protocol, approve: () => "later" }).agent.run("Go").result;
    const saved = JSON.parse(JSON.stringify(first.snapshot)) as RunSnapshot;
    await (await agentOf(["Done."], { protocol, approve: () => true }).agent.resume(saved)).result;
    expect(got).toEqual([bytes]);
  });

  it("can be gone on with again when its tools could not be read", async () => {
    const storage = memoryRuns();
    const { agentOf, toolkit } = openBank();
    await agentOf([actions], { storage, approve: () => "later" }).agent.run("Go", { runId: "r" }).result;
    const tools = (): never => {
      throw new Error("server gone");
    };
    const failed = await (await agentOf([], { storage, tools }).agent.resume("r")).result;
    expect(failed).toMatchObject({ status: "error", error: { code: "agent/tools-failed" } });
    const run = await agentOf(["Done."], { storage, tools: toolkit, approve: () => true }).agent.resume("r");
    expect((await run.result).status).toBe("answered");
    const fresh = agentOf([], { storage, tools }).agent.run("Go", { runId: "s" });
    expect((await fresh.result).status).toBe("error");
    expect(storage.runs.has("s")).toBe(false);
  });

  it("knows the calls that lead nowhere from before", async () => {
    const { agentOf } = openBank();
    const same = [call("s", "look", { n: 1 })];
    const turns = [same, same, same, [call("g", "guarded", { n: 1 })]];
    // What gives the same again and again, as the made list does not.
    const afterCall = { afterCall: (_: ToolCall, result: object) => ({ ...result, data: 1 }) as never };
    const first = await agentOf(turns, { ...afterCall, approve: () => "later" }).agent.run("Go").result;
    const run = await agentOf([same], afterCall).agent.resume(first.snapshot as RunSnapshot, {
      decisions: { g: { approved: true } },
      allowUnbound: true,
    });
    expect(await run.result).toMatchObject({ status: "limit", limit: "repeats" });
  });
});

function optionsOf({ toolkit }: ReturnType<typeof openBank>) {
  return { executor: toolkitExecutor(toolkit), tools: toolkit, model: scriptedModel([]) };
}
