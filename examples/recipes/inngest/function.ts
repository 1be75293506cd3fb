import { createAgent, nativeProtocol } from "@toolglot/agent";
import type { Model } from "@toolglot/core";
import type { Storage } from "@toolglot/core/storage";
import { type Toolkit, toolkitExecutor } from "@toolglot/toolkit";
import { Inngest } from "inngest";
import { inngestSteps } from "./inngest-steps.ts";

export const inngest = new Inngest({ id: "shop" });

/** Returns a function that answers the event `agent/question`. `storage`: where calls are written down, as `openPostgres` opens it. */
export const answer = (model: Model, toolkit: Toolkit, storage: Storage) =>
  inngest.createFunction({ id: "answer", triggers: [{ event: "agent/question" }] }, async ({ event, step, runId }) => {
    const agent = createAgent({
      model,
      protocol: nativeProtocol(),
      executor: toolkitExecutor(toolkit),
      tools: toolkit.definitions(),
      steps: inngestSteps(step, runId),
      once: { storage, scope: "shop" },
    });
    return (await agent.run(String(event.data.question), { runId }).result).text;
  });
