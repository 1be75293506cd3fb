import { ToolError } from "@toolglot/core";
import type { Execution } from "../calls/types.ts";
import type { ExecuteContext, RegisteredCapability } from "../capability/types.ts";
import { CapabilityError } from "../errors/capability-error.ts";
import type { Executor } from "../parts.ts";
import { collect, isStream } from "./collect.ts";
import { kindOf, messageOf } from "./error-text.ts";
import { isThenable } from "./thenable.ts";

/** Options of {@link createExecutor}. */
export interface ExecutorOptions {
  /**
   * Gets what capabilities throw, for the host's log: none of it but class and code reaches the model. What it throws
   * itself is lost.
   */
  onError?: (error: unknown, facts: { capId: string; callId: string; traceId: string }) => void;
}

const defaultMaxTimeoutMs = 60_000;
const longestTimeoutMs = 0x7fffffff;

/**
 * Runs capabilities. `run` never rejects, and ends when the time is up or its signal is aborted, whether the capability
 * listens or not; one that answers to the abort at once still has its say. The time is the call's, at most the
 * capability's `maxTimeoutMs`. Async iterables are collected. How an end is told:
 *
 * - a value: `done`, also when it comes in answer to the abort;
 * - `ToolError`, and `CapabilityError` with `failed`: `failed`, its message word for word, 4,000 characters at most;
 * - `CapabilityError` with `not-applied`: `not-applied`; so is a call whose signal was aborted before it began;
 * - everything else, and running out of time: `unknown`, in words of our own.
 *
 * Code that never gives control back can't be stopped from within its process.
 */
export function createExecutor({ onError }: ExecutorOptions = {}): Executor {
  return {
    run: (capability, native, context, timeoutMs) => run(capability, native, context, timeoutMs, onError),
  };
}

function run(
  capability: RegisteredCapability,
  native: unknown,
  given: ExecuteContext,
  timeoutMs: number,
  onError: ExecutorOptions["onError"],
): Promise<Execution> {
  const { definition, capId } = capability;
  if (given.signal.aborted) {
    return Promise.resolve({ kind: "not-applied", message: `${capId} was cancelled before it began` });
  }
  // Made when it is asked for: most capabilities that end at once never look at it.
  let controller: AbortController | undefined;
  let stopped: { reason: unknown; timedOut: boolean } | undefined;
  const context: ExecuteContext = {
    callId: given.callId,
    traceId: given.traceId,
    principal: given.principal,
    attempt: given.attempt,
    get signal(): AbortSignal {
      if (controller === undefined) {
        controller = new AbortController();
        if (stopped !== undefined) controller.abort(stopped.reason);
      }
      return controller.signal;
    },
  };
  if (given.operationKey !== undefined) context.operationKey = given.operationKey;
  if (given.fence !== undefined) context.fence = given.fence;
  const told = (error: unknown): Execution => {
    try {
      onError?.(error, { capId, callId: given.callId, traceId: given.traceId });
    } catch {
      // The host's log is its own affair.
    }
    return classify(error, capId, stopped?.timedOut === true);
  };

  let returned: unknown;
  try {
    returned = definition.execute(native, context);
    if (!isThenable(returned) && !isStream(returned)) return Promise.resolve({ kind: "done", value: returned });
  } catch (error) {
    return Promise.resolve(told(error));
  }

  const limit = Math.min(timeoutMs, definition.maxTimeoutMs ?? defaultMaxTimeoutMs, longestTimeoutMs);
  return new Promise<Execution>((resolve) => {
    let last: ReturnType<typeof setTimeout> | undefined;
    let settled = false;
    const settle = (execution: Execution): void => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      clearTimeout(last);
      given.signal.removeEventListener("abort", cancel);
      resolve(execution);
    };
    const stop = (reason: unknown, timedOut: boolean, message: string): void => {
      if (stopped !== undefined) return;
      stopped = { reason, timedOut };
      controller?.abort(reason);
      // What answers to the abort at once knows more about the effect than we do.
      last = setTimeout(() => settle({ kind: "unknown", message, timedOut }), 0);
    };
    const cancel = (): void => stop(given.signal.reason, false, `${capId} was stopped before it ended`);
    const timer = setTimeout(() => {
      const message = `${capId} did not end within ${limit} ms`;
      stop(new DOMException(message, "TimeoutError"), true, message);
    }, limit);
    given.signal.addEventListener("abort", cancel);
    finished(returned, () => stopped !== undefined).then(
      (value) => settle({ kind: "done", value }),
      (error: unknown) => settle(told(error)),
    );
  });
}

async function finished(returned: unknown, stopped: () => boolean): Promise<unknown> {
  const value = await returned;
  return isStream(value) ? collect(value, stopped) : value;
}

function classify(error: unknown, capId: string, timedOut: boolean): Execution {
  try {
    if (CapabilityError.isInstance(error)) {
      if (error.outcome === "failed") {
        return { kind: "failed", message: messageOf(error), transient: error.transient === true };
      }
      if (error.outcome === "not-applied") return { kind: "not-applied", message: messageOf(error) };
    } else if (ToolError.isInstance(error)) {
      return { kind: "failed", message: messageOf(error), transient: false };
    }
  } catch {
    // An error whose fields throw says nothing.
  }
  const message = timedOut ? `${capId} did not end in time` : `${capId} ended with an exception (${kindOf(error)})`;
  return { kind: "unknown", message, timedOut };
}
