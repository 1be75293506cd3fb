import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { createAgent, nativeProtocol } from "@toolglot/agent";
import {
  type Message,
  type Model,
  type ModelPart,
  type ModelRequest,
  ToolglotError,
  textMessage,
} from "@toolglot/core";
import { decodeTranscript, encodeTranscript } from "@toolglot/core/transcript";
import { localProvider, openAiText, sse } from "@toolglot/internal/testing/providers";
import { Toolkit, toolkitExecutor } from "@toolglot/toolkit";
import { expect, it } from "vitest";
import { type AiSdkModelOptions, aiSdkModel } from "../src/index.ts";

type Part = { type: string; [key: string]: unknown };

/** A model that answers with parts, or fails. */
function modelOf(version: string, ...answers: (Part[] | Error | "never")[]) {
  const asked: ModelRequest[] = [];
  return {
    asked: asked as unknown as { prompt: { role: string; content: Part[] }[]; abortSignal: AbortSignal }[],
    specificationVersion: version,
    provider: "local",
    modelId: "m1",
    async doStream(options: never) {
      const answer = answers[Math.min(asked.push(options), answers.length) - 1] as (typeof answers)[number];
      if (answer instanceof Error) throw answer;
      return {
        stream: new ReadableStream<Part>({
          start(controller) {
            if (answer === "never") return;
            for (const part of answer) controller.enqueue(part);
            if (answer.at(-1)?.type !== "hang") controller.close();
          },
        }),
      };
    },
  };
}

const hi: ModelRequest = { messages: [textMessage("user", "Hi")] };

async function receive(model: Model, request = hi, signal = new AbortController().signal): Promise<ModelPart[]> {
  const parts: ModelPart[] = [];
  for await (const part of model(request, signal)) parts.push(part);
  return parts;
}

async function failure(options: AiSdkModelOptions, request = hi): Promise<ToolglotError> {
  const error = await receive(aiSdkModel(options), request).catch((caught: unknown) => caught);
  expect(ToolglotError.isInstance(error)).toBe(true);
  return error as ToolglotError;
}

const end = { type: "finish", finishReason: { unified: "stop", raw: "stop" }, usage: {} };

it("takes models of specification v2, v3 and v4, and says which model it is", async () => {
  const text = { type: "text-delta", id: "1", delta: "ok" };
  const nested = { inputTokens: { total: 9, cacheRead: 4, cacheWrite: 2 }, outputTokens: { total: 5, reasoning: 3 } };
  const usage = { inputTokens: 9, outputTokens: 5, cachedInputTokens: 4, reasoningTokens: 3 };
  for (const version of ["v3", "v4"]) {
    const model = aiSdkModel({ model: modelOf(version, [text, { ...end, usage: nested }]) });
    expect(model.info).toEqual({ provider: "local", modelId: "m1" });
    expect(await receive(model)).toEqual([
      "ok",
      { type: "finish", reason: "stop", usage: { ...usage, cacheWriteTokens: 2 } },
    ]);
  }
  const flat = { inputTokens: 9, outputTokens: 5, totalTokens: 14, cachedInputTokens: 4, reasoningTokens: 3 };
  for (const [finishReason, reason] of [
    ["stop", "stop"],
    ["tool-calls", "calls"],
    ["other", "stop"],
    ["unknown", "error"],
  ])
    expect(
      await receive(aiSdkModel({ model: modelOf("v2", [text, { type: "finish", finishReason, usage: flat }]) })),
    ).toEqual(["ok", { type: "finish", reason, usage }]);
  expect(
    await receive(
      aiSdkModel({ model: modelOf("v4", [{ ...end, finishReason: { unified: "other", raw: undefined } }]) }),
    ),
  ).toMatchObject([{ reason: "error" }]);
});

it("gives reasoning back to the provider that made it, and to no other", async () => {
  const signed = { anthropic: { signature: "s" } };
  const answer = [
    { type: "reasoning-start", id: "r" },
    { type: "reasoning-delta", id: "r", delta: "let me " },
    { type: "reasoning-delta", id: "r", delta: "see", providerMetadata: signed },
    { type: "reasoning-end", id: "r" },
    { type: "reasoning-delta", id: "q", delta: "unsigned" },
    { type: "reasoning-end", id: "q" },
    { type: "text-delta", id: "1", delta: "ok" },
    end,
  ];
  const model = modelOf("v3", answer, [{ type: "text-delta", id: "1", delta: "fine" }, end]);
  const agent = createAgent({
    model: aiSdkModel({ model }),
    protocol: nativeProtocol(),
    executor: toolkitExecutor(new Toolkit()),
    tools: [],
  });
  const { transcript } = await agent.run("Hi").result;
  expect(transcript.messages.at(-1)?.parts).toEqual([
    { type: "reasoning", text: "let me see", meta: { provider: { name: "local", options: signed } } },
    { type: "reasoning", text: "unsigned" },
    { type: "text", text: "ok" },
  ]);
  const kept = decodeTranscript(encodeTranscript(transcript)).messages;
  const again: ModelRequest = { messages: [...kept, textMessage("user", "And?")] };
  await receive(aiSdkModel({ model }), again);
  expect(model.asked[1]?.prompt.find(({ role }) => role === "assistant")?.content).toEqual([
    { type: "reasoning", text: "let me see", providerOptions: signed },
    { type: "text", text: "ok" },
  ]);
  const other = { ...modelOf("v3", [end]), provider: "other" };
  await receive(aiSdkModel({ model: other }), again);
  expect(JSON.stringify(other.asked)).not.toContain("let me see");
});

it("refuses what is no such model", () => {
  expect(() => aiSdkModel({ model: "openai/gpt-5" as never })).toThrow(/createOpenAI\(\)\("openai\/gpt-5"\).*gateway/);
  expect(() => aiSdkModel({ model: {} as never })).toThrow(TypeError);
  expect(() => aiSdkModel({ model: modelOf("v9", []) })).toThrow(
    expect.objectContaining({ code: "ai-sdk/unsupported-model" }),
  );
  expect(() => aiSdkModel({ model: modelOf("v3", []), stalMs: 1 } as never)).toThrow(/stallMs/);
  expect(() => aiSdkModel({ model: modelOf("v3", []), maxRetries: Number.NaN })).toThrow(TypeError);
});

it("sends files and images, in messages and in results, in the shape of the specification", async () => {
  const messages: Message[] = [
    textMessage("system", "One."),
    textMessage("system", "Two."),
    {
      role: "user",
      trust: "user",
      parts: [
        { type: "text", text: "See" },
        { type: "file", mediaType: "image/png", data: "AAAA", name: "a.png" },
        { type: "file", mediaType: "image/png", url: "https://x.example/b.png" },
      ],
    },
    { role: "assistant", trust: "user", parts: [{ type: "reasoning", text: "hm" }] },
    {
      role: "assistant",
      trust: "user",
      parts: [{ type: "call", call: { id: "c", name: "shot", input: {}, protocol: "native" } }],
    },
    {
      role: "tool",
      trust: "untrusted",
      parts: [
        {
          type: "result",
          result: {
            callId: "c",
            status: "ok",
            content: [
              { type: "text", text: "done" },
              { type: "image", mediaType: "image/png", data: "BBBB" },
            ],
          },
        },
      ],
    },
  ];
  const sent = async (version: string) => {
    const model = modelOf(version, [end]);
    await receive(aiSdkModel({ model, temperature: 0.5 }), { messages });
    expect(model.asked[0]).toMatchObject({ temperature: 0.5 });
    return model.asked[0]?.prompt ?? [];
  };
  const v3 = await sent("v3");
  expect(v3.map(({ role }) => role)).toEqual(["system", "user", "assistant", "tool"]);
  expect(v3[0]?.content).toBe("One.\n\nTwo.");
  expect(v3[1]?.content).toEqual([
    { type: "text", text: "See" },
    { type: "file", mediaType: "image/png", data: "AAAA", filename: "a.png" },
    { type: "file", mediaType: "image/png", data: new URL("https://x.example/b.png") },
  ]);
  const shown = (prompt: typeof v3) =>
    (prompt[3]?.content[0] as unknown as { output: { type: string; value: Part[] } } | undefined)?.output;
  expect(shown(v3)).toEqual({
    type: "content",
    value: [
      { type: "text", text: "done" },
      { type: "image-data", data: "BBBB", mediaType: "image/png" },
    ],
  });
  const v4 = await sent("v4");
  expect(v4[1]?.content[1]?.data).toEqual({ type: "data", data: "AAAA" });
  expect(v4[1]?.content[2]?.data).toEqual({ type: "url", url: new URL("https://x.example/b.png") });
  expect(shown(v4)?.value[1]).toEqual({ type: "file", mediaType: "image/png", data: { type: "data", data: "BBBB" } });
  expect(shown(await sent("v2"))?.value[1]).toEqual({ type: "media", mediaType: "image/png", data: "BBBB" });
});

it("gives up on an answer that stalls: before its first part it asks again, later never", async () => {
  const silent = modelOf("v3", "never", [{ type: "stream-start" }, { type: "text-delta", id: "1", delta: "ok" }, end]);
  const told: string[] = [];
  const waiting = aiSdkModel({
    model: silent,
    firstPartMs: 30,
    onRetry: (reason, delayMs) => delayMs > 500 && told.push(reason),
  });
  expect((await receive(waiting))[0]).toBe("ok");
  expect(told).toEqual(["No answer from local m1 within 0.03 s."]);
  expect(silent.asked[0]?.abortSignal.aborted).toBe(true);
  const half = modelOf("v3", [{ type: "text-delta", id: "1", delta: "half" }, { type: "hang" }]);
  const middle = await failure({ model: half, stallMs: 30 });
  expect(middle).toMatchObject({ code: "model-stalled", data: { ms: 30, phase: "middle" } });
  expect(half.asked).toHaveLength(1);
});

it("ends a wait at once when it is aborted", async () => {
  const busy = Object.assign(new Error("busy"), {
    url: "http://x/v1/chat/completions",
    requestBodyValues: {},
    statusCode: 503,
    responseHeaders: { "retry-after": "50" },
  });
  const stop = new AbortController();
  const model = aiSdkModel({ model: modelOf("v3", busy), onRetry: () => stop.abort(new Error("enough")) });
  await expect(receive(model, hi, stop.signal)).rejects.toThrow("enough");
});

const openAi = (baseURL: string) => createOpenAICompatible({ name: "local", baseURL })("m1");

it.each([
  ["", 404, "{}", "model-address", "did you mean URL/v1 ?"],
  ["/v1/chat/completions", 404, "{}", "model-address", "ends before /chat/completions"],
  ["/v1", 404, "<!doctype html><title>x</title>", "model-address", "web page"],
  [
    "/v1",
    404,
    '{"error":{"message":"The model `m1` does not exist"}}',
    "model-not-found",
    "does not know the model local.chat m1",
  ],
  [
    "/v1",
    400,
    '{"error":{"message":"This model\'s maximum context length is 8192 tokens."}}',
    "context-overflow",
    "longer than the model's context",
  ],
  ["/v1", 413, "{}", "context-overflow", "413|longer"],
  [
    "/v1",
    401,
    '{"error":{"message":"Incorrect API key provided: sk-proj-abcdefghijklmnop"}}',
    "model-unauthorised",
    "sk-…",
  ],
  ["/v1", 422, `{"error":{"message":"${"x".repeat(900)}"}}`, "model-failed", "422"],
])("says what is wrong at %j with %i %s", async (path, status, body, code, words) => {
  const { url } = await localProvider([{ status, chunks: [body] }]);
  const error = await failure({ model: openAi(`${url}${path}`), maxRetries: 0 });
  expect(error.code).toBe(code);
  expect(error.message).toMatch(new RegExp(words.replace("URL", url).replaceAll("?", "\\?")));
  expect(error.message).not.toContain("abcdefghijklmnop");
  expect(error.message.length).toBeLessThan(600);
  expect(error.message).toContain(url);
});

it("asks no other address than the one that it was given", async () => {
  const { url, requests } = await localProvider([
    { status: 404, chunks: ["{}"] },
    { chunks: [sse(openAiText("ok"), { done: true })] },
  ]);
  expect((await failure({ model: openAi(url) })).code).toBe("model-address");
  expect(requests).toHaveLength(1);
});

it("should say of an answer that broke off how much of it was shown", async () => {
  let part = 0;
  const stream = new ReadableStream<Part>({
    pull(controller) {
      part += 1;
      if (part === 1) controller.enqueue({ type: "text-delta", id: "1", delta: "Hello, " });
      else controller.error(new TypeError("terminated"));
    },
  });
  const broken = { ...modelOf("v3"), doStream: async () => ({ stream }) };
  const read = async (): Promise<void> => {
    for await (const _ of aiSdkModel({ model: broken })({ messages: [] }, new AbortController().signal));
  };
  await expect(read()).rejects.toMatchObject({
    code: "model-failed",
    message: expect.stringMatching(/terminated\. The answer ended after 7 characters, .* not asked for again/),
  });
});
