import type { ToolProtocol } from "@toolglot/core";
import { describe, expect, it } from "vitest";
import { toolglotMiddleware } from "../src/index.ts";
import { toolsxml, write } from "./support/protocols.ts";

// A protocol whose tools are declared, and whose calls are found in the text where the provider made none.

type Part = { type: string; [key: string]: unknown };

const protocol: ToolProtocol = {
  ...toolsxml,
  declaresTools: true,
  readsText: true,
  renderTools: () => "",
  instructions: () => "",
};
const tools = [{ type: "function", name: "weather", inputSchema: { properties: { city: { type: "string" } } } }];
const request = {
  prompt: [{ role: "user", content: [{ type: "text", text: "Hi" }] }],
  tools,
  toolChoice: { type: "auto" },
};
const leaked = write(toolsxml, ["weather", { city: "Rome" }]);
const native: Part = { type: "tool-call", toolCallId: "n1", toolName: "weather", input: '{"city":"Oslo"}' };
const model = { specificationVersion: "v4", modelId: "m" };
const middleware = toolglotMiddleware({ protocol });

async function generate(content: readonly Part[], params: object = request): Promise<Part[]> {
  const result = await middleware.wrapGenerate({
    doGenerate: async () => ({ content, finishReason: { unified: "stop", raw: "stop" }, warnings: [] }),
    params: await middleware.transformParams({ type: "generate", params, model }),
    model,
  });
  return [...result.content, { type: "finish", unified: result.finishReason.unified }];
}

async function stream(parts: readonly Part[]): Promise<Part[]> {
  const source = new ReadableStream<Part>({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
  const params = await middleware.transformParams({ type: "stream", params: request, model });
  const result = await middleware.wrapStream({ doStream: async () => ({ stream: source }), params, model });
  const got: Part[] = [];
  for await (const part of result.stream as AsyncIterable<Part>) got.push(part);
  return got;
}

const calls = (parts: readonly Part[]) => parts.filter(({ type }) => type === "tool-call");

describe("the request", () => {
  it("stays as it is: tools, choice, history, no instructions and no stops", async () => {
    expect(await middleware.transformParams({ type: "generate", params: request, model })).toEqual(request);
  });

  it("shows a refusal as the call that it was, with its words", async () => {
    const refused = { type: "tool-call", toolCallId: "r", toolName: "weather", input: "Cut off." };
    const answer = {
      type: "tool-result",
      toolCallId: "r",
      toolName: "weather",
      output: { type: "error-text", value: "no JSON" },
    };
    const told = { ...refused, providerOptions: { toolglot: { message: "Write it again." } } };
    const prompt = [...request.prompt, { role: "assistant", content: [told] }, { role: "tool", content: [answer] }];
    const changed = await middleware.transformParams({ type: "generate", params: { ...request, prompt }, model });
    expect(changed.prompt.slice(1)).toMatchObject([
      { content: [{ toolCallId: "r", input: {} }] },
      { content: [{ output: { type: "error-text", value: "Write it again." } }] },
    ]);
  });
});

describe("the answer", () => {
  it("gets a call that leaked into the text", async () => {
    const parts = await generate([{ type: "text", text: `I look.\n${leaked}` }]);
    expect(calls(parts)).toMatchObject([{ toolName: "weather", input: '{"city":"Rome"}' }]);
    expect(parts.at(-1)).toEqual({ type: "finish", unified: "tool-calls" });
    expect(JSON.stringify(parts)).not.toContain("<tools>");
  });

  it("keeps the provider's calls, and runs none of the text beside them, whole and streamed", async () => {
    const text = [
      { type: "text-start", id: "1" },
      { type: "text-delta", id: "1", delta: leaked },
      { type: "text-end", id: "1" },
    ];
    const finish = { type: "finish", finishReason: { unified: "tool-calls", raw: "tool_calls" }, usage: {} };
    expect(calls(await generate([{ type: "text", text: leaked }, native]))).toEqual([native]);
    const streamed = await stream([...text, native, finish]);
    expect(calls(streamed)).toEqual([native]);
    expect(calls(await stream([...text, { ...finish, finishReason: { unified: "stop", raw: "stop" } }]))).toHaveLength(
      1,
    );
  });

  it("refuses a call that is cut off, and leaves plain text and answers without tools alone", async () => {
    const [refusal] = calls(await generate([{ type: "text", text: leaked.slice(0, -12) }]));
    expect(() => JSON.parse(refusal?.input as string)).toThrow();
    expect(calls(await generate([{ type: "text", text: "Sunny." }]))).toEqual([]);
    const none = { ...request, toolChoice: { type: "none" } };
    expect(await generate([{ type: "text", text: leaked }], none)).toContainEqual({ type: "text", text: leaked });
  });
});
