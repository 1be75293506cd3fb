import type {
  CallHookContext,
  CallHooks,
  Executor,
  ExecutorContext,
  ToolCall,
  ToolResult,
  WaitOutcome,
} from "@toolglot/core";
import { defined } from "@toolglot/internal";
import { toRunError } from "../loop/run-error.ts";
import type { Log } from "./log.ts";
import type { CallHook } from "./types.ts";

type Wait = NonNullable<ExecutorContext["wait"]>;

/** Returns the executor with what it reports, asks and returns in the recording. */
export function recordExecutor(executor: Executor, log: Log): Executor {
  return {
    ...(executor.honoursHooks && { honoursHooks: true }),
    handles: (action) => executor.handles(action),
    resumes: (action) => executor.resumes?.(action) ?? false,
    async execute(action, context) {
      log.crossing({ type: "execute", action });
      let open = true;
      try {
        const results = await executor.execute(action, {
          ...context,
          emit(event) {
            // The loop ignores what an executor reports after its end.
            if (open) log.crossing({ type: "executor-event", event });
            context.emit(event);
          },
          approve(request) {
            if (open) log.crossing({ type: "executor-approval", request });
            return context.approve(request);
          },
          ...(context.hooks && { hooks: calledHooks(context.hooks, log, () => open) }),
          ...(context.ask && { ask: recordQuestions(context.ask, log, () => open) }),
          ...(context.wait && { wait: recordWait(context.wait, log, () => open) }),
        });
        open = false;
        log.crossing({ type: "executor-results", results });
        return results;
      } catch (error) {
        open = false;
        log.crossing({ type: "executor-error", error: toRunError(error, "agent/executor-failed") });
        throw error;
      }
    },
  };
}

type Ask = NonNullable<ExecutorContext["ask"]>;

function recordQuestions(ask: Ask, log: Log, isOpen: () => boolean): Ask {
  return (question, call) => {
    if (isOpen()) log.crossing({ type: "executor-question", question, ...call });
    return ask(question, call);
  };
}

function recordWait(wait: Wait, log: Log, isOpen: () => boolean): Wait {
  return (request, work) => {
    if (isOpen()) log.crossing({ type: "executor-wait", request });
    return wait(request, async () => {
      let outcome: WaitOutcome = "cancelled";
      try {
        const result = await work();
        ({ outcome } = result);
        return result;
      } finally {
        if (isOpen()) log.crossing({ type: "executor-waited", request, outcome });
      }
    });
  };
}

/** Returns the hooks of a context, with the executor's calls of them in the recording. */
function calledHooks(hooks: CallHooks, log: Log, isOpen: () => boolean): CallHooks {
  const { beforeCall, startCall, afterCall } = hooks;
  const note = (
    hook: CallHook,
    { id: callId, name }: ToolCall,
    { tool }: CallHookContext,
    result?: ToolResult,
  ): void => {
    const readOnly = tool?.annotations?.readOnlyHint;
    if (isOpen()) log.crossing({ type: "executor-hook", hook, callId, name, ...defined({ readOnly, result }) });
  };
  return {
    ...hooks,
    ...(beforeCall && {
      beforeCall(call, about) {
        note("beforeCall", call, about);
        return beforeCall(call, about);
      },
    }),
    ...(startCall && {
      startCall(call, about) {
        note("startCall", call, about);
        return startCall(call, about);
      },
    }),
    ...(afterCall && {
      afterCall(call, result, about) {
        note("afterCall", call, about, result);
        return afterCall(call, result, about);
      },
    }),
  };
}
