import type { Question, QuestionAnswer, ToolContext } from "@toolglot/core";
import { executorContext } from "@toolglot/core/executing";
import { expect, it } from "vitest";
import { codeTools, sandboxExecutor } from "../src/node/index.ts";
import { tool } from "./support.ts";
import { sharedSandbox } from "./worker-sandbox.ts";

const question: Question = { kind: "elicitation", server: "s", message: "Which?" };
const answer: QuestionAnswer = { action: "accept", content: { size: 1 } };
const asks = tool("order", {}, async (_input: unknown, { ask }: ToolContext) => (await ask?.(question)) ?? "nobody");
const sandbox = sharedSandbox("javascript", { tools: [asks], limits: { toolTimeMs: 300 } });

const source = "return await order({})";
const action = {
  kind: "code" as const,
  id: "p",
  language: "javascript" as const,
  source,
  span: { start: 0, end: source.length },
};

it("passes a server's question on for the call that a program makes; the time is not the tool's", async () => {
  const asked: unknown[] = [];
  const context = executorContext({
    ask: async (given, call) => {
      asked.push([given, call]);
      await new Promise((resolve) => setTimeout(resolve, 500));
      return answer;
    },
  });
  const [result] = await sandboxExecutor(sandbox).execute(action, context);
  expect(result).toMatchObject({ status: "ok", data: answer });
  expect(asked).toEqual([[question, { callId: expect.stringMatching(/^p/), tool: "order" }]]);
});

it("says that nobody can be asked where nobody can", async () => {
  const [result] = await sandboxExecutor(sandbox).execute(action, executorContext());
  expect(result).toMatchObject({ status: "ok", data: "nobody" });
});

it("passes a question of a program in a tool on to the tool's own host", async () => {
  const [runCode] = codeTools(sandbox);
  const asked: unknown[] = [];
  const context: ToolContext = {
    signal: new AbortController().signal,
    callId: "c1",
    ask: async (given) => {
      asked.push(given);
      return answer;
    },
  };
  const value: unknown = await runCode?.execute({ code: source }, context);
  expect(JSON.stringify(value)).toContain('"size":1');
  expect(asked).toEqual([question]);
});
