import type { ModelPart } from "@toolglot/core";
import { describe, expect, it } from "vitest";
import { collect, only } from "./support/collect.ts";
import { manualRuntime } from "./support/manual-runtime.ts";
import { setUp } from "./support/set-up.ts";
import { recordingExecutor } from "./support/tools.ts";

describe("limits", () => {
  it("end a run that takes too many turns", async () => {
    const { agent, model } = setUp(
      Array.from({ length: 9 }, (_, index) => `[[call add {"a":${index}}]]`),
      { limits: { turns: 4 } },
    );
    expect(await agent.run("Go").result).toMatchObject({ status: "limit", limit: "turns", turns: 4 });
    expect(model.requests).toHaveLength(4);
  });

  it("have a default number of turns", async () => {
    const { agent } = setUp(Array.from({ length: 40 }, (_, index) => `[[call add {"a":${index}}]]`));
    expect(await agent.run("Go").result).toMatchObject({ status: "limit", limit: "turns", turns: 16 });
  });

  it("end a run that repeats itself", async () => {
    const { agent, executor } = setUp(Array(9).fill('[[call add {"a":1,"b":2}]]'));
    expect(await agent.run("Go").result).toMatchObject({ status: "limit", limit: "repeats" });
    expect(executor.ran).toHaveLength(3);
  });

  it("end a run by the tokens that the provider counts", async () => {
    const step = (text: string): ModelPart[] => [
      text,
      { type: "finish", reason: "stop", usage: { inputTokens: 60, outputTokens: 10 } },
    ];
    const { agent } = setUp([step("[[call add {}]]"), step('[[call add {"a":1}]]'), step("Done.")], {
      limits: { tokens: 100 },
    });
    expect(await agent.run("Go").result).toMatchObject({
      status: "limit",
      limit: "tokens",
      turns: 2,
      usage: { inputTokens: 120, outputTokens: 20 },
    });
  });

  it("reckon tokens where the provider counts none", async () => {
    const { agent } = setUp([`[[call add {"x":"${"a".repeat(900)}"}]]`, "Done."], { limits: { tokens: 300 } });
    expect(await agent.run("Go").result).toMatchObject({ status: "limit", limit: "tokens", turns: 1, usage: {} });
  });

  it("end a run out of time, with interrupted results, and abort what runs", async () => {
    const runtime = manualRuntime();
    let signal: AbortSignal | undefined;
    const executor = recordingExecutor((_call, context) => {
      signal = context.signal;
      return new Promise((_resolve, reject) =>
        context.signal.addEventListener("abort", () => reject(new Error("aborted"))),
      );
    });
    const { agent } = setUp(["[[call add {}]]"], { executor, runtime, limits: { timeMs: 5000 } });
    const run = agent.run("Go");
    const events = collect(run);
    await runtime.until(() => signal !== undefined);
    runtime.pass(4999);
    expect(signal?.aborted).toBe(false);
    runtime.pass(1);
    expect(signal?.aborted).toBe(true);
    expect(await run.result).toMatchObject({ status: "limit", limit: "time", results: [{ status: "error" }] });
    expect(only(await events, "run-abort")).toMatchObject([{ cause: "limit", limit: "time" }]);
  });

  it("should not count the time that people take", async () => {
    const runtime = manualRuntime();
    let decide: ((approved: boolean) => void) | undefined;
    const { agent } = setUp(["[[call remove {}]]", "Removed."], {
      runtime,
      limits: { timeMs: 1000 },
      approve: () => new Promise((resolve) => (decide = resolve)),
    });
    const run = agent.run("Go");
    await runtime.until(() => decide !== undefined);
    runtime.pass(60_000);
    decide?.(true);
    expect(await run.result).toMatchObject({ status: "answered", text: "Removed." });
  });

  it("leave an executor behind that does not stop", async () => {
    const runtime = manualRuntime();
    let started = false;
    const executor = {
      handles: () => true,
      execute: () => {
        started = true;
        return new Promise<never>(() => undefined);
      },
    };
    const controller = new AbortController();
    const { agent } = setUp(["[[call store {}]]"], { executor, runtime });
    const run = agent.run("Go", { signal: controller.signal });
    await runtime.until(() => started);
    controller.abort();
    await runtime.until(() => runtime.waiting("stop-grace"));
    runtime.pass(1000);
    const result = await run.result;
    expect(result).toMatchObject({
      status: "aborted",
      results: [{ status: "interrupted", error: { type: "Interrupted" } }],
    });
    expect(only(await collect(run), "warning")).toMatchObject([{ code: "agent/executor-unresponsive" }]);
  });
});
