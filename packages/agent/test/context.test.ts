import {
  type AgentOptions,
  dropOldResults,
  isContextOverflow,
  nativeProtocol,
  parseRecording,
  recordRun,
  replayRun,
  stringifyRecording,
} from "@toolglot/agent";
import { scriptedModel } from "@toolglot/agent/testing";
import { type Message, type ModelPart, messageText, textMessage } from "@toolglot/core";
import { describe, expect, it } from "vitest";
import { bracketProtocol } from "./support/bracket-protocol.ts";
import { collect, only } from "./support/collect.ts";
import { setUp } from "./support/set-up.ts";
import { definitions, recordingExecutor } from "./support/tools.ts";

const long = (length: number): string => "x".repeat(length);
const calls = (count: number): string[] => Array.from({ length: count }, (_, at) => `[[call add {"a":${at}}]]`);
const longResults = (length = 3000) => recordingExecutor(({ input }) => ({ of: input, text: long(length) }));
const sizeOf = (messages: readonly Message[]): number => JSON.stringify(messages).length;

describe("results", () => {
  it("should show the beginning and the end of a long one, and keep the whole", async () => {
    const executor = recordingExecutor(() => `A${long(2000)}😀${long(2000)}Z`);
    const { agent, model } = setUp(["[[call add {}]]", "Done."], {
      executor,
      protocol: bracketProtocol(),
      context: { maxResultChars: 500 },
    });
    const result = await agent.run("Go").result;
    expect(result.results[0]?.data).toHaveLength(4004);
    expect(sizeOf(result.transcript.messages)).toBeGreaterThan(4000);
    const { messages } = model.requests[1] ?? { messages: [] };
    expect(sizeOf(messages)).toBeLessThan(2000);
  });

  it.each([99, 100, 101, 102, 103])("should cut no character in two, at %i", async (before) => {
    const executor = recordingExecutor(() => "😀".repeat(before + 200));
    const call: ModelPart = { type: "call", call: { id: "1", name: "add", input: {}, protocol: "native" } };
    const model = scriptedModel([[call, { type: "finish", reason: "calls" }], "Done."]);
    const { agent } = setUp([], {
      model,
      executor,
      protocol: nativeProtocol(),
      context: { maxResultChars: 100 + before },
    });
    await agent.run("Go").result;
    const part = model.requests[1]?.messages.at(-1)?.parts[0];
    const [content] = part?.type === "result" ? part.result.content : [];
    const text = content?.type === "text" ? content.text : "";
    expect(text).toContain("characters were left out");
    expect(text).not.toMatch(/\p{Cs}/u);
    expect(part?.type === "result" && "data" in part.result).toBe(false);
  });
});

describe("a window", () => {
  it("should hold every request, and the transcript all of it", async () => {
    const { agent, model } = setUp([...calls(12), "Done."], {
      executor: longResults(),
      context: { window: 6000, reserve: 1000 },
    });
    const run = agent.run("Remember me.");
    const events = await collect(run);
    const result = await run.result;
    expect(result.status).toBe("answered");
    for (const { messages } of model.requests) {
      expect(messages.reduce((sum, message) => sum + messageText(message).length, 0) / 3).toBeLessThanOrEqual(5000);
      expect(messages[0]?.role).toBe("system");
      expect(messages.some((message) => messageText(message) === "Remember me.")).toBe(true);
    }
    const made = only(events, "compaction");
    expect(made.length).toBeGreaterThan(0);
    for (const { reason, before, after } of made) expect([reason, after < before]).toEqual(["estimate", true]);
    expect(result.transcript.messages).toHaveLength(2 + 12 * 2 + 1);
    expect(result.transcript.meta.compactions).toEqual(made.map(({ stepIndex, reason }) => ({ stepIndex, reason })));
  });

  it("should be the model's own when the host names none, and unknown otherwise", async () => {
    const withInfo = Object.assign(scriptedModel([...calls(4), "Done."]), { info: { contextWindow: 4000 } });
    const known = setUp([], { model: withInfo, executor: longResults() }).agent.run("Go");
    expect(only(await collect(known), "compaction").length).toBeGreaterThan(0);
    const unknown = setUp([...calls(4), "Done."], { executor: longResults() }).agent.run("Go");
    expect(only(await collect(unknown), "compaction")).toEqual([]);
  });

  it("should warn when the provider read more than fits", async () => {
    const turn: ModelPart[] = ["Done.", { type: "finish", reason: "stop", usage: { inputTokens: 9000 } }];
    const run = setUp([turn], { context: { window: 8000 } }).agent.run("Go");
    expect(only(await collect(run), "warning")).toMatchObject([{ code: "agent/context-exceeded" }]);
  });
});

describe("an overflow", () => {
  /** Refuses what is longer than so many characters, as providers do. */
  const narrow = (limit: number, answers: string[]) => {
    const asked: number[] = [];
    const model = async function* ({ messages }: { messages: Message[] }): AsyncGenerator<ModelPart> {
      const size = messages.reduce((sum, message) => sum + messageText(message).length, 0);
      asked.push(size);
      if (size > limit)
        throw Object.assign(new Error("This model's maximum context length is 4096 tokens."), { status: 400 });
      yield answers.shift() ?? "Done.";
    };
    return { model, asked };
  };

  it("should lead to one compaction, one more request and an answer, in one step", async () => {
    const { model, asked } = narrow(8000, [...calls(3), "Done."]);
    const run = setUp([], { model, executor: longResults() }).agent.run("Go");
    const events = await collect(run);
    const result = await run.result;
    expect(result).toMatchObject({ status: "answered", text: "Done.", turns: 4 });
    expect(only(events, "compaction")).toMatchObject([{ reason: "overflow" }]);
    expect(asked).toHaveLength(5);
    expect(only(events, "warning")).toEqual([]);
  });

  it("should end the run when nothing can be left out", async () => {
    const { model, asked } = narrow(100, []);
    const result = await setUp([], { model }).agent.run(long(500)).result;
    expect(result).toMatchObject({
      status: "error",
      error: { code: "agent/context-overflow", data: { estimate: expect.any(Number) } },
    });
    expect(asked).toHaveLength(1);
  });

  it.each<[string, unknown, boolean]>([
    ["a code", { code: "context-overflow", message: "" }, true],
    ["a code of OpenAI's", { code: "context_length_exceeded", message: "" }, true],
    ["a status", { status: 413, message: "" }, true],
    ["Anthropic", { status: 400, message: "prompt is too long: 201000 tokens > 200000 maximum" }, true],
    [
      "OpenAI",
      { message: "Your input exceeds the context window of this model. Please adjust your input and try again." },
      true,
    ],
    [
      "OpenAI, older",
      { message: "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000" },
      true,
    ],
    ["Bedrock", { message: "Input is too long for requested model." }, true],
    [
      "Gemini",
      { message: "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)." },
      true,
    ],
    ["xAI", { message: "This model's maximum prompt length is 131072 but the request contains 537812 tokens." }, true],
    ["Groq", { message: "Please reduce the length of the messages or completion." }, true],
    [
      "Mistral",
      { message: "Prompt contains 40000 tokens, too large for model with 32768 maximum context length" },
      true,
    ],
    ["Kimi", { message: "Invalid request: Your request exceeded model token limit: 131072" }, true],
    ["MiniMax", { message: "invalid params, context window exceeds limit" }, true],
    [
      "LM Studio",
      { message: "The number of tokens to keep from the initial prompt is greater than the context length" },
      true,
    ],
    ["llama.cpp", { message: "the request exceeds the available context size, try increasing it" }, true],
    ["Copilot", { message: "prompt token count of 130000 exceeds the limit of 128000" }, true],
    [
      "a rate limit",
      { status: 429, message: "Request too large: too many tokens per minute, reduce the length of the messages" },
      false,
    ],
    ["something else", { message: "The server is busy." }, false],
    ["nothing", undefined, false],
  ])("should be told by %s", (_, error, is) => {
    expect(isContextOverflow(error)).toBe(is);
  });
});

describe("compact", () => {
  const options = (compact: NonNullable<AgentOptions["context"]>["compact"]): Partial<AgentOptions> => ({
    executor: longResults(),
    context: { window: 4000, reserve: 500, ...(compact && { compact }) },
  });

  it("should be the host's", async () => {
    const { agent, model } = setUp(
      [...calls(4), "Done."],
      options(({ messages }) => [...messages.slice(0, 2), ...messages.slice(-2)]),
    );
    const run = agent.run("Go");
    expect(only(await collect(run), "warning")).toEqual([]);
    expect(model.requests.at(-1)?.messages.length).toBeLessThan(8);
  });

  it.each<[string, (messages: readonly Message[]) => unknown, RegExp]>([
    ["no list", () => "short", /no list/],
    ["no system message", (messages) => messages.slice(1), /system/],
    ["no request", ([system, _, ...rest]) => [system, ...rest], /first message of the user/],
    ["another newest turn", ([system, user]) => [system, user, textMessage("user", "A summary.")], /newest turn/],
    [
      "an error",
      () => {
        throw new Error("broken");
      },
      /broken/,
    ],
  ])("should not be used when it gives %s", async (_, make, why) => {
    const { agent } = setUp(
      [...calls(4), "Done."],
      options(({ messages }) => make(messages) as Message[]),
    );
    const run = agent.run("Go");
    const [warning] = only(await collect(run), "warning");
    expect(warning).toMatchObject({ code: "agent/compaction-invalid", message: expect.stringMatching(why) });
    expect((await run.result).status).toBe("answered");
  });

  it("should refuse what makes no sense", () => {
    expect(() => dropOldResults({ keepTurns: 0 })).toThrow(TypeError);
    expect(() => setUp([], { context: { windows: 3 } as never })).toThrow(/window/);
    expect(() => setUp([], { context: { window: 0 } })).toThrow(/window/);
    expect(() => setUp([], { context: { compact: "all" as never } })).toThrow(/compact/);
  });
});

it("should be played again as it was", async () => {
  const make = (compact?: NonNullable<AgentOptions["context"]>["compact"]): AgentOptions => ({
    model: scriptedModel([
      ...calls(4),
      () => {
        throw Object.assign(new Error("No."), { status: 413 });
      },
      "Done.",
    ]),
    protocol: bracketProtocol(),
    executor: longResults(),
    tools: definitions,
    context: { window: 5000, reserve: 500, maxResultChars: Number.POSITIVE_INFINITY, ...(compact && { compact }) },
  });
  for (const options of [make(), make(async ({ messages }) => [...messages.slice(0, 2), ...messages.slice(-2)])]) {
    const run = recordRun(options, "Go");
    const events = await collect(run);
    const played = replayRun(parseRecording(stringifyRecording(run.recording)), { protocol: bracketProtocol() });
    expect(await collect(played)).toEqual(events);
    expect(played.divergence).toBeUndefined();
  }
});
