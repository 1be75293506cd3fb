import { type AgentOptions, parseRecording, recordRun, replayRun, stringifyRecording } from "@toolglot/agent";
import type { Question, QuestionAnswer, ToolCall } from "@toolglot/core";
import { expect, it } from "vitest";
import { bracketProtocol } from "./support/bracket-protocol.ts";
import { collect, only } from "./support/collect.ts";
import { manualRuntime } from "./support/manual-runtime.ts";
import { setUp } from "./support/set-up.ts";
import { recordingExecutor } from "./support/tools.ts";

const form: Question = { kind: "elicitation", server: "s", message: "Which?", schema: { type: "object" } };
const sampling: Question = { kind: "sampling", server: "s", request: { messages: [] } };

/** An executor whose calls ask, and give what they were answered. */
function asking(question: Question) {
  return recordingExecutor(async ({ id: callId, name: tool }: ToolCall, { ask }) => {
    const answer = await ask?.(question, { callId, tool });
    return JSON.stringify(answer ?? "nobody");
  });
}

const script = ["[[call add {}]]", "Done."];

async function answered(question: Question, options: Partial<AgentOptions>) {
  const { agent } = setUp(script, { executor: asking(question), ...options });
  const run = agent.run("Go");
  const events = await collect(run);
  const { results } = await run.result;
  return { events, said: JSON.parse(String(results[0]?.data)) as unknown };
}

it("should pass a question on, and the answer back, with an event for each", async () => {
  const seen: unknown[] = [];
  const { events, said } = await answered(form, {
    ask: (question, { callId, stepIndex }) => {
      seen.push([question, callId, stepIndex]);
      return { action: "accept", content: { size: 1 } };
    },
  });
  expect(said).toEqual({ action: "accept", content: { size: 1 } });
  expect(seen).toEqual([[form, "call_0", 0]]);
  expect(only(events, "question")).toMatchObject([{ callId: "call_0", question: form, stepIndex: 0 }]);
  expect(only(events, "question-answer")).toMatchObject([{ callId: "call_0", answer: said, stepIndex: 0 }]);
});

it("should say that nobody can be asked without ask", async () => {
  expect(await answered(form, {})).toMatchObject({ said: "nobody" });
});

it.each<[string, () => unknown]>([
  ["throws", () => Promise.reject(new Error("window closed"))],
  ["gives nothing", () => undefined],
  ["gives something else", () => ({ action: "yes" })],
])("should cancel when ask %s, with a warning", async (_case, ask) => {
  const { events, said } = await answered(form, { ask: ask as NonNullable<AgentOptions["ask"]> });
  expect(said).toEqual({ action: "cancel" });
  expect(only(events, "warning")).toMatchObject([{ code: "agent/ask-failed" }]);
});

it("should have a wish for a model's text approved before it is passed on", async () => {
  const ask = (): QuestionAnswer => ({ action: "accept", content: { role: "assistant" } });
  const denied = await answered(sampling, { ask });
  expect(denied.said).toEqual({ action: "decline" });
  expect(only(denied.events, "approval-request")).toMatchObject([
    { request: { kind: "sampling", callId: "call_0", tool: "add", input: { messages: [] } } },
  ]);
  const approved = await answered(sampling, { ask, approve: ({ kind }) => kind === "sampling" });
  expect(approved.said).toEqual({ action: "accept", content: { role: "assistant" } });
});

it("should not count the time of a question", async () => {
  const runtime = manualRuntime();
  const answers: ((answer: QuestionAnswer) => void)[] = [];
  const ask = (): Promise<QuestionAnswer> => new Promise((resolve) => answers.push(resolve));
  const { agent } = setUp(script, { executor: asking(form), ask, runtime, limits: { timeMs: 5000 } });
  const run = agent.run("Go");
  await runtime.until(() => answers.length === 1);
  expect(runtime.waiting("deadline")).toBe(false);
  runtime.pass(60_000);
  answers[0]?.({ action: "decline" });
  expect(await run.result).toMatchObject({ status: "answered" });
});

it("should cancel a question whose run is stopped", async () => {
  const stop = new AbortController();
  const ask = (): Promise<QuestionAnswer> => {
    stop.abort();
    return new Promise(() => {});
  };
  const { agent } = setUp(script, { executor: asking(form), ask });
  const run = agent.run("Go", { signal: stop.signal });
  expect(await run.result).toMatchObject({ status: "aborted" });
  expect(only(await collect(run), "warning")).toEqual([]);
});

it.each([
  ["answers", form],
  ["wishes for a model's text", sampling],
])("should replay %s without asking anybody", async (_case, question) => {
  const { model } = setUp(["[[call add {}]]", '[[call add {"a":1}]]', "Done."]);
  const protocol = bracketProtocol();
  let asked = 0;
  const ask = async (): Promise<QuestionAnswer> => {
    asked += 1;
    if (asked === 2) throw new Error("window closed");
    return { action: "accept", content: { size: 1 } };
  };
  const options = { model, protocol, executor: asking(question), tools: [], ask, approve: () => true };
  const run = recordRun(options, "Go");
  const events = await collect(run);
  expect(await run.result).toMatchObject({ status: "answered" });
  expect(asked).toBe(2);
  const played = replayRun(parseRecording(stringifyRecording(run.recording)), { protocol });
  expect(await collect(played)).toEqual(events);
  expect([played.divergence, asked]).toEqual([undefined, 2]);
});
