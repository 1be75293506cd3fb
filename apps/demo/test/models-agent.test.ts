import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { aiSdkModel } from "@toolglot/ai-sdk";
import type { Model } from "@toolglot/core";
import { leftToCi } from "@toolglot/internal/testing";
import {
  anthropicEvents,
  bytes,
  localProvider,
  openAiCall,
  openAiDeltas,
  openAiFinish,
  openAiText,
  sse,
} from "@toolglot/internal/testing/providers";
import { expect, it } from "vitest";
import { runQuestion } from "./support/agent.ts";
import { openShop } from "./support/shop.ts";

const { session } = openShop();

function openAi(url: string): Model {
  const provider = createOpenAICompatible({ name: "local", baseURL: `${url}/v1`, includeUsage: true });
  return aiSdkModel({ model: provider("local"), maxRetries: 1 });
}

function anthropic(url: string): Model {
  return aiSdkModel({ model: createAnthropic({ apiKey: "key", baseURL: `${url}/v1` })("local"), maxRetries: 0 });
}

const program = (code: string): string =>
  `thought = "我来数一数 🎒"\n\n[tool_call]\nstatus = "success"\ntarget = "统计"\ncode = '''\n${code}\n'''\n`;
const counting = '__result__ = "共 " + str(query_sql("SELECT COUNT(*) AS n FROM products")["rows"][0]["n"]) + " 种 🎒"';

it("should run an ATTP program whose characters were cut by the network, and count late usage", async (context) => {
  leftToCi(context);
  const { url, requests } = await localProvider([
    { chunks: bytes(sse(openAiText(program(counting), "stop", [100, 20]), { done: true }), 31), pauseMs: 0 },
    { chunks: bytes(sse(openAiText("共有 18 种商品。", "stop", [150, 5]), { done: true }), 7), pauseMs: 0 },
  ]);
  const { result, codes } = await runQuestion(session, "有多少种商品？", { model: openAi(url), protocol: "attp" });
  expect(result).toMatchObject({
    status: "answered",
    text: "共有 18 种商品。",
    usage: { inputTokens: 250, outputTokens: 25 },
  });
  expect(result.results[0]?.data).toBe("共 18 种 🎒");
  expect(codes).toEqual([]);
  expect(JSON.stringify(requests[1]?.body.messages)).toContain("共 18 种 🎒");
});

it("should not run a program that was cut at the token limit, and ask for it again", async () => {
  const whole = program(counting);
  const { url } = await localProvider([
    { chunks: [sse(openAiText(whole.slice(0, -20), "length"), { done: true })] },
    { chunks: [sse(openAiText(whole), { done: true })] },
    { chunks: [sse(openAiText("18"), { done: true })] },
  ]);
  const { result, events, called } = await runQuestion(session, "count", { model: openAi(url), protocol: "attp" });
  expect(events.find(({ type }) => type === "repair-turn")).toMatchObject({ reason: "truncated" });
  expect(called).toEqual(["query_sql"]);
  expect(result).toMatchObject({ status: "answered", text: "18", turns: 3 });
});

it("should run nothing of an answer whose stream broke, and end in an error", async () => {
  const text = openAiText(program('__result__ = create_ticket("a", "b")')).slice(0, -1);
  const { url } = await localProvider([
    { chunks: [`${sse(text)}data: {"error":{"message":"engine overloaded"}}\n\n`] },
  ]);
  const { result, called } = await runQuestion(session, "go", { model: openAi(url), protocol: "attp" });
  expect(result).toMatchObject({
    status: "error",
    error: { code: "model-failed", message: expect.stringMatching(/overloaded/) },
  });
  expect(called).toEqual([]);
});

it("should take an answer that a stop sequence ended for a whole one", async () => {
  const { url } = await localProvider([
    { chunks: [sse(anthropicEvents([{ text: "Done." }], "stop_sequence", "</end>"), { named: true })] },
  ]);
  const { result } = await runQuestion(session, "hi", { model: anthropic(url), protocol: "attp" });
  expect(result).toMatchObject({ status: "answered", text: "Done." });
});

it("should run native calls that streamed in fragments, both at once", async () => {
  const calls = [
    ...openAiDeltas([{ role: "assistant", content: "I look twice." }]),
    ...openAiCall(0, "c1", "query_sql", { sql: "SELECT COUNT(*) AS n FROM products" }, 3),
    ...openAiCall(1, "c2", "search_documents", { query: "退款", top_k: "1" }, 3),
    openAiFinish("tool_calls"),
  ];
  const { url, requests } = await localProvider([
    { chunks: bytes(sse(calls, { done: true }), 64), pauseMs: 0 },
    { chunks: [sse(openAiText("18, zh-refunds"), { done: true })] },
  ]);
  const { result, called } = await runQuestion(session, "go", { model: openAi(url), protocol: "native" });
  expect([...called].sort()).toEqual(["query_sql", "search_documents"]);
  expect(result).toMatchObject({ status: "answered", text: "18, zh-refunds" });
  const sent = JSON.stringify(requests[1]?.body.messages);
  expect(sent).toContain('\\"n\\":18');
  expect(sent).toContain("zh-refunds");
});

it("should run a native Anthropic call, tell it of its faults, and end in its answer", async () => {
  const { url, requests } = await localProvider([
    {
      chunks: [
        sse(anthropicEvents([{ text: "First." }, { id: "t1", name: "fetch_document", input: {} }], "tool_use"), {
          named: true,
        }),
      ],
    },
    {
      chunks: [
        sse(anthropicEvents([{ id: "t2", name: "fetch_document", input: { document_id: "refunds" } }], "tool_use"), {
          named: true,
        }),
      ],
    },
    { chunks: [sse(anthropicEvents([{ text: "Ten days." }]), { named: true })] },
  ]);
  const { result } = await runQuestion(session, "go", { model: anthropic(url), protocol: "native" });
  expect(result.results.map(({ status }) => status)).toEqual(["error", "ok"]);
  expect(result).toMatchObject({ status: "answered", text: "Ten days.", usage: { inputTokens: 33, outputTokens: 21 } });
  expect(JSON.stringify(requests[1]?.body.messages)).toMatch(/"is_error":true/);
  expect(JSON.stringify(requests[2]?.body.messages)).toContain("within 10 days");
});

it("should deny a call that nobody approved, and tell the model", async () => {
  const { url, requests } = await localProvider([
    {
      chunks: [
        sse(
          [
            ...openAiCall(0, "c1", "delete_record", { resource_type: "ticket", resource_id: "1" }),
            openAiFinish("tool_calls"),
          ],
          { done: true },
        ),
      ],
    },
    { chunks: [sse(openAiText("It was not approved."), { done: true })] },
  ]);
  const { result } = await runQuestion(session, "go", { model: openAi(url), protocol: "native", approve: () => false });
  expect(result).toMatchObject({ status: "answered", denied: 1, text: "It was not approved." });
  expect(JSON.stringify(requests[1]?.body.messages)).toMatch(/denied/);
});

it.each([
  [401, "model-unauthorised"],
  [500, "model-failed"],
])("should end in an error when the provider answers %i", async (status, code) => {
  const { url } = await localProvider([
    { status, headers: { "retry-after-ms": "1" }, chunks: ['{"error":{"message":"no"}}'] },
  ]);
  const { result } = await runQuestion(session, "hi", { model: openAi(url), protocol: "attp" });
  expect(result).toMatchObject({ status: "error", error: { code } });
});

it("should answer after a provider that was busy once", async () => {
  const { url, requests } = await localProvider([
    { status: 429, headers: { "retry-after-ms": "1" }, chunks: ['{"error":{"message":"slow down"}}'] },
    { chunks: [sse(openAiText("Hello."), { done: true })] },
  ]);
  const { result } = await runQuestion(session, "hi", { model: openAi(url), protocol: "attp" });
  expect([result.status, result.text, requests.length]).toEqual(["answered", "Hello.", 2]);
});
