import { attpProtocol } from "@toolglot/attp";
import { attpJavascriptPrompt } from "@toolglot/prompts/attp";
import { codeTools, createSandbox } from "@toolglot/sandbox";
import { generateText, stepCountIs, streamText, ToolLoopAgent, type ToolSet, tool, wrapLanguageModel } from "ai";
import { afterAll, beforeEach, expect, it } from "vitest";
import { z } from "zod";
import { fromAiSdkTools, toAiSdkTools, toolglotMiddleware } from "../src/index.ts";
import { writeProgram } from "./support/protocols.ts";
import { scriptedProvider, type Turn } from "./support/scripted-provider.ts";

globalThis.AI_SDK_LOG_WARNINGS = false;

const sandbox = createSandbox({ language: "javascript", pool: { size: 0 } });
afterAll(() => sandbox[Symbol.asyncDispose]());

const stock = new Map<string, number>();
beforeEach(() => stock.clear());

/** Tools that somebody has written for the AI SDK. */
const userTools = {
  count: tool({
    description: "Counts what is there.",
    inputSchema: z.object({ article: z.string() }),
    execute: async ({ article }) => ({ count: stock.get(article) ?? 0 }),
  }),
  order: tool({
    description: "Orders.",
    inputSchema: z.object({ article: z.string(), pieces: z.number().int() }),
    needsApproval: true,
    execute: async ({ article, pieces }) => {
      stock.set(article, (stock.get(article) ?? 0) + pieces);
      return "ordered";
    },
  }),
  slowly: tool({
    description: "Takes its time.",
    inputSchema: z.object({}),
    async *execute() {
      yield "one";
      yield "two";
    },
  }),
};
const programTools = fromAiSdkTools(userTools);
const toolsFor = (approved?: boolean): ToolSet =>
  toAiSdkTools(
    codeTools(sandbox, { tools: programTools, ...(approved !== undefined && { approve: async () => ({ approved }) }) }),
  );

const program = (code: string): Turn => ({
  text: "",
  finish: "tool-calls",
  parts: [{ type: "tool-call", toolCallId: "p1", toolName: "executeJavascriptCode", input: JSON.stringify({ code }) }],
});

/** What the model reads of a program's result. */
const shown = (asked: { prompt: { content: { output: { type: string; value: string } }[] }[] }[]): string =>
  asked[1]?.prompt.at(-1)?.content[0]?.output.value ?? "";

it("runs programs that call tools of the AI SDK, in generateText, streamText and ToolLoopAgent", async () => {
  stock.set("pear", 5);
  const code = 'console.log("looking"); const found = await count({ article: "pear" }); return found.count + 1;';
  for (const way of ["generate", "stream", "agent"]) {
    const { model, asked } = scriptedProvider([program(code), "Six."]);
    const options = { model, tools: toolsFor(), stopWhen: stepCountIs(3) };
    const text =
      way === "generate"
        ? (await generateText({ ...options, prompt: "?" })).text
        : way === "stream"
          ? await streamText({ ...options, prompt: "?" }).text
          : (await new ToolLoopAgent(options).generate({ prompt: "?" })).text;
    expect(text).toBe("Six.");
    expect(JSON.parse(shown(asked))).toMatchObject({
      value: 6,
      logs: [{ stream: "stdout", text: expect.stringContaining("looking") }],
    });
  }
});

it("tells errors with their line and its source", async () => {
  const { model, asked } = scriptedProvider([program("const a = 1;\nthrow new Error('bad thing');"), "I see."]);
  await generateText({ model, tools: toolsFor(), prompt: "?", stopWhen: stepCountIs(2) });
  expect(shown(asked)).toMatch(/bad thing[\s\S]*2|2[\s\S]*bad thing/);
  expect(shown(asked)).toContain("throw new Error");
});

it("asks about calls inside a program through approve, and denies them without", async () => {
  const code = 'try { return await order({ article: "pear", pieces: 2 }); } catch (error) { return error.message; }';
  for (const [approved, result] of [
    [true, "ordered"],
    [false, "denied"],
    [undefined, "denied"],
  ] as const) {
    stock.clear();
    const { model, asked } = scriptedProvider([program(code), "Done."]);
    await generateText({ model, tools: toolsFor(approved), prompt: "?", stopWhen: stepCountIs(2) });
    expect(JSON.parse(shown(asked)).value).toContain(result);
    expect(stock.get("pear")).toBe(approved === true ? 2 : undefined);
  }
});

it("takes the last value of a tool that streams, and ends with the signal", async () => {
  const { model, asked } = scriptedProvider([program("return await slowly({});"), "Done."]);
  await generateText({ model, tools: toolsFor(), prompt: "?", stopWhen: stepCountIs(2) });
  expect(JSON.parse(shown(asked)).value).toBe("two");
  const stop = new AbortController();
  const endless = scriptedProvider([program("for (;;) {}"), "Done."]);
  const running = generateText({
    model: endless.model,
    tools: toolsFor(),
    prompt: "?",
    stopWhen: stepCountIs(2),
    abortSignal: stop.signal,
  });
  setTimeout(() => stop.abort(new Error("enough")), 300);
  const ended = await Promise.allSettled([running]);
  expect(endless.asked.length).toBeLessThanOrEqual(2);
  expect(ended[0]?.status === "rejected" || endless.asked.length === 1).toBe(true);
});

it("runs what the model writes as text, with the middleware and ATTP", async () => {
  stock.set("pear", 5);
  const protocol = attpProtocol({ prompt: attpJavascriptPrompt, language: "javascript" });
  const middleware = toolglotMiddleware({
    protocol,
    specificationVersion: "v3",
    programs: { tool: "executeJavascriptCode", tools: programTools },
  });
  const text = writeProgram(
    protocol as never,
    'const found = await count({ article: "pear" });\nreturn found.count;\n',
  );
  const { model, asked } = scriptedProvider([`I look.\n\n${text}`, "There are 5."]);
  const result = await generateText({
    model: wrapLanguageModel({ model, middleware }),
    tools: toolsFor(),
    prompt: "How many?",
    stopWhen: stepCountIs(3),
  });
  expect(result.text).toBe("There are 5.");
  expect(JSON.stringify(asked[1].prompt.at(-1))).toContain("[tool_result]");
  expect(asked[0].prompt[0].content).toContain("count");
  expect(asked[0].prompt[0].content).not.toContain("executeJavascriptCode");
});
