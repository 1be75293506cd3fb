import type { Action, Executor, ToolErrorInfo } from "@toolglot/core";
import { expectedCalls, failAll } from "./loop/act.ts";

/**
 * Joins executors: each action goes to the first that handles it. An action that none handles ends in one error result
 * per call. Throws `TypeError` when an argument is no executor.
 *
 * @example
 * ```ts
 * const executor = combineExecutors(toolkitExecutor(toolkit), programs);
 * ```
 */
export function combineExecutors(...executors: Executor[]): Executor {
  if (executors.length === 0) throw new TypeError("combineExecutors takes at least one executor, not none.");
  for (const executor of executors) {
    if (typeof executor?.handles !== "function" || typeof executor.execute !== "function") {
      throw new TypeError("combineExecutors takes executors: objects with handles() and execute().");
    }
  }
  const find = (action: Action): Executor | undefined => executors.find((candidate) => candidate.handles(action));
  return {
    ...(executors.every(({ honoursHooks }) => honoursHooks) && { honoursHooks: true }),
    handles: (action) => find(action) !== undefined,
    resumes: (action) => find(action)?.resumes?.(action) ?? false,
    async execute(action, context) {
      const executor = find(action);
      if (executor) return executor.execute(action, context);
      const what = action.kind === "code" ? `${action.language} programs` : `actions of the kind ${action.kind}`;
      const error: ToolErrorInfo = { type: "Unhandled", message: `Nothing here can run ${what}.` };
      return failAll(expectedCalls(action), error);
    },
  };
}
