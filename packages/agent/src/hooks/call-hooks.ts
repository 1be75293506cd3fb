import type { CallHooks } from "@toolglot/core";
import { errorText } from "@toolglot/internal";
import type { RunState } from "../loop/run-state.ts";

/** The host's hooks as an executor gets them: what they throw is a warning, and the executor sees to the rest. */
export function callHooks(run: RunState, isOpen: () => boolean): CallHooks {
  const { beforeCall, afterCall } = run.settings;
  const told = async <Value>(what: string, hook: () => Value | Promise<Value>): Promise<Value> => {
    try {
      // An executor that was left behind must not begin anything.
      if (!isOpen()) throw new Error("the action has ended");
      return await hook();
    } catch (error) {
      if (isOpen()) run.warn("agent/hook-failed", `${what}: ${errorText(error)}`);
      throw error;
    }
  };
  return {
    ...(beforeCall && {
      beforeCall: (call, context) =>
        told("beforeCall threw, and the call does not run", () => beforeCall(call, context)),
    }),
    ...(afterCall && {
      afterCall: (call, result, context) =>
        told("afterCall threw, and the result is not shown", () => afterCall(call, result, context)),
    }),
  };
}
