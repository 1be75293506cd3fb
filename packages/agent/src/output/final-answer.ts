import type { StepSetting } from "../hooks/prepare-step.ts";
import type { OwnTool } from "../loop/own-calls.ts";
import type { RunState } from "../loop/run-state.ts";
import { plainJson } from "../plain-json.ts";
import { takeFinalAnswer } from "./answers.ts";
import { endsByCall } from "./output.ts";

/** The tool that a run ends with; undefined where answers are no calls, and the answer is text. */
export function finalAnswerTool(run: RunState): OwnTool | undefined {
  const { output } = run.settings;
  if (output === undefined || !endsByCall(run.settings.protocol)) return undefined;
  const { name, description, inputSchema } = output;
  const text = run.wording.finalAnswer(description);
  const annotations = { readOnlyHint: true };
  return {
    definition: plainJson({ name, description: text, inputSchema, annotations }),
    yields: false,
    run: (call, earlier) => takeFinalAnswer(run, output, call, earlier),
  };
}

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
