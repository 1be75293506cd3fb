import { interrupt, task } from "@langchain/langgraph";
import type { StepEngine } from "@toolglot/agent";
import type { JsonValue } from "@toolglot/core";

/** Steps of an `entrypoint` of LangGraph: tasks, whose values its checkpointer keeps. A decision comes by `Command({ resume })`. */
export const langgraphSteps: StepEngine = {
  run: async (step, work) => await task(step.name, work)(),
  wait: async (name) => interrupt<string, JsonValue>(name),
};
