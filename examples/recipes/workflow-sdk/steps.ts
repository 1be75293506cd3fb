import { type AgentOptions, type AgentStep, performStep } from "@toolglot/agent";
import type { JsonValue } from "@toolglot/core";

let options: AgentOptions | undefined;

/** Says once in each process what steps are made with: `{ model, protocol, executor, tools, once }`. */
export const useAgent = (given: AgentOptions): void => {
  options = given;
};

/** Any step of the loop. */
export async function carryOut(step: AgentStep): Promise<JsonValue> {
  "use step";
  if (options === undefined) throw new Error("Call useAgent() where the server starts.");
  return await performStep(options, step);
}
