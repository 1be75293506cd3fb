// What people write who know other libraries, or who mistake one thing for another: it throws at once, and says what to write.
import { combineExecutors, createAgent, nativeProtocol } from "@toolglot/agent";
import { scriptedModel } from "@toolglot/agent/testing";
import { defineTool, Toolkit, toolkitExecutor } from "@toolglot/toolkit";
import { describe, expect, it } from "vitest";

const toolkit = new Toolkit();
const base = () => ({
  model: scriptedModel(["x"]),
  protocol: nativeProtocol(),
  executor: toolkitExecutor(toolkit),
  tools: toolkit,
});
const tool = defineTool({ name: "t", description: "d", execute: () => 1 });

describe("a value of a wrong kind", () => {
  it.each<[object, RegExp]>([
    [{ system: { role: "system", content: "Be kind." } }, /system must be text, not an object/],
    [{ onEvent: [] }, /onEvent must be a function, not an array/],
    [{ maxTokens: "500" }, /maxTokens must be a whole number from 1, not "500"/],
    [{ limits: { turns: "5" } }, /limits\.turns must be a number, not "5"/],
    [{ limits: 5 }, /limits must be an object, not 5/],
    [
      { context: { window: 1000, reserve: 2000 } },
      /context\.reserve must be less than the window of 1000 tokens, not 2000/,
    ],
    [{ context: { reserve: "1" } }, /context\.reserve must be a number, not "1"/],
    [{ reasoning: "Skip" }, /reasoning must be "skip" or "search", not "Skip"/],
    [{ startsInReasoning: 1 }, /startsInReasoning must be true or false, not 1/],
    [{ runtime: { now: 5 } }, /runtime\.now must be a function, not 5/],
    [{ executor: toolkit }, /executor must be .* not a Toolkit\. toolkitExecutor\(toolkit\)/],
    [{ model: { specificationVersion: "v3", doStream() {} } }, /model must be a function.*aiSdkModel\(\{ model \}\)/],
    [{ maxSteps: 5 }, /no option "maxSteps"\. It is limits: \{ turns \}/],
    [{ instructions: "Be kind." }, /no option "instructions"\. It is system/],
    [{ mcpServers: {} }, /no option "mcpServers"\. .*registerMcpClient/],
  ])("createAgent %j", (wrong, message) => {
    expect(() => createAgent({ ...base(), ...wrong } as never)).toThrow(TypeError);
    expect(() => createAgent({ ...base(), ...wrong } as never)).toThrow(message);
  });

  it.each<[object, RegExp]>([
    [
      { signal: new AbortController() },
      /signal must be an AbortSignal, not an AbortController\. Pass controller\.signal\./,
    ],
    [{ signal: {} }, /signal must be an AbortSignal, not an object/],
    [{ runId: "" }, /runId must be text that is not empty, not ""/],
    [{ runId: 5 }, /runId must be text that is not empty, not 5/],
  ])("run %j, before anything starts", (wrong, message) => {
    const { model, ...rest } = base();
    expect(() => createAgent({ ...rest, model }).run("hi", wrong)).toThrow(message);
    expect(model.requests).toEqual([]);
  });

  it.each<[string, () => unknown, RegExp]>([
    ["scriptedModel", () => scriptedModel("x" as never), /array of turns.*not string "x"/],
    ["combineExecutors", () => combineExecutors(), /at least one executor/],
    ["toolkitExecutor", () => toolkitExecutor([tool] as never), /takes a Toolkit/],
    [
      "storage",
      () => toolkitExecutor(toolkit, { storage: { operations: {} as never } }),
      /storage.operations must be an object with claim/,
    ],
    [
      "an active group",
      () => toolkit.createToolGroup("g", { description: "d", active: "false" as never }),
      /active must be true or false, not "false"/,
    ],
    [
      "namesakes",
      () => toolkit.registerToolFunction(tool, { namesakeStrategy: "overide" as never }),
      /namesakeStrategy must be .*"override".* not "overide"/,
    ],
    [
      "a handler",
      () => defineTool({ name: "t", description: "d", handler() {} } as never),
      /no option "handler"\. It is execute here/,
    ],
    [
      "middleware",
      () => toolkit.registerMiddleware((async () => {}) as never),
      /async function\* \(call, next\), not async function/,
    ],
    [
      "a name with a space",
      () => toolkit.registerToolFunction(tool, { name: "x y" }),
      /"x y" is not taken by providers.*"x_y"/,
    ],
    ["a long name", () => toolkit.registerToolFunction(tool, { name: "n".repeat(100) }), /not taken by providers/],
  ])("%s", (_, misuse, message) => {
    expect(misuse).toThrow(TypeError);
    expect(misuse).toThrow(message);
  });
});

it("should take undefined for an option that is not given", async () => {
  const run = createAgent({ ...base(), system: undefined, limits: undefined, onEvent: undefined } as never).run("hi", {
    signal: undefined,
    runId: undefined,
  } as never);
  expect((await run.result).status).toBe("answered");
});

it("should never reject a run's result, whatever the host gave", async () => {
  const signal = Object.assign(new EventTarget(), {
    aborted: false,
    addEventListener() {
      throw new Error("no listeners here");
    },
  });
  const run = createAgent(base()).run("hi", { signal: signal as never });
  await expect(run.result).resolves.toMatchObject({ status: "error", error: { message: "no listeners here" } });
  const types: string[] = [];
  for await (const { type } of run) types.push(type);
  expect(types.at(-1)).toBe("run-end");
});
