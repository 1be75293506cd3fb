import { createAgent, nativeProtocol, recordRun, replayRun } from "@toolglot/agent";
import { scriptedModel } from "@toolglot/agent/testing";
import { describe, expect, it } from "vitest";
import { recordingExecutor } from "./support/tools.ts";

const options = { model: scriptedModel(["Hi."]), protocol: nativeProtocol(), executor: recordingExecutor(), tools: [] };

describe("a key that nobody reads is a TypeError that names the nearest one", () => {
  it.each<[string, () => unknown, string]>([
    ["createAgent", () => createAgent({ ...options, maxTokenss: 3 } as never), "maxTokens"],
    ["limits", () => createAgent({ ...options, limits: { maxTurns: 3 } } as never), "turns"],
    ["recordRun", () => recordRun({ ...options, limit: { turns: 3 } } as never, "Go"), "limits"],
    ["its options", () => recordRun(options, "Go", { onLines: () => 1 } as never), "onLine"],
    ["run", () => createAgent(options).run("Go", { signals: 1 } as never), "signal"],
    ["replayRun", () => replayRun({} as never, { protocl: nativeProtocol() } as never), "protocol"],
    ["nativeProtocol", () => nativeProtocol({ local: "zh" } as never), "locale"],
  ])("%s", (_what, call, meant) => {
    expect(call).toThrow(TypeError);
    expect(call).toThrow(meant);
  });

  it("nothing at all is one, too", () => {
    expect(() => createAgent(undefined as never)).toThrow(TypeError);
    expect(() => createAgent(null as never)).toThrow(TypeError);
    expect(() => createAgent({ ...options, limits: 3 } as never)).toThrow(TypeError);
  });

  it("a runtime may have more than the loop reads", () => {
    expect(() => createAgent({ ...options, runtime: { now: () => 1, pass: () => 2 } as never })).not.toThrow();
  });
});
