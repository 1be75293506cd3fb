// The examples of the doc comments, word for word, in functions that can be run. doc-examples.test.ts compares and runs them.
import {
  type Agent,
  type AgentEvent,
  type AgentOptions,
  type AgentStep,
  artifactTools,
  combineExecutors,
  createAgent,
  dropOldResults,
  expandRequests,
  forgetRun,
  memoryArtifacts,
  nativeProtocol,
  parseRecording,
  performStep,
  recordRun,
  replay,
  replayRun,
  stopOnCost,
  stopOnTool,
  stringifyRecording,
  summarise,
} from "@toolglot/agent";
import { otelTracing } from "@toolglot/agent/otel";
import { scriptedModel } from "@toolglot/agent/testing";
import type { ArtifactStore, Executor, Model } from "@toolglot/core";
import { folderStorage } from "@toolglot/storage";
import { type Toolkit, toolkitExecutor } from "@toolglot/toolkit";

/** Whatever options the example is not about. */
export interface Given {
  agent: Agent;
  model: Model;
  toolkit: Toolkit;
  executor: Executor;
  folder: string;
}

export const examples: Record<string, (given: Given) => Promise<unknown>> = {
  async createAgent({ model, toolkit }) {
    const executor = toolkitExecutor(toolkit);
    const agent = createAgent({ model, protocol: nativeProtocol(), executor, tools: toolkit });
    const { status, text } = await agent.run("What is 19 + 23?").result;
    return { status, text };
  },
  async performStep({ model, toolkit, executor }) {
    const tools = toolkit.definitions();
    const options: AgentOptions = { model, protocol: nativeProtocol(), executor, tools };
    const agentStep = (step: AgentStep) => performStep(options, step); // an activity
    const agent = createAgent({ ...options, steps: { run: agentStep } });
    return (await agent.run("What is 19 + 23?", { runId: "w1" }).result).text;
  },
  async run({ agent }) {
    const texts: string[] = [];
    const run = agent.run("What is 19 + 23?");
    for await (const event of run) if (event.type === "text-delta") texts.push(event.text);
    const result = await run.result;
    return { texts, status: result.status };
  },
  async resume({ model, toolkit, executor, folder }) {
    const storage = folderStorage(folder);
    const agent = createAgent({ model, protocol: nativeProtocol(), executor, tools: toolkit, storage });
    const runId = "no-such-run";
    const run = await agent.resume(runId, { steer: "The server is back." });
    const result = await run.result;
    return result.status;
  },
  async forgetRun({ folder }) {
    const storage = folderStorage(folder);
    await forgetRun({ storage, runId: "run_1" });
    return storage.durability;
  },
  async steer({ agent }) {
    const run = agent.run("Compare both offers.");
    run.steer("Leave out the second one.", { interrupt: true });
    return (await run.result).status;
  },
  async nativeProtocol({ model, toolkit, executor }) {
    return createAgent({ model, protocol: nativeProtocol(), executor, tools: toolkit });
  },
  async combineExecutors({ toolkit, executor: programs }) {
    const executor = combineExecutors(toolkitExecutor(toolkit), programs);
    return executor.handles({ kind: "calls", calls: [], span: { start: 0, end: 0 } });
  },
  async artifacts() {
    const artifacts: ArtifactStore = memoryArtifacts({ maxBytes: 16 * 1024 * 1024 });
    const tools = artifactTools(artifacts);
    return tools.map(({ name }) => name);
  },
  async compaction({ model: small }) {
    return [{ compact: dropOldResults({ keepTurns: 5 }) }, { compact: summarise({ model: small }) }];
  },
  async stopWhen() {
    return { stopWhen: [stopOnTool("submit"), stopOnCost(0.5)] };
  },
  async recording({ model, toolkit, executor }) {
    const protocol = nativeProtocol();
    const options = { model, protocol, executor, tools: toolkit };
    const recorded = recordRun(options, "What is 19 + 23?");
    await recorded.result;
    const text = stringifyRecording(recorded.recording);

    const recording = parseRecording(text);
    const replayed = replayRun(recording, { protocol });
    const { status } = await replayed.result;

    const { options: played, input, runOptions } = replay(recording);
    const run = createAgent({ ...played, protocol }).run(input, runOptions);
    return { status, divergence: replayed.divergence, again: (await run.result).status };
  },
  async expandRequests({ agent }) {
    const events: AgentEvent[] = [];
    for await (const event of agent.run("What is 19 + 23?")) events.push(event);
    const requests = expandRequests(events);
    return requests.length;
  },
  async otelTracing({ model, toolkit, executor }) {
    const tracing = otelTracing({ agentName: "support", recordInputs: true });
    return createAgent({ model, protocol: nativeProtocol(), executor, tools: toolkit, tracing });
  },
  async scriptedModel() {
    const model = scriptedModel([
      [{ type: "call", call: { id: "c1", name: "add", input: { a: 19, b: 23 }, protocol: "native" } }],
      "19 + 23 is 42.",
    ]);
    return model;
  },
};
