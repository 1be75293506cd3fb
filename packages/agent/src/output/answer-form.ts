import type { StepSetting } from "../hooks/prepare-step.ts";
import type { RunState } from "../loop/run-state.ts";
import { endsByCall } from "./output.ts";

/** Whether the model of a step is shown the tool that a run ends with. */
export function isShownFinalAnswer(run: RunState, { protocol, tools }: StepSetting): boolean {
  const name = run.settings.output?.name;
  if (name === undefined || !endsByCall(protocol) || run.tools.ownTool(name) === undefined) return false;
  return tools.some((tool) => tool.name === name);
}

/** What the system message of a step says of the answer's form; empty where the tool says it. */
export function answerInstructions(run: RunState, step: StepSetting): string {
  const { settings, wording } = run;
  const { output } = settings;
  if (output === undefined || isShownFinalAnswer(run, step)) return "";
  return wording.answerForm(JSON.stringify(output.jsonSchema, null, 2), output.description);
}
