import { hiddenOutcome, isToolResult } from "@toolglot/core/executing";
import { errorText } from "@toolglot/internal";
import type { Part } from "../loop/part.ts";
import type { Run } from "../loop/run.ts";
import { checkStopped, orStopped } from "../stop.ts";
import { prepareStep } from "./prepare-step.ts";

/** Calls the host's hooks. What they throw is a warning. */
export function hostHooks(run: Run): Part {
  const { prepareStep: prepare, beforeCall, afterCall, stopWhen } = run.settings;
  return {
    ...(prepare && { beforeStep: () => prepareStep(run, prepare) }),
    ...(beforeCall && {
      async beforeCall(call, context, isOpen) {
        try {
          return await beforeCall(call, context);
        } catch (error) {
          if (isOpen())
            run.warn("agent/hook-failed", `beforeCall threw, and the call does not run: ${errorText(error)}`);
          throw error;
        }
      },
    }),
    ...(afterCall && {
      async afterCall(call, result, context, isOpen) {
        try {
          const shown = await afterCall(call, result, context);
          if (shown === undefined || isToolResult(shown)) return shown;
          throw new TypeError("it must give a result, or nothing");
        } catch (error) {
          if (isOpen())
            run.warn("agent/hook-failed", `afterCall threw, and the result is not shown: ${errorText(error)}`);
          return { callId: call.id, name: call.name, ...hiddenOutcome() };
        }
      },
    }),
    ...(stopWhen.length > 0 && {
      async afterActions(results) {
        const { stepIndex, turns, lastText: text, conversation, usage, signal } = run;
        for (const condition of stopWhen) {
          try {
            const state = { stepIndex, turns, usage: { ...usage }, results, text, messages: conversation.messages };
            if (await orStopped(condition(state), signal)) return { status: "stopped", text };
          } catch (error) {
            checkStopped(signal);
            run.warn("agent/hook-failed", `stopWhen threw, and the run stops: ${errorText(error)}`);
            return { status: "stopped", text };
          }
        }
        return undefined;
      },
    }),
  };
}
