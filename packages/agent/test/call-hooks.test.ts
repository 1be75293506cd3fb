import {
  combineExecutors,
  createAgent,
  nativeProtocol,
  parseRecording,
  recordRun,
  replayRun,
  stringifyRecording,
} from "@toolglot/agent";
import { type ScriptedTurn, scriptedModel } from "@toolglot/agent/testing";
import type { ToolCall, ToolResult } from "@toolglot/core";
import { tamPrompt } from "@toolglot/prompts/tam";
import { tamProtocol } from "@toolglot/tam";
import { toolkitExecutor } from "@toolglot/toolkit";
import { describe, expect, it } from "vitest";
import { bracketProtocol } from "./support/bracket-protocol.ts";
import { collect, only } from "./support/collect.ts";
import { openShop } from "./support/shop.ts";
import { recordingExecutor } from "./support/tools.ts";

const order = (id: string, amount: unknown): ScriptedTurn => [
  { type: "call", call: { id, name: "order", input: { article: "apple", amount }, protocol: "native" } },
];

function shopOptions(turns: readonly ScriptedTurn[]) {
  const { toolkit, stock } = openShop();
  const executor = combineExecutors(toolkitExecutor(toolkit));
  return { stock, options: { model: scriptedModel(turns), protocol: nativeProtocol(), executor, tools: toolkit } };
}

describe("beforeCall", () => {
  it("changes an input, which is validated again, and sees only valid ones", async () => {
    const seen: unknown[] = [];
    const { stock, options } = shopOptions([order("a", 1), order("b", 2), order("c", "many"), "Done."]);
    const beforeCall = ({ id, input }: ToolCall) => {
      seen.push(id);
      return { input: { ...(input as object), amount: id === "a" ? 10 : "none" } };
    };
    const { results } = await createAgent({ ...options, beforeCall }).run("Go").result;
    expect(results).toMatchObject([
      { status: "ok", data: 15 },
      { status: "error", error: { type: "InvalidInput" } },
      { status: "error", error: { type: "InvalidInput" } },
    ]);
    expect(seen).toEqual(["a", "b"]);
    expect(stock.get("apple")).toBe(15);
  });

  it("denies a call, and gives a result; the model reads both, and afterCall sees both", async () => {
    const { stock, options } = shopOptions([order("a", 1), order("b", 1), "Done."]);
    const after: string[] = [];
    const result: ToolResult = { callId: "", status: "ok", content: [{ type: "text", text: "As if." }] };
    const { results } = await createAgent({
      ...options,
      beforeCall: ({ id }) => (id === "a" ? { deny: "No orders today." } : { result }),
      afterCall: (call, { status }) => void after.push(`${call.id} ${status}`),
    }).run("Go").result;
    expect(results).toMatchObject([
      { callId: "a", name: "order", status: "denied" },
      { callId: "b", name: "order", status: "ok", content: [{ text: "As if." }] },
    ]);
    expect(JSON.stringify(options.model.requests[1]?.messages)).toContain("No orders today.");
    expect(after).toEqual(["a denied", "b ok"]);
    expect(stock.get("apple")).toBe(5);
  });

  it("has its say at the steps of a plan, and the approval comes after it", async () => {
    const { toolkit, stock } = openShop();
    const plan = (await import("@toolglot/tam")).tamProtocol({ prompt: tamPrompt }).formatActions(
      [
        {
          kind: "calls",
          span: { start: 0, end: 0 },
          calls: ["order", "throw_away"].map((name, index) => ({
            id: `${index}`,
            name,
            input: name === "order" ? { article: "pear", amount: 1 } : { article: "apple" },
            protocol: "tam",
          })),
        },
      ],
      { tools: toolkit.definitions() },
    );
    const log: string[] = [];
    const run = createAgent({
      model: scriptedModel([plan, "Done."]),
      protocol: tamProtocol({ prompt: tamPrompt }),
      executor: toolkitExecutor(toolkit),
      tools: toolkit,
      approve: ({ input }) => {
        log.push(`approve ${JSON.stringify(input)}`);
        return true;
      },
      beforeCall: ({ name, input }, { tool }) => {
        log.push(`before ${name} ${tool?.annotations?.destructiveHint ?? false}`);
        return name === "throw_away" ? { input: { article: "pear" } } : { input };
      },
    }).run("Go");
    expect((await run.result).results).toMatchObject([{ status: "ok" }, { status: "ok" }]);
    expect(log).toEqual(["before order false", "before throw_away true", 'approve {"article":"pear"}']);
    expect([...stock]).toEqual([["apple", 5]]);
  });
});

describe("a hook that throws", () => {
  it("stops its call with a warning for the host and neutral words for the model", async () => {
    const { stock, options } = shopOptions([order("a", 1), order("b", 1), "Done."]);
    const run = createAgent({
      ...options,
      beforeCall: ({ id }) => {
        if (id === "a") throw new Error("secret 1");
        return undefined;
      },
      afterCall: async () => {
        throw new Error("secret 2");
      },
    }).run("Go");
    const { status, results } = await run.result;
    expect(status).toBe("answered");
    expect(results).toMatchObject([{ error: { type: "HookFailed" } }, { error: { type: "HookFailed" } }]);
    expect(stock.get("apple")).toBe(6);
    expect(JSON.stringify(options.model.requests)).not.toContain("secret");
    const warnings = only(await collect(run), "warning");
    expect(new Set(warnings.map(({ code }) => code))).toEqual(new Set(["agent/hook-failed"]));
    expect(warnings.map(({ message }) => message).join()).toMatch(/secret 2.*secret 2|secret 1/);
  });
});

it("should not take an executor that does not honour hooks", () => {
  const foreign = recordingExecutor();
  const { options } = shopOptions([]);
  for (const hooks of [{ beforeCall: () => undefined }, { afterCall: () => undefined }]) {
    expect(() => createAgent({ ...options, executor: foreign, ...hooks })).toThrow(/honours hooks/);
    const joined = combineExecutors(options.executor, foreign);
    expect(() => createAgent({ ...options, executor: joined, ...hooks })).toThrow(TypeError);
  }
  expect(() => createAgent({ ...options, beforeCall: 3 as never })).toThrow("beforeCall must be a function");
});

it("a replay has the same hooks without asking anybody", async () => {
  const { toolkit } = openShop();
  let asked = 0;
  const run = recordRun(
    {
      model: scriptedModel([
        [order("a", 1), order("b", 2), order("c", 3)].flat() as ScriptedTurn,
        order("d", 1),
        "Done.",
      ]),
      protocol: nativeProtocol(),
      executor: toolkitExecutor(toolkit),
      tools: toolkit,
      beforeCall: async ({ id, input }) => {
        asked += 1;
        await new Promise((resolve) => setTimeout(resolve, 2));
        if (id === "b") throw new Error("no answer");
        return id === "c" ? { deny: "Enough." } : { input: { ...(input as object), amount: 7 } };
      },
      afterCall: (_, result) => {
        if (result.status === "denied") throw new Error("can't see to it");
        return { ...result, data: "hidden" };
      },
    },
    "Go",
  );
  const events = await collect(run);
  expect((await run.result).results).toMatchObject([
    { data: "hidden" },
    { data: "hidden", error: { type: "HookFailed" } },
    { error: { type: "HookFailed" } },
    { data: "hidden" },
  ]);
  const before = asked;
  const played = replayRun(parseRecording(stringifyRecording(run.recording)), { protocol: nativeProtocol() });
  expect(await collect(played)).toEqual(events);
  expect(played.divergence).toBeUndefined();
  expect(asked).toBe(before);
  expect(only(events, "warning").length).toBe(2);
});

it("should pass no hook on where there is none for it", async () => {
  const executor = recordingExecutor((_, { hooks }) => Object.keys(hooks ?? {}).filter((name) => /Call$/.test(name)));
  const model = scriptedModel(["[[call add {}]]", "Done."]);
  const { results } = await createAgent({ model, protocol: bracketProtocol(), executor, tools: [] }).run("Go").result;
  expect(results[0]?.data).not.toContain("beforeCall");
});
