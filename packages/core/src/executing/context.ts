import { checkKeys, randomHex } from "@toolglot/internal";
import type { ExecutorContext } from "../action.ts";

/**
 * A context for running an action without an agent. Default: nothing stops the action, nobody hears its events, and calls that
 * need an approval are denied.
 *
 * @throws `TypeError` for an unknown option.
 */
export function executorContext(options: Partial<ExecutorContext> = {}): ExecutorContext {
  checkKeys<ExecutorContext>("executorContext", options as ExecutorContext, {
    ...{ signal: true, emit: true, approve: true, runId: true, stepIndex: true },
  });
  return {
    signal: new AbortController().signal,
    emit: () => {},
    approve: async () => ({ approved: false, reason: "nobody is there to ask" }),
    runId: `run_${randomHex(12)}`,
    stepIndex: 0,
    ...options,
  };
}
