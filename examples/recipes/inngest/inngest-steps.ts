import type { StepEngine } from "@toolglot/agent";
import type { JsonValue } from "@toolglot/core";
import type { GetStepTools, Inngest } from "inngest";

/** Steps of a function of Inngest. A decision comes by the event `agent/decision` with `{ runId, name: "approval:<callId>", decision }`. */
export const inngestSteps = (step: GetStepTools<Inngest.Any>, runId: string): StepEngine => ({
  run: async ({ name }, work) => (await step.run(name, work)) as JsonValue,
  async wait(name) {
    const is = (field: string, value: string) => `async.data.${field} == ${JSON.stringify(value)}`;
    const options = { event: "agent/decision", if: `${is("runId", runId)} && ${is("name", name)}`, timeout: "7d" };
    return (await step.waitForEvent(name, options))?.data.decision as JsonValue | undefined;
  },
});
