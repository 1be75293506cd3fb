import { errorText } from "@toolglot/internal";
import type { Run } from "./run.ts";
import type { ToolsChange } from "./tools.ts";
import type { StepSetting } from "./types.ts";

/** Returns the system message: the protocol with the tools of the moment, their source's text, paragraphs of parts, and the host's own text. */
export function systemText(run: Run, step: StepSetting): string {
  const { locale, mode } = run.settings;
  const manual = step.protocol.instructions(step.tools, { locale, mode });
  const ofParts = run.each("instructions").map((instructions) => instructions(step));
  const paragraphs = [manual, run.tools.instructions, ...ofParts, step.system ?? ""];
  return paragraphs.filter((paragraph) => paragraph !== "").join("\n\n");
}

/** Sets the system message of steps that nothing changes. */
export function instruct(run: Run): void {
  run.conversation.instruct(systemText(run, run.ownStep()));
}

/**
 * Reads the tools of the moment. A flaw in them is a warning, and the tools of the step before stay. Before the first event, the caller
 * collects the warnings.
 */
export function readTools(
  run: Run,
  warn: (code: string, message: string) => void = (...warning) => run.warn(...warning),
): { change?: ToolsChange; isNewText?: boolean; failed?: string } {
  try {
    const { change, twice, isNewText } = run.tools.refresh();
    if (twice !== undefined && run.isFirst(`tool name ${twice}`)) {
      warn("agent/tool-name-twice", `Two tools are named ${JSON.stringify(twice)}; the model is shown the first.`);
    }
    return { isNewText, ...(change && { change }) };
  } catch (error) {
    const failed = `The tools can't be read: ${errorText(error)}`;
    warn("agent/tools-failed", failed);
    return { failed };
  }
}

/** Lets the next request show the tools of the moment: declared, or in the system message. `isRead`: the source was read in this step. */
export function refreshTools(run: Run, { isRead }: { isRead: boolean }): void {
  const before = run.tools.current;
  const { change, isNewText = false } = isRead ? { ...run.tools.compose(), isNewText: false } : readTools(run);
  if (change) run.emit({ type: "tools-changed", stepIndex: run.stepIndex, ...change });
  const { current: tools, declared } = run.tools;
  if (change && run.step.tools === before) run.step = { ...run.step, tools, declared };
  if (change || isNewText) instruct(run);
}
