import { createAgent, nativeProtocol, parseRecording, recordRun, replayRun, stringifyRecording } from "@toolglot/agent";
import { scriptedModel } from "@toolglot/agent/testing";
import type { ModelPart } from "@toolglot/core";
import { toolkitExecutor } from "@toolglot/toolkit";
import { describe, expect, it } from "vitest";
import { collect, only } from "./support/collect.ts";
import { openShop } from "./support/shop.ts";

const call = (id: string, name: string, input: unknown): ModelPart => ({
  type: "call",
  call: { id, name, input, protocol: "native" },
});

const conversation: (string | ModelPart[])[] = [
  ["Let me look.", call("a", "count_stock", '{"article":"apple"}'), call("b", "count_stock", { article: "pear" })],
  [call("c", "order", { article: "pear", amount: "3" }), call("d", "throw_away", { article: "apple" })],
  [call("e", "order", { article: "pear" }), call("f", "sell", {})],
  "There are 5 pears now.",
];

describe("native calls on a toolkit", () => {
  it("run for real, each with its own result", async () => {
    const { toolkit, stock, tools } = openShop();
    const agent = createAgent({
      model: scriptedModel(conversation),
      protocol: nativeProtocol(),
      executor: toolkitExecutor(toolkit),
      tools,
    });
    const run = agent.run("Tidy the shop up.");
    const result = await run.result;
    expect(result).toMatchObject({ status: "answered", text: "There are 5 pears now.", denied: 1, turns: 4 });
    expect(result.results.map(({ callId, status }) => `${callId} ${status}`)).toEqual([
      "a ok",
      "b ok",
      "c ok",
      "d denied",
      "e error",
      "f error",
    ]);
    expect([...stock]).toEqual([
      ["apple", 5],
      ["pear", 5],
    ]);
    const events = await collect(run);
    expect(only(events, "tool-call-start").map(({ callId }) => callId)).toEqual(["a", "b", "c", "d", "e", "f"]);
    expect(
      only(events, "tool-call-end")
        .map(({ callId }) => callId)
        .sort(),
    ).toEqual(["a", "b", "c", "d", "e", "f"]);
  });

  it("give the same events when they are replayed, and touch nothing", async () => {
    const { toolkit, stock, tools } = openShop();
    const recorded = recordRun(
      {
        model: scriptedModel(conversation),
        protocol: nativeProtocol(),
        executor: toolkitExecutor(toolkit),
        tools,
        approve: async ({ tool }) => ({ approved: tool === "throw_away", by: "the owner" }),
      },
      "Tidy the shop up.",
    );
    const events = await collect(recorded);
    expect([...stock.keys()]).toEqual(["pear"]);
    const before = [...stock];
    const played = replayRun(parseRecording(stringifyRecording(recorded.recording)), { protocol: nativeProtocol() });
    expect(await collect(played)).toEqual(events);
    expect(played.divergence).toBeUndefined();
    expect([...stock]).toEqual(before);
  });
});
