import { condition, defineSignal, proxyActivities, setHandler, workflowInfo } from "@temporalio/workflow";
import { createAgent, nativeProtocol } from "@toolglot/agent";
import type { JsonValue, ToolDefinition } from "@toolglot/core";
import type { Activities } from "./activities.ts";

const { agentStep } = proxyActivities<Activities>({ startToCloseTimeout: "10 minutes" });

/** Sent with `approval:<callId>` and the decision. */
export const decide = defineSignal<[name: string, decision: JsonValue]>("decide");

/** Model and tools are at work in the activities alone. */
const away = (): never => {
  throw new Error("This belongs into an activity.");
};

/** The agent's loop as a workflow. `tools`: `toolkit.definitions()`, as the client has them. */
export async function answer(question: string, tools: ToolDefinition[]): Promise<string> {
  const decisions = new Map<string, JsonValue>();
  setHandler(decide, (name, decision) => void decisions.set(name, decision));
  const agent = createAgent({
    model: away,
    protocol: nativeProtocol(),
    executor: { handles: () => true, execute: away },
    tools,
    steps: {
      run: (step) => agentStep(step),
      async wait(name) {
        await condition(() => decisions.has(name));
        return decisions.get(name);
      },
    },
  });
  return (await agent.run(question, { runId: workflowInfo().workflowId }).result).text;
}
