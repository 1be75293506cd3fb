import type { StepSetting } from "../hooks/prepare-step.ts";
import { answerInstructions } from "../output/answer-form.ts";
import type { RunState } from "./run-state.ts";

/** What the system message says: the protocol with the tools of the moment, what their source says of them, the answer's form, and the host's own text. */
export function systemText(run: RunState, step: StepSetting): string {
  const { locale, mode } = run.settings;
  const manual = step.protocol.instructions(step.tools, { locale, mode });
  const parts = [manual, run.tools.instructions, answerInstructions(run, step), step.system ?? ""];
  return parts.filter((part) => part !== "").join("\n\n");
}
