import { ownSetting } from "../hooks/prepare-step.ts";
import type { RunState } from "./run-state.ts";
import { systemText } from "./system-text.ts";

/** Sets the system message of steps that nothing changes. */
export function instruct(run: RunState): void {
  run.conversation.instruct(systemText(run, ownSetting(run)));
}

/**
 * Reads the tools of the moment, so that the next request shows them: declared, or in the system message. `isSame`: the source was read
 * in this step already, and only the loop's own tools may be others.
 */
export function refreshTools(run: RunState, { isSame = false }: { isSame?: boolean } = {}): void {
  const before = run.tools.current;
  const { change, isRetold = false } = isSame ? { ...run.tools.compose(), isRetold: false } : run.readTools();
  if (change) run.emit({ type: "tools-changed", stepIndex: run.stepIndex, ...change });
  const { current: tools, declared } = run.tools;
  if (change && run.step.tools === before) run.step = { ...run.step, tools, declared };
  if (change || isRetold) instruct(run);
}
