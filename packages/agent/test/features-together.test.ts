import { type AgentOptions, type AgentTracing, createAgent, nativeProtocol, type TracedRun } from "@toolglot/agent";
import { type ScriptedTurn, scriptedModel } from "@toolglot/agent/testing";
import { attpProtocol } from "@toolglot/attp";
import { type ModelPart, messageText } from "@toolglot/core";
import { attpPrompt } from "@toolglot/prompts/attp";
import { tamPrompt } from "@toolglot/prompts/tam";
import { tamProtocol } from "@toolglot/tam";
import { defineTool, Toolkit, toolkitExecutor } from "@toolglot/toolkit";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { memoryRuns } from "./support/memory-runs.ts";

// Sessions, answers with a form, artifacts, hooks and traces are each tested by themselves; here they meet.

const schema = z.object({ city: z.string() });
const call = (id: string, name: string, input: unknown): ModelPart => ({
  type: "call",
  call: { id, name, input, protocol: "native" },
});

function optionsOf(turns: readonly ScriptedTurn[], more: Partial<AgentOptions> = {}) {
  const toolkit = new Toolkit();
  toolkit.registerToolFunction(
    defineTool({
      name: "read",
      description: "Reads.",
      args: { size: "integer" },
      execute: ({ size }) => "x".repeat(size),
    }),
  );
  const model = scriptedModel(turns);
  const base = { model, protocol: nativeProtocol(), executor: toolkitExecutor(toolkit), tools: toolkit };
  return { ...base, ...more, model };
}

/** A log of which only the first lines were written. */
async function cutAfter(type: string, turns: readonly ScriptedTurn[], more: Partial<AgentOptions> = {}) {
  const store = memoryRuns();
  const options = optionsOf(turns, { ...more, storage: store });
  const result = await createAgent(options).run("Where to?", { runId: "r" }).result;
  const lines = store.runs.get("r") as string[];
  const end = lines.findIndex((line) => JSON.parse(line).type === type) + 1;
  return { result, snapshot: { version: 1 as const, runId: "r", lines: lines.slice(0, end) } };
}

describe("a run that goes on", () => {
  it("ends with the final answer that was taken before it was cut off", async () => {
    const turns = [[call("a", "read", { size: 3 }), call("b", "final_answer", { city: "Oslo" })]];
    const { result, snapshot } = await cutAfter("results", turns, { output: { schema } });
    expect(result).toMatchObject({ status: "answered", value: { city: "Oslo" } });
    const options = optionsOf([], { output: { schema } });
    const resumed = await (await createAgent(options).resume(snapshot)).result;
    expect(resumed).toMatchObject({ status: "answered", value: { city: "Oslo" }, turns: 1 });
    expect(options.model.requests).toEqual([]);
  });

  it("offers again what was left out of its results", async () => {
    const turns = [[call("a", "read", { size: 9_000 })], "Read."];
    const { snapshot } = await cutAfter("step", turns, { context: { maxResultChars: 1_000 } });
    const options = optionsOf(["Done."], { context: { maxResultChars: 1_000 } });
    await (await createAgent(options).resume(snapshot)).result;
    expect(options.model.requests[0]?.tools?.map(({ name }) => name)).toEqual(["read", "read_artifact"]);
  });

  it("names in traces the run that it goes on with", async () => {
    const begun: TracedRun[] = [];
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    const tracing: AgentTracing = {
      startRun(run) {
        begun.push(run);
        const request = { within: (work: () => void) => work(), firstPart() {}, end() {} };
        return { traceparent, within: (work) => work(), startRequest: () => request, toolCall() {}, end() {} };
      },
    };
    const { snapshot } = await cutAfter("head", ["Hello."], { tracing });
    await (await createAgent(optionsOf(["Hello."], { tracing })).resume(snapshot)).result;
    expect(begun.map(({ resumedFrom }) => resumedFrom)).toEqual([undefined, traceparent]);
  });
});

describe("a step in another protocol", () => {
  it("ends by the same tool where the model can call it", async () => {
    const protocol = tamProtocol({ prompt: tamPrompt });
    const action = { kind: "calls" as const, span: { start: 0, end: 0 } };
    const calls = [{ id: "1", name: "final_answer", input: { city: "Oslo" }, protocol: "any" }];
    const inputSchema = { type: "object" as const, properties: { city: { type: "string" as const } } };
    const tools = [{ name: "final_answer", description: "", inputSchema }];
    const options = optionsOf([protocol.formatActions([{ ...action, calls }], { tools })], {
      output: { schema },
      prepareStep: () => ({ protocol }),
    });
    expect(await createAgent(options).run("Where to?").result).toMatchObject({ value: { city: "Oslo" } });
    expect(messageText(options.model.requests[0]?.messages[0] as never)).toContain("final_answer");
  });

  it("asks for a text where it writes programs, which can't call that tool", async () => {
    const protocol = attpProtocol({ prompt: attpPrompt });
    const options = optionsOf(['{"city": "Oslo"}'], { output: { schema }, prepareStep: () => ({ protocol }) });
    expect(await createAgent(options).run("Where to?").result).toMatchObject({ value: { city: "Oslo" } });
    const system = messageText(options.model.requests[0]?.messages[0] as never);
    expect(system).toContain('"city"');
    expect(system).not.toContain("final_answer");
  });

  it("keeps the loop's own tools beside those that the host gives it", async () => {
    const tools = [{ name: "other", description: "Another.", inputSchema: { type: "object" as const } }];
    const options = optionsOf([[call("b", "final_answer", { city: "Oslo" })]], {
      output: { schema },
      prepareStep: () => ({ tools }),
    });
    expect(await createAgent(options).run("Where to?").result).toMatchObject({ value: { city: "Oslo" } });
    expect(options.model.requests[0]?.tools?.map(({ name }) => name)).toEqual(["other", "final_answer"]);
  });
});
