import type { Action, CallHookContext, CallHooks, ToolCall, ToolResult } from "@toolglot/core";
import { hiddenOutcome, isToolResult } from "@toolglot/core/executing";
import { errorText } from "@toolglot/internal";
import type { RunState } from "../loop/run-state.ts";

/**
 * The hooks of one action as its executor gets them: the host's own, what they throw being a warning, and between them what the session
 * writes down. Once the action has ended they refuse everything: an executor that was left behind must not begin anything.
 */
export function callHooks(run: RunState, action: Action, isOpen: () => boolean): CallHooks {
  const { session, settings } = run;
  const { beforeCall, executor } = settings;
  const check = (): void => {
    if (!isOpen()) throw new Error("The action has ended.");
  };
  return {
    settled({ id, name }, { tool }) {
      check();
      return session.settled({ id, name }, executor.resumes?.(action) === true || session.isRepeatable(name, tool));
    },
    ...(beforeCall && {
      async beforeCall(call, context) {
        check();
        try {
          return await beforeCall(call, context);
        } catch (error) {
          if (isOpen())
            run.warn("agent/hook-failed", `beforeCall threw, and the call does not run: ${errorText(error)}`);
          throw error;
        }
      },
    }),
    async startCall(call, { tool }) {
      check();
      await session.callStarts(call, tool);
    },
    async afterCall(call, result, context) {
      const shown = settings.afterCall ? await seenTo(run, isOpen, call, result, context) : undefined;
      check();
      await session.callEnds(call, shown ?? result, context.tool);
      return shown;
    },
  };
}

/** What the host's `afterCall` makes of a result. */
async function seenTo(
  run: RunState,
  isOpen: () => boolean,
  call: ToolCall,
  result: ToolResult,
  context: CallHookContext,
): Promise<ToolResult | undefined> {
  try {
    const shown = await run.settings.afterCall?.(call, result, context);
    if (shown === undefined || isToolResult(shown)) return shown;
    throw new TypeError("it must give a result, or nothing");
  } catch (error) {
    if (isOpen()) run.warn("agent/hook-failed", `afterCall threw, and the result is not shown: ${errorText(error)}`);
    return { callId: call.id, name: call.name, ...hiddenOutcome() };
  }
}
