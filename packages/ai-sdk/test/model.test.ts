import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { Message, Model, ModelPart, ModelRequest } from "@toolglot/core";
import { ToolglotError, textMessage } from "@toolglot/core";
import {
  anthropicEvents,
  bytes,
  localProvider,
  openAiCall,
  openAiFinish,
  openAiText,
  sse,
} from "@toolglot/internal/testing/providers";
import { expect, it } from "vitest";
import { aiSdkModel } from "../src/index.ts";

function openAi(url: string, maxRetries = 0): Model {
  const provider = createOpenAICompatible({ name: "local", baseURL: `${url}/v1`, includeUsage: true });
  return aiSdkModel({ model: provider("local"), maxRetries });
}

function anthropic(url: string, maxRetries = 0): Model {
  return aiSdkModel({ model: createAnthropic({ apiKey: "key", baseURL: `${url}/v1` })("local"), maxRetries });
}

const question: ModelRequest = { messages: [textMessage("system", "Be brief."), textMessage("user", "你好")] };

interface Received {
  text: string;
  reasoning: string;
  parts: Exclude<ModelPart, string>[];
  /** Pieces of calls' arguments. */
  written: [id: string, name: string | undefined, text: string][];
}

async function receive(model: Model, request = question, signal = new AbortController().signal): Promise<Received> {
  const received: Received = { text: "", reasoning: "", parts: [], written: [] };
  for await (const part of model(request, signal)) {
    if (typeof part === "string") received.text += part;
    else if (part.type === "reasoning") received.reasoning += part.text;
    else if (part.type === "call-delta") received.written.push([part.id, part.name, part.text]);
    else received.parts.push(part);
  }
  return received;
}

async function failure(model: Model, request = question): Promise<ToolglotError> {
  try {
    await receive(model, request);
  } catch (error) {
    expect(ToolglotError.isInstance(error)).toBe(true);
    return error as ToolglotError;
  }
  throw new Error("the model did not fail");
}

const text = "答案是 42，见《退款政策》🎒 – naïve café.";

it.each([1, 3, 7])("should put characters together again that were cut by TCP chunks of %i bytes", async (size) => {
  const openAiServer = await localProvider([
    { chunks: bytes(sse(openAiText(text, "stop", [5, 9]), { done: true }), size * 40 + 1), pauseMs: 0 },
  ]);
  expect(await receive(openAi(openAiServer.url))).toEqual({
    text,
    reasoning: "",
    parts: [
      {
        type: "finish",
        reason: "stop",
        usage: { inputTokens: 5, outputTokens: 9, cachedInputTokens: 0, reasoningTokens: 0 },
      },
    ],
    written: [],
  });
  const anthropicServer = await localProvider([
    { chunks: bytes(sse(anthropicEvents([{ text }]), { named: true }), size * 40 + 1), pauseMs: 0 },
  ]);
  const received = await receive(anthropic(anthropicServer.url));
  expect(received.text).toBe(text);
});

it("should put characters together when every byte comes alone", async () => {
  const { url } = await localProvider([{ chunks: bytes(sse(openAiText("《退》🎒"), { done: true }), 1), pauseMs: 0 }]);
  expect((await receive(openAi(url))).text).toBe("《退》🎒");
});

it("should send messages, stop sequences and limits in the provider's form", async () => {
  const { url, requests } = await localProvider([{ chunks: [sse(openAiText("ok"), { done: true })] }]);
  await receive(openAi(url), { ...question, stop: ["</end>"], maxTokens: 50 });
  expect(requests[0]?.path).toBe("/v1/chat/completions");
  expect(requests[0]?.body).toMatchObject({
    model: "local",
    stream: true,
    stream_options: { include_usage: true },
    stop: ["</end>"],
    max_tokens: 50,
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "你好" },
    ],
  });
  expect(requests[0]?.body.tools).toBeUndefined();
});

it("should report a cut answer as length", async () => {
  const { url } = await localProvider([{ chunks: [sse(openAiText("half an ans", "length"), { done: true })] }]);
  expect(await receive(openAi(url))).toMatchObject({
    text: "half an ans",
    parts: [{ type: "finish", reason: "length" }],
  });
  const other = await localProvider([
    { chunks: [sse(anthropicEvents([{ text: "half" }], "max_tokens"), { named: true })] },
  ]);
  expect(await receive(anthropic(other.url))).toMatchObject({
    text: "half",
    parts: [{ type: "finish", reason: "length" }],
  });
});

it("should say which stop sequence ended an answer, which the provider has stripped", async () => {
  const { url, requests } = await localProvider([
    { chunks: [sse(anthropicEvents([{ text: "before" }], "stop_sequence", "</end>"), { named: true })] },
  ]);
  const received = await receive(anthropic(url), { ...question, stop: ["</end>"] });
  expect(requests[0]?.body.stop_sequences).toEqual(["</end>"]);
  expect(received).toMatchObject({
    text: "before",
    parts: [{ type: "finish", reason: "stop", stopSequence: "</end>" }],
  });
});

it("should pass reasoning on, apart from the text", async () => {
  const { url } = await localProvider([
    { chunks: [sse(anthropicEvents([{ thinking: "let me see" }, { text: "yes" }]), { named: true })] },
  ]);
  expect(await receive(anthropic(url))).toMatchObject({ text: "yes", reasoning: "let me see" });
});

const tools = [
  {
    name: "add",
    description: "Adds.",
    inputSchema: { type: "object" as const, properties: { a: { type: "integer" as const } }, required: ["a"] },
  },
  { name: "say", description: "Says.", inputSchema: { type: "object" as const, properties: {} } },
];

it("should collect calls whose arguments stream in fragments, two at once", async () => {
  const events = [
    ...openAiCall(0, "c1", "add", { a: 1, 字: '退款 "x"' }, 3),
    ...openAiCall(1, "c2", "say", {}),
    openAiFinish("tool_calls"),
  ];
  const { url, requests } = await localProvider([{ chunks: bytes(sse(events, { done: true }), 50), pauseMs: 0 }]);
  const received = await receive(openAi(url), { ...question, tools });
  const pieces = received.written.filter(([id]) => id === "c1");
  expect(pieces[0]).toEqual(["c1", "add", ""]);
  expect(pieces.length).toBeGreaterThan(5);
  expect(JSON.parse(pieces.map(([, , text]) => text).join(""))).toEqual({ a: 1, 字: '退款 "x"' });
  expect(received.parts).toEqual([
    { type: "call", call: { id: "c1", name: "add", input: { a: 1, 字: '退款 "x"' }, protocol: "native" } },
    { type: "call", call: { id: "c2", name: "say", input: {}, protocol: "native" } },
    { type: "finish", reason: "calls", usage: {} },
  ]);
  expect(requests[0]?.body.tools).toMatchObject([
    { type: "function", function: { name: "add", description: "Adds.", parameters: { required: ["a"] } } },
    {},
  ]);
  const other = await localProvider([
    {
      chunks: bytes(
        sse(anthropicEvents([{ text: "I add." }, { id: "t1", name: "add", input: { a: 2 } }], "tool_use"), {
          named: true,
        }),
        33,
      ),
      pauseMs: 0,
    },
  ]);
  expect((await receive(anthropic(other.url), { ...question, tools })).parts).toMatchObject([
    { type: "call", call: { id: "t1", name: "add", input: { a: 2 } } },
    { type: "finish", reason: "calls", usage: { inputTokens: 11, outputTokens: 7 } },
  ]);
});

it("should hand over arguments that are no JSON as they were written", async () => {
  const events = [...openAiCall(0, "c1", "add", '{"a": 1,'), openAiFinish("tool_calls")];
  const { url } = await localProvider([{ chunks: [sse(events, { done: true })] }]);
  const { parts } = await receive(openAi(url), { ...question, tools });
  expect(parts[0]).toMatchObject({ type: "call", call: { id: "c1", name: "add", input: '{"a": 1,' } });
});

it("should hand over calls of tools that were not declared", async () => {
  const events = [...openAiCall(0, "c1", "subtract", { a: 1 }), openAiFinish("tool_calls")];
  const { url } = await localProvider([{ chunks: [sse(events, { done: true })] }]);
  const { parts } = await receive(openAi(url), { ...question, tools });
  expect(parts[0]).toMatchObject({ type: "call", call: { id: "c1", name: "subtract", input: { a: 1 } } });
});

it("should send calls and results back in the provider's form", async () => {
  const messages: Message[] = [
    ...question.messages,
    {
      role: "assistant",
      trust: "user",
      parts: [
        { type: "reasoning", text: "hidden" },
        { type: "text", text: "I add." },
        { type: "call", call: { id: "c1", name: "add", input: { a: 1 }, protocol: "native" } },
        { type: "call", call: { id: "c2", name: "add", input: "broken", protocol: "native" } },
      ],
    },
    {
      role: "tool",
      trust: "untrusted",
      parts: [
        {
          type: "result",
          result: { callId: "c1", name: "add", status: "ok", content: [{ type: "text", text: "42" }], data: 42 },
        },
        {
          type: "result",
          result: { callId: "c2", status: "error", content: [], error: { type: "InvalidInput", message: "no object" } },
        },
      ],
    },
    textMessage("user", "Go on.", "host"),
  ];
  const { url, requests } = await localProvider([{ chunks: [sse(openAiText("ok"), { done: true })] }]);
  await receive(openAi(url), { messages, tools });
  expect(requests[0]?.body.messages).toEqual([
    { role: "system", content: "Be brief." },
    { role: "user", content: "你好" },
    {
      role: "assistant",
      content: "I add.",
      tool_calls: [
        { id: "c1", type: "function", function: { name: "add", arguments: '{"a":1}' } },
        { id: "c2", type: "function", function: { name: "add", arguments: '{"input":"broken"}' } },
      ],
    },
    { role: "tool", tool_call_id: "c1", content: "42" },
    { role: "tool", tool_call_id: "c2", content: "no object" },
    { role: "user", content: "Go on." },
  ]);
  const other = await localProvider([{ chunks: [sse(anthropicEvents([{ text: "ok" }]), { named: true })] }]);
  await receive(anthropic(other.url), { messages, tools });
  expect(JSON.stringify(other.requests[0]?.body.messages)).toContain('"is_error":true');
  expect(JSON.stringify(other.requests[0]?.body.messages)).not.toContain("hidden");
});

it.each([
  [401, "model-unauthorised", /key.*bad key/],
  [403, "model-unauthorised", /key/],
  [429, "model-rate-limited", /429/],
  [500, "model-failed", /500/],
])("should say what a status of %i means", async (status, code, message) => {
  const { url, requests } = await localProvider([
    { status, chunks: [JSON.stringify({ error: { message: "bad key", type: "x" } })] },
  ]);
  const error = await failure(openAi(url));
  expect(error.code).toBe(code);
  expect(error.message).toMatch(message);
  expect(error.data.status).toBe(status);
  expect(requests).toHaveLength(1);
});

it("should try again when the provider is busy, and then go on as if nothing had been", async () => {
  const { url, requests } = await localProvider([
    { status: 429, headers: { "retry-after-ms": "1" }, chunks: ['{"error":{"message":"slow down"}}'] },
    { chunks: [sse(openAiText("ok"), { done: true })] },
  ]);
  expect((await receive(openAi(url, 2))).text).toBe("ok");
  expect(requests).toHaveLength(2);
});

it("should fail when nobody listens", async () => {
  expect((await failure(openAi("http://127.0.0.1:1"))).code).toBe("model-unreachable");
});

it("should give what came before an error in the middle of the stream, and then fail", async () => {
  const events = `${sse(openAiText("half an answer").slice(0, 3))}data: {"error":{"message":"engine overloaded","type":"server_error"}}\n\n`;
  const { url } = await localProvider([{ chunks: [events] }]);
  let text = "";
  const reading = async (): Promise<void> => {
    for await (const part of openAi(url)(question, new AbortController().signal))
      if (typeof part === "string") text += part;
  };
  await expect(reading()).rejects.toThrow(/engine overloaded/);
  expect(text).toBe("half an answer");
  const start = anthropicEvents([{ text: "half" }]).slice(0, 4);
  const other = await localProvider([
    {
      chunks: [
        sse([...start, { type: "error", error: { type: "overloaded_error", message: "Overloaded" } }], { named: true }),
      ],
    },
  ]);
  expect((await failure(anthropic(other.url))).message).toMatch(/Overloaded/);
});

it("should not take a connection that breaks for an answer", async () => {
  const { url } = await localProvider([
    { chunks: [sse(openAiText("half an answer").slice(0, 2))], ending: "break", pauseMs: 20 },
  ]);
  expect((await failure(openAi(url))).code).toBe("model-failed");
});

it("should not take a stream without a reason for a whole answer", async () => {
  const { url } = await localProvider([{ chunks: [sse(openAiText("half an answer").slice(0, 2))] }]);
  expect((await failure(openAi(url))).message).toMatch(/finish reason/);
});

it("should stop waiting for a slow provider when the signal says so", async () => {
  const { url } = await localProvider([{ chunks: [sse(openAiText("first"))], ending: "hang" }]);
  const stopped = new AbortController();
  const reading = receive(openAi(url), question, stopped.signal);
  setTimeout(() => stopped.abort(new Error("cancelled")), 50);
  await expect(reading).rejects.toThrow("cancelled");
});
