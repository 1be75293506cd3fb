import { DBOS } from "@dbos-inc/dbos-sdk";
import type { StepEngine } from "@toolglot/agent";
import type { JsonValue } from "@toolglot/core";

const week = 7 * 24 * 60 * 60;

/** Steps of a workflow of DBOS. A decision comes by `DBOS.send(workflowID, true, "approval:<callId>")`. */
export const dbosSteps: StepEngine = {
  run: (step, work) => DBOS.runStep(work, { name: step.name }),
  wait: async (name) => (await DBOS.recv<JsonValue>(name, { timeoutSeconds: week })) ?? undefined,
};
