// What an agent behind a tool uses is the run's, too.
import { createAgent, nativeProtocol, type RunSnapshot, recordRun, replayRun, summarise } from "@toolglot/agent";
import { type ScriptedTurn, scriptedModel } from "@toolglot/agent/testing";
import { ToolError } from "@toolglot/core";
import { defineTool, makeSubagentTool, Toolkit, ToolResponse, toolkitExecutor } from "@toolglot/toolkit";
import { expect, it } from "vitest";

const call = (name: string, input: object = {}) =>
  [{ type: "call", call: { id: "1", name, input, protocol: "native" } }] as never as ScriptedTurn;
const usage = { inputTokens: 1_000_000, outputTokens: 1 };
const finish = { type: "finish" as const, reason: "stop" as const, usage };

/** A toolkit, and what makes agents that follow a script with it. */
function agents() {
  const toolkit = new Toolkit();
  const agentOf = (turns: ScriptedTurn[], options: object = {}) =>
    createAgent({
      ...{
        model: scriptedModel(turns),
        protocol: nativeProtocol(),
        executor: toolkitExecutor(toolkit),
        tools: toolkit,
      },
      ...options,
    });
  return { toolkit, agentOf };
}

function open() {
  const { toolkit, agentOf } = agents();
  toolkit.registerToolFunction(
    makeSubagentTool({
      name: "helper",
      description: "d",
      args: {},
      run: async (_, { report }) => {
        const result = await agentOf([["done", finish]]).run("x").result;
        report?.({ usage: result.usage, cost: 2 });
        return result.text;
      },
    }),
  );
  toolkit.registerToolFunction(
    defineTool({
      name: "fails",
      description: "d",
      execute: (_, { report }) => {
        report?.({ usage: { inputTokens: 5 } });
        report?.({ usage: { inputTokens: 6 } });
        throw new ToolError("no");
      },
    }),
  );
  toolkit.registerToolFunction(
    defineTool({
      name: "says",
      description: "d",
      execute: () => new ToolResponse({ content: "x", metadata: { usage: { inputTokens: 7, cost: "many", more: 1 } } }),
    }),
  );
  toolkit.registerToolFunction(
    defineTool({ name: "asks", description: "d", annotations: { requiresApproval: true }, execute: () => 1 }),
  );
  return agentOf;
}

it("should count to the limits of tokens and cost, and be told apart from the run's own", async () => {
  const agentOf = open();
  const three = () => [call("helper"), call("helper"), call("helper"), "end"];
  const tokens = await agentOf(three(), { limits: { tokens: 1000 } }).run("go").result;
  expect(tokens).toMatchObject({ status: "limit", limit: "tokens", turns: 1, usage: { ...usage, cost: 2, own: {} } });
  const cost = await agentOf(three(), { limits: { cost: 3 }, price: () => 0 }).run("go").result;
  expect(cost).toMatchObject({ status: "limit", limit: "cost", turns: 2, usage: { cost: 4 } });
  const own = [[...(call("helper") as []), { ...finish, reason: "calls" as const, usage: { inputTokens: 10 } }], "end"];
  const both = await agentOf(own as ScriptedTurn[]).run("go").result;
  expect(both.usage).toEqual({ inputTokens: 1_000_010, outputTokens: 1, cost: 2, own: { inputTokens: 10 } });
});

it("should count a run, or its result, that a tool returns as it is, and read its answer or why there is none", async () => {
  const { toolkit, agentOf } = agents();
  const child = (options: object = {}) => agentOf([["done", finish]], options).run("x");
  const about = { description: "d", args: {} };
  toolkit.registerToolFunction(makeSubagentTool({ ...about, name: "run", run: () => child() }));
  toolkit.registerToolFunction(makeSubagentTool({ ...about, name: "result", run: () => child().result }));
  toolkit.registerToolFunction(
    makeSubagentTool({ ...about, name: "later", run: async () => ({ ...(await child().result), status: "limit" }) }),
  );
  const run = agentOf([call("run"), call("result"), call("later"), "end"]).run("go");
  let events = 0;
  for await (const { type } of run) if (type === "tool-call-progress") events += 1;
  const { usage: sums, results } = await run.result;
  expect(sums).toEqual({ inputTokens: 3_000_000, outputTokens: 3, own: {} });
  expect(results.map(({ status, data, error }) => [status, data ?? error?.message])).toEqual([
    ["ok", "done"],
    ["ok", "done"],
    ["error", 'The agent behind "later" did not come to an end: limit.'],
  ]);
  expect(events).toBeGreaterThan(2);
});

it("should count what a tool used that failed, and what a result says; never what is no number", async () => {
  const agentOf = open();
  const { usage: sums, results } = await agentOf([call("fails"), call("says"), "end"]).run("go").result;
  expect(sums).toEqual({ inputTokens: 18, own: {} });
  expect(results[0]).toMatchObject({ status: "error", metadata: { usage: { inputTokens: 11 } } });
});

it("should be there once after a run was cut off or waited", async () => {
  const agentOf = open();
  const two = [
    ...(call("helper") as []),
    { type: "call", call: { id: "2", name: "asks", input: {}, protocol: "native" } },
  ];
  const first = await agentOf([two as never], { approve: () => "later" }).run("go").result;
  expect(first.status).toBe("waiting");
  const run = await agentOf(["end"], { approve: () => true }).resume(first.snapshot as RunSnapshot);
  expect((await run.result).usage).toMatchObject({ ...usage, cost: 2 });
  const { lines } = run.snapshot();
  const cut = lines.slice(0, lines.findIndex((line) => line.includes('"type":"results"')) + 1);
  const again = await agentOf(["end"]).resume({ version: 1, runId: run.runId, lines: cut });
  expect((await again.result).usage).toMatchObject({ ...usage, cost: 2 });
});

it("should be refused where a tool tells it wrongly", async () => {
  const toolkit = new Toolkit();
  toolkit.registerToolFunction(
    defineTool({
      name: "t",
      description: "d",
      execute: (_, { report }) => report?.({ usage: { tokens: 5 } as never }),
    }),
  );
  for await (const { error } of toolkit.callToolFunction({ name: "t", input: {} }))
    expect(error?.message).toMatch(/no option "tokens"/);
});

it("should count what a summary used, once, also when it is of no use, and a replay counts the same", async () => {
  const usage = { inputTokens: 700, outputTokens: 30 };
  for (const [words, reason] of [
    ["A summary.", "stop"],
    ["Half", "filter"],
  ] as const) {
    const writer = scriptedModel([[words, { type: "finish", reason, usage }]]);
    const toolkit = new Toolkit();
    toolkit.registerToolFunction(
      defineTool({
        ...{ name: "page", description: "d", args: { n: "number" }, annotations: { readOnlyHint: true } },
        execute: ({ n }) => `${n} ${"x".repeat(1500)}`,
      }),
    );
    const options = {
      model: scriptedModel([...Array.from({ length: 8 }, (_, n) => call("page", { n })), ["done", finish]]),
      protocol: nativeProtocol(),
      executor: toolkitExecutor(toolkit),
      tools: toolkit,
      context: { window: 4000, reserve: 500, compact: summarise({ model: writer, keepTurns: 2 }) },
    };
    const run = recordRun(options, "Go");
    const result = await run.result;
    expect([result.status, writer.requests.length]).toEqual(["answered", 1]);
    expect(result.usage.inputTokens).toBe(1_000_000 + 700);
    expect(result.usage.own?.inputTokens).toBe(1_000_000);
    const played = replayRun(run.recording, { protocol: nativeProtocol() });
    expect((await played.result).usage).toEqual(result.usage);
  }
});
