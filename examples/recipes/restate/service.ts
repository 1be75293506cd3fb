import { serve, type WorkflowContext, type WorkflowSharedContext, workflow } from "@restatedev/restate-sdk";
import { createAgent, nativeProtocol } from "@toolglot/agent";
import type { JsonValue, Model } from "@toolglot/core";
import type { Storage } from "@toolglot/core/storage";
import { type Toolkit, toolkitExecutor } from "@toolglot/toolkit";
import { restateSteps } from "./restate-steps.ts";

/** Starts a service with one workflow for each question. `storage`: where calls are written down, as `openPostgres` opens it. */
export async function startService(model: Model, toolkit: Toolkit, storage: Storage) {
  const answer = workflow({
    name: "answer",
    handlers: {
      run: async (context: WorkflowContext, question: string) => {
        const agent = createAgent({
          model,
          protocol: nativeProtocol(),
          executor: toolkitExecutor(toolkit),
          tools: toolkit.definitions(),
          steps: restateSteps(context),
          once: { storage, scope: "shop" },
        });
        return (await agent.run(question, { runId: context.key }).result).text;
      },
      decide: async (context: WorkflowSharedContext, { callId, decision }: { callId: string; decision: JsonValue }) =>
        await context.promise<JsonValue>(`approval:${callId}`).resolve(decision),
    },
  });
  return await serve({ services: [answer], port: 9080 });
}
