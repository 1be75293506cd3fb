import { createAgent } from "@toolglot/agent";
import { scriptedModel } from "@toolglot/agent/testing";
import { type ModelPart, textMessage } from "@toolglot/core";
import { describe, expect, it } from "vitest";
import { bracketProtocol } from "./support/bracket-protocol.ts";
import { collect, only } from "./support/collect.ts";
import { setUp } from "./support/set-up.ts";
import { definitions, recordingExecutor } from "./support/tools.ts";

describe("loop mode", () => {
  it("runs a block, sends the result back, and ends with the plain-text answer", async () => {
    const { agent, model, executor } = setUp(['Adding. [[call add {"a":1,"b":2}]]', "It is 3."]);
    const run = agent.run("What is 1 + 2?", { runId: "r1" });
    const events = await collect(run);
    const result = await run.result;
    expect(result).toMatchObject({ runId: "r1", status: "answered", text: "It is 3.", turns: 2, denied: 0 });
    expect(result.results).toEqual([
      {
        callId: "call_0",
        name: "add",
        status: "ok",
        content: [{ type: "text", text: '{"a":1,"b":2}' }],
        data: { a: 1, b: 2 },
      },
    ]);
    expect(executor.ran).toHaveLength(1);
    expect(model.requests[1]?.messages.map(({ role, trust }) => [role, trust])).toEqual([
      ["system", "host"],
      ["user", "user"],
      ["assistant", "user"],
      ["user", "untrusted"],
    ]);
    expect(events.map((event) => event.type)).toEqual([
      "run-start",
      "step-start",
      "request",
      "text-delta",
      "block-start",
      "block-delta",
      "block-end",
      "action-start",
      "tool-call-start",
      "tool-call-end",
      "action-end",
      "step-end",
      "step-start",
      "request",
      "text-delta",
      "step-end",
      "run-end",
    ]);
    expect(only(events, "run-end")[0]?.result).toEqual(result);
  });

  it("gives events that are plain JSON", async () => {
    const { agent } = setUp(['[[call add {"a":1}]]', "Done."], {
      executor: recordingExecutor(() => ({ when: new Date(0), big: 5n, not: Number.NaN, nothing: undefined })),
    });
    const events = await collect(agent.run("Go"));
    expect(JSON.parse(JSON.stringify(events))).toEqual(events);
    expect(only(events, "action-end")[0]?.results[0]?.data).toEqual({
      when: "1970-01-01T00:00:00.000Z",
      big: "5",
      not: null,
    });
  });

  it("keeps events for who comes late, and for a second listener", async () => {
    const { agent } = setUp(["Hello."]);
    const run = agent.run("Hi");
    await run.result;
    const late = await collect(run);
    expect(late.at(0)?.type).toBe("run-start");
    expect(late.at(-1)?.type).toBe("run-end");
    expect(await collect(run)).toEqual(late);
  });

  it("puts the host's system text after the protocol's instructions", async () => {
    const { agent, model } = setUp(["Hello."], { system: "Be brief.", locale: "zh" });
    await agent.run([textMessage("user", "Hi")]).result;
    expect(model.requests[0]?.messages[0]).toEqual(
      textMessage("system", "Tools (zh, loop): add, store, remove\n\nBe brief."),
    );
  });

  it("goes on with a conversation, without a second system message", async () => {
    const { agent, model } = setUp(["Hello.", "Still here."]);
    const first = await agent.run("Hi").result;
    await agent.run([...first.transcript.messages, textMessage("user", "And now?")]).result;
    expect(model.requests[1]?.messages.map((message) => message.role)).toEqual(["system", "user", "assistant", "user"]);
  });

  it("runs the first of several blocks and tells the model about the rest", async () => {
    const { agent, model, executor } = setUp(["[[call add {}]] and [[call store {}]] and [[call store {}]]", "Ok."]);
    await agent.run("Go").result;
    expect(executor.ran).toHaveLength(1);
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({
      trust: "host",
      parts: [{ text: expect.stringMatching(/Only the first block .* 2 more were not/) }],
    });
  });

  it("ends as declined, with the model's words", async () => {
    const { agent, executor } = setUp(["[[decline I have no such tool.]]"]);
    expect(await agent.run("Go").result).toMatchObject({
      status: "declined",
      text: "I have no such tool.",
      results: [],
    });
    expect(executor.ran).toEqual([]);
  });

  it("gives every call an id of its own, whatever the protocol says", async () => {
    const { agent } = setUp(["[[python a]]", "[[python b]]", "Done."]);
    const { results } = await agent.run("Go").result;
    expect(results.map((result) => result.callId)).toEqual(["call_0", "call_1"]);
  });

  it("adds up usage and passes maxTokens on", async () => {
    const finish = (usage: object): ModelPart => ({ type: "finish", reason: "stop", usage });
    const { agent, model } = setUp(
      [
        ["[[call add {}]]", finish({ inputTokens: 10, outputTokens: 4 })],
        ["Done.", finish({ inputTokens: 20 })],
      ],
      { maxTokens: 99 },
    );
    expect((await agent.run("Go").result).usage).toEqual({ inputTokens: 30, outputTokens: 4 });
    expect(model.requests[0]?.maxTokens).toBe(99);
  });
});

describe("single mode", () => {
  it("ends with the program's result", async () => {
    const { agent, model } = setUp(["[[python 6 * 7]]"], { mode: "single", executor: recordingExecutor(() => 42) });
    expect(await agent.run("6 * 7?").result).toMatchObject({ status: "result", value: 42, text: "42", turns: 1 });
    expect(model.requests).toHaveLength(1);
  });

  it("ends in an error when the action failed", async () => {
    const { agent } = setUp(["[[call remove {}]]"], { mode: "single" });
    expect(await agent.run("Go").result).toMatchObject({ status: "error", error: { code: "agent/denied" }, denied: 1 });
  });

  it("ends as declined w/ a decline", async () => {
    const { agent } = setUp(["[[decline No.]]"], { mode: "single" });
    expect(await agent.run("Go").result).toMatchObject({ status: "declined", text: "No." });
  });

  it("should not take plain text for an outcome", async () => {
    const { agent, model } = setUp(["It is 3.", "[[python 3]]"], { mode: "single" });
    const run = agent.run("Go");
    expect(only(await collect(run), "repair-turn")).toMatchObject([{ reason: "no-block" }]);
    expect(await run.result).toMatchObject({ status: "result", turns: 2 });
    expect(model.requests[1]?.messages.at(-1)?.parts).toMatchObject([
      { text: expect.stringContaining("BRACKET document") },
    ]);
  });
});

describe("options", () => {
  it("should throw TypeError with the cure w/ options that can't work", () => {
    const good = {
      model: scriptedModel([]),
      protocol: bracketProtocol(),
      executor: recordingExecutor(),
      tools: definitions,
    };
    const bad =
      (change: object): (() => unknown) =>
      () =>
        createAgent({ ...good, ...change });
    expect(bad({ model: "gpt" })).toThrow(/model must be a function/);
    expect(bad({ protocol: {} })).toThrow(/protocol must be a ToolProtocol/);
    expect(bad({ executor: undefined })).toThrow(/executor must have/);
    expect(bad({ tools: [...definitions, definitions[0]] })).toThrow(/Two tools are named "add"/);
    expect(bad({ locale: "de" })).toThrow(/locale must be "zh" or "en"/);
    expect(bad({ mode: "chat" })).toThrow(/mode must be/);
    expect(bad({ limits: { turns: 0 } })).toThrow(/limits.turns must be a number of at least 1/);
    expect(bad({ maxRepairTurns: -1 })).toThrow(TypeError);
    expect(() => createAgent(good).run("  ")).toThrow(/input is empty/);
    expect(() => createAgent(good).run([])).toThrow(TypeError);
    expect(() => createAgent(good).run([{ role: "user", content: "hi" } as never])).toThrow(/textMessage/);
  });
});
