import type { CallHookContext, CallHooks, ExecutorContext, Model, ToolCall, ToolResult } from "@toolglot/core";
import { defined } from "@toolglot/internal";
import { toRunError } from "../loop/run-error.ts";
import type { SessionStore } from "../session/types.ts";
import type { AgentOptions, StepChange } from "../types.ts";
import type { Log } from "./record.ts";
import { recordHook } from "./record-hooks.ts";
import type { CallHook, Crossing, HostHook, RecordedStepChange } from "./types.ts";

/** The hooks that a host may have. */
export const hostHooks: readonly HostHook[] = ["prepareStep", "beforeCall", "afterCall"];

/** The host's hooks, with what they gave or threw in the recording. `recordModel` records what a model is asked. */
export function recordedHooks(
  options: Pick<AgentOptions, HostHook>,
  log: Log,
  recordModel: (model: Model) => Model,
): Pick<AgentOptions, HostHook> {
  const { prepareStep, beforeCall, afterCall } = options;
  const noted = <Value>(
    hook: HostHook,
    callId: string | undefined,
    ask: () => Value | Promise<Value>,
    shown: (value: Value) => unknown = (value) => value,
  ): Promise<Value> =>
    recordHook(ask, log, (given) => ({
      ...{ type: "hook", hook, ...defined({ callId }) },
      ...("error" in given ? given : defined({ answer: shown(given.value) })),
    }))();
  return {
    ...(prepareStep && {
      async prepareStep(step) {
        const change = await noted("prepareStep", undefined, () => prepareStep(step), recordedChange);
        return change?.model ? { ...change, model: recordModel(change.model) } : change;
      },
    }),
    ...(beforeCall && {
      beforeCall: (call, about) => noted("beforeCall", call.id, () => beforeCall(call, about)),
    }),
    ...(afterCall && {
      afterCall: (call, result, about) => noted("afterCall", call.id, () => afterCall(call, result, about)),
    }),
  };
}

function recordedChange(change: StepChange | undefined): RecordedStepChange | undefined {
  const { model, protocol, ...data } = change ?? {};
  return change && { ...data, ...defined({ model: model && (model.info ?? {}), protocol: protocol?.version }) };
}

/** The hooks of a context, with the executor's calls of them in the recording. */
export function calledHooks(hooks: CallHooks, log: Log, isOpen: () => boolean): CallHooks {
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

/** Calls a hook as the recorded executor did. */
export function callHook(
  { hooks = {}, signal, runId, stepIndex }: ExecutorContext,
  { hook, callId, name, readOnly, result }: Extract<Crossing, { type: "executor-hook" }>,
): void {
  const call: ToolCall = { id: callId, name, input: {}, protocol: "replay" };
  const tool = readOnly === undefined ? undefined : { ...nothing, name, annotations: { readOnlyHint: readOnly } };
  const about = { signal, runId, stepIndex, ...defined({ tool }) };
  const called =
    hook === "afterCall" ? hooks.afterCall?.(call, result as ToolResult, about) : hooks[hook]?.(call, about);
  // What it throws was seen to by the recorded executor.
  Promise.resolve(called).catch(() => undefined);
}

/** Of a tool, what nobody reads in a replay. */
const nothing = { description: "", inputSchema: { type: "object" as const } };

/** The store of a session, with its failures in the recording. */
export function recordSessions(sessions: SessionStore, log: Log): SessionStore {
  return {
    read: (runId) => sessions.read(runId),
    async append(runId, lines, at) {
      try {
        await sessions.append(runId, lines, at);
      } catch (error) {
        log.crossing({ type: "session-failed", at, error: toRunError(error, "agent/session-failed") });
        throw error;
      }
    },
  };
}
