import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import type { Model } from "@toolglot/core";
import { ToolglotError, textMessage } from "@toolglot/core";
import { localProvider, openAiText, sse } from "@toolglot/internal/testing/providers";
import { expect, it, onTestFinished } from "vitest";
import { type Asking, chooseModel } from "../src/models/choose-model.ts";
import { resolveModel } from "../src/models/resolve-model.ts";
import { wordsFor } from "../src/words/index.ts";

const request = { messages: [textMessage("user", "hi")] };

/** What a model says until it fails, and how it fails. */
async function run(model: Model): Promise<{ text: string; error: ToolglotError | undefined }> {
  let text = "";
  try {
    for await (const part of model(request, new AbortController().signal)) if (typeof part === "string") text += part;
  } catch (error) {
    expect(ToolglotError.isInstance(error)).toBe(true);
    return { text, error: error as ToolglotError };
  }
  return { text, error: undefined };
}

const model = (baseUrl: string, more: Partial<Asking> = {}): Model =>
  chooseModel(
    { id: "m", label: "m", server: { baseUrl, key: undefined } },
    { maxRetries: 0, words: wordsFor(), ...more },
  );

/** A server that takes connections and says nothing. */
async function silentServer(): Promise<string> {
  const server = createServer((socket) => socket.on("error", () => {}).resume());
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

it("should not wait longer than it was told for a provider's first byte", async () => {
  const url = await silentServer();
  const { error } = await run(model(url, { timeoutSeconds: 0.2 }));
  expect(error?.code).toBe("model-stalled");
  expect(error?.message).toBe(
    "No answer from openai-compatible.chat m within 0.2 s. A model that is still being loaded may need longer: --timeout SECONDS.",
  );
});

it("should take headers alone for no answer", async () => {
  const { url } = await localProvider([{ chunks: [], ending: "hang" }]);
  expect((await run(model(`${url}/v1`, { timeoutSeconds: 0.3 }))).error?.message).toMatch(/^No answer from/);
});

it("should say that an answer stopped in the middle, after what had come", async () => {
  const { url } = await localProvider([{ chunks: [sse(openAiText("first words ").slice(0, 3))], ending: "hang" }]);
  const { text, error } = await run(model(`${url}/v1`, { timeoutSeconds: 0.5 }));
  expect(text).not.toBe("");
  expect(error).toMatchObject({ code: "model-stalled", message: expect.stringMatching(/then was silent for 0.5 s/) });
});

it("should wait for an answer that comes slowly, but comes", async () => {
  const chunks = openAiText("one two three four five six").map((event) => sse([event]));
  const { url } = await localProvider([{ chunks: [...chunks, "data: [DONE]\n\n"], pauseMs: 300 }]);
  expect(await run(model(`${url}/v1`, { timeoutSeconds: 30 }))).toEqual({
    text: "one two three four five six",
    error: undefined,
  });
});

it.each([
  ["", "/v1"],
  ["/api", "/v1"],
])("should name the URL of a 404, and the version that the base %j may lack", async (path, version) => {
  const { url } = await localProvider([{ status: 404, chunks: ["{}"] }]);
  const { error } = await run(model(`${url}${path}`));
  expect(error?.message).toContain(`404 to ${url}${path}/chat/completions`);
  expect(error?.message).toContain(`did you mean ${url}${path}${version} ?`);
  expect(error?.code).toBe("model-address");
});

it("should not doubt a base with a version", async () => {
  const listed = { chunks: ['{"data":[{"id":"qwen3"},{"id":"m1"}]}'] };
  const { url } = await localProvider([{ status: 404, chunks: ['{"error":{"message":"no such model"}}'] }, listed]);
  const { error } = await run(model(`${url}/v1`));
  expect(error?.message).toBe(
    `The provider at ${url}/v1/chat/completions does not know the model m: no such model. The server has: m1, qwen3.`,
  );
});

it("should take a base that names the whole endpoint", async () => {
  const { url, requests } = await localProvider([{ chunks: [sse(openAiText("ok"), { done: true })] }]);
  expect((await run(model(`${url}/v1/chat/completions`))).text).toBe("ok");
  expect(requests[0]?.path).toBe("/v1/chat/completions");
});

it("should tell of each time that it asks again", async () => {
  const told: string[] = [];
  const { url } = await localProvider([
    { status: 503, headers: { "retry-after-ms": "1" }, chunks: ['{"error":{"message":"loading"}}'] },
    { chunks: [sse(openAiText("ok"), { done: true })] },
  ]);
  expect((await run(model(`${url}/v1`, { maxRetries: 1, onRetry: (reason) => told.push(reason) }))).text).toBe("ok");
  expect(told).toEqual([`The provider answered 503 to ${url}/v1/chat/completions: loading`]);
});

it("should speak Chinese when it is asked to", async () => {
  const url = await silentServer();
  const { error } = await run(model(url, { timeoutSeconds: 0.2, words: wordsFor("zh") }));
  expect(error?.message).toContain("在 0.2 秒内没有应答");
});

it("should name where models are to be had when the base is missing", () => {
  expect(() => resolveModel("gpt-4o", undefined, { values: {}, env: {} })).toThrow(/api\.openai\.com\/v1.*11434/);
});
