import { type AgentStep, createAgent, nativeProtocol } from "@toolglot/agent";
import type { JsonValue, ToolDefinition } from "@toolglot/core";
import { createHook, getWorkflowMetadata } from "workflow";
import { carryOut } from "./steps.ts";

/** Model and tools are at work in the steps alone. */
const away = (): never => {
  throw new Error("This belongs into a step.");
};

/** The agent's loop as a workflow. A decision comes by `resumeHook("<runId> approval:<callId>", true)`. */
export async function answer(question: string, tools: ToolDefinition[]): Promise<string> {
  "use workflow";
  const { workflowRunId: runId } = getWorkflowMetadata();
  const agent = createAgent({
    model: away,
    protocol: nativeProtocol(),
    executor: { handles: () => true, execute: away },
    tools,
    steps: {
      run: (step: AgentStep) => carryOut(step),
      wait: async (name) => await createHook<JsonValue>({ token: `${runId} ${name}` }),
    },
  });
  return (await agent.run(question, { runId }).result).text;
}
