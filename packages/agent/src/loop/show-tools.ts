import { answerInstructions } from "../output/final-answer.ts";
import type { RunState } from "./run-state.ts";

/** Sets the system message: the protocol with the tools of the moment, what their source says of them, the answer's form, and the host's own text. */
export function instruct(run: RunState): void {
  const { protocol, locale, mode, system } = run.settings;
  const manual = protocol.instructions(run.tools.current, { locale, mode });
  const parts = [manual, run.tools.instructions, answerInstructions(run), system ?? ""];
  run.conversation.instruct(parts.filter((part) => part !== "").join("\n\n"));
}

/**
 * Reads the tools of the moment, so that the next request shows them: declared, or in the system message. `isSame`: the source was read
 * in this step already, and only the loop's own tools may be others.
 */
export function refreshTools(run: RunState, { isSame = false }: { isSame?: boolean } = {}): void {
  const { change, isRetold = false } = isSame ? { ...run.tools.compose(), isRetold: false } : run.readTools();
  if (change) run.emit({ type: "tools-changed", stepIndex: run.stepIndex, ...change });
  if (change || isRetold) instruct(run);
}
