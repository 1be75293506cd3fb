import type { WorkflowContext } from "@restatedev/restate-sdk";
import type { StepEngine } from "@toolglot/agent";
import type { JsonValue } from "@toolglot/core";

/** Steps of a workflow of Restate. A decision comes by resolving the promise `approval:<callId>`. */
export const restateSteps = (context: WorkflowContext): StepEngine => ({
  run: async (step, work) => await context.run(step.name, work),
  wait: async (name) => await context.promise<JsonValue>(name),
});
