import { DBOS } from "@dbos-inc/dbos-sdk";
import { createAgent, nativeProtocol } from "@toolglot/agent";
import type { Model } from "@toolglot/core";
import { openPostgres } from "@toolglot/postgres";
import { type Toolkit, toolkitExecutor } from "@toolglot/toolkit";
import { dbosSteps } from "./dbos-steps.ts";

/** Starts a worker, which goes on with the workflows that it had; returns what starts a workflow, or waits for one that there is. */
export async function startWorker(url: string, model: Model, toolkit: Toolkit) {
  const storage = await openPostgres({ url });
  const agent = createAgent({
    model,
    protocol: nativeProtocol(),
    executor: toolkitExecutor(toolkit),
    tools: toolkit.definitions(),
    steps: dbosSteps,
    // Without it, a call whose process died after the effect is made again.
    once: { storage, scope: "shop" },
  });
  const answer = DBOS.registerWorkflow(
    async (question: string) => (await agent.run(question, { runId: String(DBOS.workflowID) }).result).text,
    { name: "answer" },
  );
  DBOS.setConfig({ name: "shop", systemDatabaseUrl: url });
  await DBOS.launch();
  return async (workflowID: string, question: string) =>
    (await DBOS.startWorkflow(answer, { workflowID })(question)).getResult();
}
