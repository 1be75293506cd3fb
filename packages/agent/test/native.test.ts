import { combineExecutors, createAgent, nativeProtocol } from "@toolglot/agent";
import { scriptedModel } from "@toolglot/agent/testing";
import {
  type Action,
  type Executor,
  type ModelPart,
  type ToolCall,
  type ToolProtocol,
  textMessage,
} from "@toolglot/core";
import { describe, expect, it } from "vitest";
import { bracketProtocol } from "./support/bracket-protocol.ts";
import { collect, only } from "./support/collect.ts";
import { definitions, recordingExecutor } from "./support/tools.ts";

const call = (id: string, name: string, input: unknown): ModelPart => ({
  type: "call",
  call: { id, name, input, protocol: "native" },
});
const calls: ModelPart = { type: "finish", reason: "calls" };

function setUp(turns: readonly (string | ModelPart[])[], mode: "loop" | "single" = "loop") {
  const model = scriptedModel(turns);
  const executor = recordingExecutor();
  const agent = createAgent({ model, protocol: nativeProtocol(), executor, tools: definitions, mode });
  return { agent, model, executor };
}

describe("native function calls", () => {
  it("are declared, run as one action, and answered with result parts", async () => {
    const { agent, model, executor } = setUp([
      ["I'll add.", call("c1", "add", { a: 1 }), call("c2", "store", '{"a":2}'), calls],
      "Done.",
    ]);
    const result = await agent.run("Go").result;
    expect(result).toMatchObject({ status: "answered", text: "Done.", turns: 2 });
    expect(model.requests[0]?.tools?.map((tool) => tool.name)).toEqual(["add", "store", "remove"]);
    expect(model.requests[0]?.messages).toEqual([textMessage("user", "Go")]);
    expect(executor.ran).toHaveLength(1);
    expect(model.requests[1]?.messages.slice(1)).toMatchObject([
      {
        role: "assistant",
        parts: [
          { type: "text", text: "I'll add." },
          { type: "call", call: { id: "c1", input: { a: 1 } } },
          { type: "call", call: { id: "c2", input: { a: 2 } } },
        ],
      },
      {
        role: "tool",
        trust: "untrusted",
        parts: [
          { type: "result", result: { callId: "c1", status: "ok", data: { a: 1 } } },
          { type: "result", result: { callId: "c2", status: "ok", data: { a: 2 } } },
        ],
      },
    ]);
  });

  it("get an error result, and the others run, when arguments are no JSON", async () => {
    const { agent, executor } = setUp([
      [call("c1", "add", '{"a": 1'), call("c2", "add", ""), call("c3", "add", '"text"'), calls],
      "Ok.",
    ]);
    const { results } = await agent.run("Go").result;
    expect(results).toMatchObject([
      {
        callId: "c1",
        name: "add",
        status: "error",
        error: { type: "InvalidInput", message: expect.stringMatching(/no JSON object .*one JSON object/) },
      },
      { callId: "c2", status: "ok", data: {} },
      { callId: "c3", status: "error", error: { type: "InvalidInput" } },
    ]);
    expect((executor.ran[0] as Action & { calls: ToolCall[] }).calls.map(({ id }) => id)).toEqual(["c2"]);
  });

  it("don't reach the executor when none of them can be read", async () => {
    const { agent, executor } = setUp([[call("c1", "add", "{"), calls], "Ok."]);
    expect(await agent.run("Go").result).toMatchObject({ status: "answered", results: [{ status: "error" }] });
    expect(executor.ran).toEqual([]);
  });

  it("get ids of their own when the provider repeats them or gives none", async () => {
    const { agent } = setUp([
      [call("x", "add", {}), call("x", "add", { a: 1 }), call("", "add", { a: 2 }), calls],
      [call("x", "add", { a: 3 }), calls],
      "Ok.",
    ]);
    const { results, transcript } = await agent.run("Go").result;
    expect(results.map(({ callId }) => callId)).toEqual(["x", "call_0", "call_1", "call_2"]);
    const asked = transcript.messages.flatMap((message) =>
      message.parts.flatMap((part) => (part.type === "call" ? [part.call.id] : [])),
    );
    expect(asked).toEqual(["x", "call_0", "call_1", "call_2"]);
  });

  it("are the outcome in single mode, and text is too", async () => {
    const { agent } = setUp([[call("c", "add", { a: 1 }), calls]], "single");
    expect(await agent.run("Go").result).toMatchObject({ status: "result", value: { a: 1 }, turns: 1 });
    const several = setUp([[call("c", "add", 1), call("d", "add", 2), calls]], "single");
    expect(await several.agent.run("Go").result).toMatchObject({ status: "result", value: [1, 2] });
    const text = setUp(["Just text."], "single");
    expect(await text.agent.run("Go").result).toMatchObject({ status: "answered", text: "Just text." });
  });

  it("should not run when the stream broke, nor stay open in the conversation", async () => {
    const model = async function* (): AsyncGenerator<ModelPart> {
      yield call("c", "store", {});
      throw new Error("reset");
    };
    const executor = recordingExecutor();
    const agent = createAgent({ model, protocol: nativeProtocol(), executor, tools: definitions });
    const { transcript, status } = await agent.run("Go").result;
    expect(status).toBe("error");
    expect(executor.ran).toEqual([]);
    expect(JSON.stringify(transcript)).not.toContain('"type":"call"');
  });

  it("stream their text", async () => {
    const { agent } = setUp([["He", "", "llo", "."]]);
    expect(only(await collect(agent.run("Hi")), "text-delta").map((event) => event.text)).toEqual(["He", "llo", "."]);
  });
});

describe("native text", () => {
  it("is told from reasoning", async () => {
    const { agent } = setUp([["<think>Nine", " times two.</think>Eight", "een."]]);
    const run = agent.run("9 * 2?");
    expect(await run.result).toMatchObject({ status: "answered", text: "Eighteen." });
    const events = await collect(run);
    const text = (type: "text-delta" | "reasoning-delta"): string =>
      events.map((event) => (event.type === type ? event.text : "")).join("");
    expect([text("text-delta"), text("reasoning-delta")]).toEqual(["Eighteen.", "Nine times two."]);
  });

  it("is the answer, reasoning tag or not, when only the closing tag is there", async () => {
    const { agent } = setUp(["Nine times two.</think>Eighteen."]);
    expect(await agent.run("9 * 2?").result).toMatchObject({ status: "answered", turns: 1 });
  });

  it("that looks like a call goes back, and is the answer when the model stays with it", async () => {
    const json = '{"name": "add", "arguments": {"a": 1}}';
    const { agent } = setUp([json, [call("c", "add", { a: 1 }), calls], "Done."]);
    const run = agent.run("Go");
    expect(only(await collect(run), "repair-turn")).toMatchObject([
      { reason: "foreign-format", text: expect.stringMatching(/written as text/) },
    ]);
    expect(await run.result).toMatchObject({ status: "answered", text: "Done." });
    const insisting = setUp([json, json, json]).agent.run("Show me a call as JSON.");
    expect(await insisting.result).toMatchObject({ status: "answered", text: json, turns: 3 });
    expect(only(await collect(insisting), "warning")).toMatchObject([{ code: "foreign-format" }]);
  });
});

describe("a protocol that declares its tools, and finds calls in the text, too", () => {
  const both = (): ToolProtocol => ({
    ...(bracketProtocol() as ToolProtocol),
    ...{ declaresTools: true, readsText: true },
    encodeMessages: (messages) => [...messages],
    encodeMessage: (message) => [message],
  });
  const run = async (turns: readonly (string | ModelPart[])[]) => {
    const model = scriptedModel([...turns, "Done."]);
    const executor = recordingExecutor();
    const agent = createAgent({ model, protocol: both(), executor, tools: definitions });
    return { ...(await agent.run("Go").result), ran: executor.ran, requests: model.requests };
  };

  it("answers each call in its own way, whatever the order they come in", async () => {
    const native = (a: number): ModelPart[] => [call("c1", "add", { a }), calls];
    const text = (a: number): string => `Well.\n[[call store {"a": ${a}}]]`;
    const { status, results, requests } = await run([native(1), text(2), native(3), text(4), text(5)]);
    expect(status).toBe("answered");
    expect(results.map(({ data }) => data)).toEqual([1, 2, 3, 4, 5].map((a) => ({ a })));
    expect(new Set(results.map(({ callId }) => callId)).size).toBe(5);
    const last = requests.at(-1)?.messages.slice(2) ?? [];
    expect(last.map(({ role, parts }) => `${role}: ${parts.map(({ type }) => type)}`)).toEqual([
      ...["assistant: call", "tool: result", "assistant: text", "user: text", "assistant: call", "tool: result"],
      ...["assistant: text", "user: text", "assistant: text", "user: text"],
    ]);
    expect(last[3]?.trust).toBe("untrusted");
    // Nothing of what the provider had cached changes.
    for (const [at, { messages }] of requests.slice(1).entries())
      expect(messages.slice(0, requests[at]?.messages.length)).toEqual(requests[at]?.messages);
  });

  it("runs the provider's calls alone, where an answer has both", async () => {
    const { results } = await run([['[[call store {"a": 1}]]', call("c1", "add", { a: 2 }), calls]]);
    expect(results).toMatchObject([{ callId: "c1", data: { a: 2 } }]);
  });

  it("runs nothing that was cut off, only thought, or has a doubtful value, and says so", async () => {
    for (const text of ["[[call store {", '[[call!value store {"a": 1}]]', "[[call!invalid store]]"]) {
      const { ran, requests } = await run([text]);
      expect([ran, requests.length]).toEqual([[], 2]);
    }
    const { ran, requests } = await run([[call("c1", "add", {}), calls], "[[call!reasoning store]] No."]);
    expect([ran.length, requests.length]).toEqual([1, 2]);
  });
});

describe("nativeProtocol", () => {
  it("has a parser like any other", () => {
    const parser = nativeProtocol().createParser({});
    parser.feed("a");
    parser.feed("b");
    expect(parser.end()).toEqual({
      segments: [{ type: "text", text: "ab", span: { start: 0, end: 2 } }],
      blocks: [],
      diagnostics: [],
    });
    expect(() => parser.feed("c")).toThrow(TypeError);
    parser.reset();
    expect(parser.end().segments).toEqual([]);
    expect(() =>
      nativeProtocol()
        .createParser({})
        .feed(1 as never),
    ).toThrow(TypeError);
  });

  it("can write results as text", () => {
    const { formatResults } = nativeProtocol();
    expect(
      formatResults([
        { callId: "a", status: "ok", content: [{ type: "text", text: "three" }] },
        { callId: "b", status: "ok", content: [], data: { n: 3 } },
        { callId: "c", status: "error", content: [], error: { type: "ToolError", message: "No." } },
      ]),
    ).toBe('three\n\n{"n":3}\n\nToolError: No.');
  });
});

describe("combineExecutors", () => {
  const always = (kind: Action["kind"], data: unknown): Executor => ({
    handles: (action) => action.kind === kind,
    execute: async () => [{ callId: "c", status: "ok", content: [], data }],
  });
  const context = {} as never;
  const code: Action = { kind: "code", id: "c", language: "python", source: "", span: { start: 0, end: 0 } };
  const batch: Action = {
    kind: "calls",
    calls: [
      { id: "c", name: "a", input: {}, protocol: "x" },
      { id: "d", name: "b", input: {}, protocol: "x" },
    ],
    span: { start: 0, end: 0 },
  };

  it("gives an action to the first that handles it", async () => {
    const combined = combineExecutors(always("code", 1), always("code", 2), always("calls", 3));
    expect(await combined.execute(code, context)).toMatchObject([{ data: 1 }]);
    expect(await combined.execute(batch, context)).toMatchObject([{ data: 3 }]);
    expect(combined.handles(code)).toBe(true);
  });

  it("answers for what nobody handles, one error per call", async () => {
    const combined = combineExecutors(always("plan", 1));
    expect(combined.handles(code)).toBe(false);
    expect(await combined.execute(code, context)).toMatchObject([
      { callId: "c", status: "error", error: { type: "Unhandled", message: "Nothing here can run python programs." } },
    ]);
    expect(await combined.execute(batch, context)).toMatchObject([
      { callId: "c", name: "a", status: "error" },
      { callId: "d", name: "b", status: "error" },
    ]);
  });

  it("should refuse what is no executor w/ TypeError", () => {
    expect(() => combineExecutors({} as never)).toThrow(/handles\(\) and execute\(\)/);
  });
});
