import type { Action, BlockBase, Decision } from "@toolglot/core";
import type { Answer } from "./answer.ts";
import type { RunState } from "./run-state.ts";

export async function guardEcho(
  _run: RunState,
  _answer: Answer,
  _block: BlockBase,
  _actions: readonly Action[],
): Promise<Decision | undefined> {
  return undefined;
}
