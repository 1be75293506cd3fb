import { Context } from "@temporalio/activity";
import { type AgentOptions, type AgentStep, nativeProtocol, performStep } from "@toolglot/agent";
import type { Model } from "@toolglot/core";
import type { Storage } from "@toolglot/core/storage";
import { type Toolkit, toolkitExecutor } from "@toolglot/toolkit";
import type { answer } from "./workflows.ts";

export type Activities = ReturnType<typeof activitiesOf>;

/** The workflow that these belong to. */
export type Answer = typeof answer;

/** Returns the activities of a worker. `storage`: where calls are written down, as `openPostgres` opens it. */
export function activitiesOf(model: Model, toolkit: Toolkit, storage: Storage) {
  const options: AgentOptions = {
    model,
    protocol: nativeProtocol(),
    executor: toolkitExecutor(toolkit),
    tools: toolkit.definitions(),
    once: { storage, scope: "shop" },
  };
  return {
    agentStep: (step: AgentStep) => performStep(options, step, { signal: Context.current().cancellationSignal }),
  };
}
