import { type AgentRun, createAgent, nativeProtocol } from "@toolglot/agent";
import { scriptedModel } from "@toolglot/agent/testing";
import type { Model, ModelPart } from "@toolglot/core";
import type { LogStore, Storage } from "@toolglot/core/storage";
import { defineTool, makeSubagentTool, Toolkit, toolkitExecutor } from "@toolglot/toolkit";
import { describe, expect, it } from "vitest";
import { memoryRuns } from "./support/memory-runs.ts";

const protocol = nativeProtocol();
/** A model that calls once, and then ends: what it does depends on nothing but the conversation. */
function once(name: string, answer: string, tokens: number): Model {
  return async function* ({ messages }): AsyncGenerator<ModelPart | string> {
    const isFirst = messages.every(({ role }) => role !== "tool");
    yield isFirst ? { type: "call", call: { id: "1", name, input: { title: "Emma" }, protocol: "native" } } : answer;
    yield { type: "finish", reason: "stop", usage: { inputTokens: tokens } };
  };
}

function open(storage: Storage, ordered: string[]) {
  const library = new Toolkit();
  library.registerToolFunction(
    defineTool({
      ...{ name: "order_book", description: "Orders a book.", args: { title: "string" } },
      execute: ({ title }) => ordered.push(title) && `${title} is ordered.`,
    }),
  );
  const toolkit = new Toolkit();
  const librarian = createAgent({
    ...{ model: once("order_book", "It comes on Friday.", 300), protocol, storage, tools: library },
    executor: toolkitExecutor(library),
  });
  toolkit.registerToolFunction(
    makeSubagentTool({
      ...{ name: "ask_librarian", description: "Asks the librarian.", args: { title: "string" } },
      annotations: { idempotentHint: true },
      async *run({ title }, { runId, callId, signal, report }) {
        try {
          const run: AgentRun = await librarian.resume(`${runId}.${callId}`, { begin: title, signal });
          for await (const event of run) yield event;
          const { text, usage } = await run.result;
          report?.({ usage });
          return text;
        } catch (error) {
          const { code, data } = error as { code: string; data: { text: string; usage: object } };
          if (code !== "agent/session-ended") throw error;
          report?.({ usage: data.usage });
          return data.text;
        }
      },
    }),
  );
  return createAgent({
    ...{ model: once("ask_librarian", "On Friday.", 200), protocol, storage, tools: toolkit },
    executor: toolkitExecutor(toolkit),
  });
}

describe("an agent behind a tool", () => {
  it("goes on wherever its process died, has its effect once at most, and is counted once", async () => {
    const whole = memoryRuns();
    const moments: Map<string, string[]>[] = [];
    const effects: number[] = [];
    const ordered: string[] = [];
    const append: LogStore["append"] = async (...given) => {
      const isAdded = await whole.logs.append(...given);
      moments.push(new Map([...whole.runs].map(([id, lines]) => [id, [...lines]])));
      effects.push(ordered.length);
      return isAdded;
    };
    const watched: Storage = { ...whole, logs: { ...whole.logs, append } };
    await open(watched, ordered).run("Emma, please", { runId: "r" }).result;
    expect(ordered).toEqual(["Emma"]);
    expect(moments.length).toBeGreaterThan(9);
    let answers = 0;
    for (const [at, logs] of moments.slice(0, -1).entries()) {
      const storage = memoryRuns();
      for (const [id, lines] of logs) storage.runs.set(id, lines);
      const again: string[] = [];
      const run = await open(storage, again).resume("r");
      const { status, text, usage } = await run.result;
      expect({ status, text }).toEqual({ status: "answered", text: "On Friday." });
      expect((effects[at] ?? 0) + again.length).toBeLessThanOrEqual(1);
      expect(usage).toMatchObject({ inputTokens: 1000, own: { inputTokens: 400 } });
      if (JSON.stringify(storage.runs.get("r.1")).includes("It comes on Friday.")) answers += 1;
    }
    expect(answers).toBe(moments.length - 1);
  });

  it("begins where there is nothing, and not from a snapshot", async () => {
    const storage = memoryRuns();
    const agent = createAgent({
      ...{ model: scriptedModel(["Hello."]), protocol, storage, tools: [], executor: toolkitExecutor(new Toolkit()) },
    });
    const run = await agent.resume("r", { begin: "Hi" });
    expect(await run.result).toMatchObject({ status: "answered", text: "Hello." });
    await expect(agent.resume(run.snapshot(), { begin: "Hi" })).rejects.toThrow(/begin is for a run's id/);
    await expect(agent.resume("r", { begin: "Hi" })).rejects.toMatchObject({
      code: "agent/session-ended",
      data: { status: "answered", text: "Hello.", usage: {} },
    });
    await expect(agent.resume("other")).rejects.toMatchObject({ code: "agent/session-unknown" });
  });

  it("is not available when it fails in the middle of its events, and says so", async () => {
    const toolkit = new Toolkit();
    const released: string[] = [];
    toolkit.registerToolFunction(
      makeSubagentTool({
        ...{ name: "helper", description: "Helps.", args: {} },
        async *run() {
          try {
            yield "begun";
            throw new Error("no connection");
          } finally {
            released.push("yes");
          }
        },
      }),
    );
    const responses = [];
    for await (const response of toolkit.callToolFunction({ name: "helper", input: {} })) responses.push(response);
    expect(responses.map(({ status, data }) => [status, data])).toEqual([
      ["ok", "begun"],
      ["error", undefined],
    ]);
    expect(responses.at(-1)).toMatchObject({ isLast: true, metadata: { unavailable: true } });
    expect(responses.at(-1)?.error?.message).toMatch(/The agent behind "helper" is not available: .*no connection/);
    expect(released).toEqual(["yes"]);
  });
});
