import type { Action, CallHooks, Executor, ExecutorContext, ToolResult } from "@toolglot/core";
import { maskedError } from "./masked-error.ts";
import type { Secrets } from "./types.ts";

/**
 * A second net around any executor: what it gives back, reports, asks and throws goes through `secrets.maskData`. Put it outermost, around
 * everything that may have seen a value. A value that is spread over several events is not found: what runs commands masks
 * their output as a stream.
 *
 * @throws `TypeError` when `inner` is no executor, or `secrets` are none.
 */
export function maskingExecutor(inner: Executor, secrets: Secrets): Executor {
  if (typeof inner?.execute !== "function" || typeof inner.handles !== "function") {
    throw new TypeError("maskingExecutor needs an executor, such as toolkitExecutor(toolkit)");
  }
  if (typeof secrets?.maskData !== "function")
    throw new TypeError("maskingExecutor needs secrets: await openSecrets()");
  return {
    ...(inner.honoursHooks && { honoursHooks: true }),
    handles: (action) => inner.handles(action),
    resumes: (action) => inner.resumes?.(action) ?? false,
    async execute(action: Action, context: ExecutorContext): Promise<ToolResult[]> {
      const masked: ExecutorContext = {
        ...context,
        emit: (event) => context.emit(secrets.maskData(event)),
        approve: (request) => context.approve(secrets.maskData(request)),
        ...(context.hooks && { hooks: maskedHooks(context.hooks, secrets) }),
      };
      try {
        return secrets.maskData(await inner.execute(action, masked));
      } catch (error) {
        throw maskedError(error, (value) => secrets.maskData(value));
      }
    },
  };
}

/** What a host is shown of calls has no value in it. An input that it changes is one without them, too. */
function maskedHooks(hooks: CallHooks, secrets: Secrets): CallHooks {
  const { settled, beforeCall, startCall, afterCall } = hooks;
  return {
    ...(settled && { settled: (call, about) => settled(secrets.maskData(call), about) }),
    ...(beforeCall && { beforeCall: (call, about) => beforeCall(secrets.maskData(call), about) }),
    ...(startCall && { startCall: (call, about) => startCall(secrets.maskData(call), about) }),
    ...(afterCall && {
      afterCall: (call, result, about) => afterCall(secrets.maskData(call), secrets.maskData(result), about),
    }),
  };
}
