import type { ToolCall } from "@toolglot/core";
import { errorInfo } from "./errors.ts";
import { ToolResponse } from "./response.ts";

/**
 * Stands around every call: gets the call, and what goes on with it. It may look at and change responses, change the call
 * (which is validated again), or answer without going on. The last response it gives is the final one.
 */
export type ToolMiddleware = (
  call: ToolCall,
  next: (call?: ToolCall) => AsyncGenerator<ToolResponse, void, undefined>,
) => AsyncGenerator<ToolResponse, void, undefined> | AsyncIterable<ToolResponse>;

/**
 * Runs a call through middleware, the first one outermost. Whatever a middleware gives, the last response is final, and the
 * only one that is; what it throws becomes the final error, and with `rethrow` is thrown after it.
 */
export function throughMiddleware(
  middleware: readonly ToolMiddleware[],
  call: ToolCall,
  run: (call: ToolCall) => AsyncGenerator<ToolResponse, void, undefined>,
  rethrow: boolean,
): AsyncGenerator<ToolResponse, void, undefined> {
  const [outer, ...inner] = middleware;
  if (outer === undefined) return run(call);
  const next = (changed = call): AsyncGenerator<ToolResponse, void, undefined> =>
    throughMiddleware(inner, changed, run, rethrow);
  return oneFinal(() => outer(call, next), rethrow);
}

async function* oneFinal(
  start: () => AsyncIterable<ToolResponse>,
  rethrow: boolean,
): AsyncGenerator<ToolResponse, void, undefined> {
  let last: ToolResponse | undefined;
  /** The last one says that it is final, and waits for another that says so too. */
  let held = false;
  try {
    for await (const response of start()) {
      if (!ToolResponse.isInstance(response))
        throw new TypeError("a middleware gave something that is no ToolResponse");
      if (held && last) yield last.with({ isLast: false, stream: true });
      held = response.isLast;
      last = response;
      if (!held) yield response;
    }
  } catch (error) {
    // With `rethrow` the tool's own error comes after its final response.
    if (!held || !rethrow) {
      if (held && last) yield last.with({ isLast: false, stream: true });
      yield failed(error, last);
    } else if (last) yield last;
    if (rethrow) throw error;
    return;
  }
  if (held && last) yield last;
  else if (last) yield last.with({ isLast: true });
  else {
    const error = { type: "Error", message: "The call gave no response." };
    yield new ToolResponse({ content: `Error: ${error.message}`, status: "error", error });
  }
}

function failed(error: unknown, last: ToolResponse | undefined): ToolResponse {
  const info = errorInfo(error);
  const text = { type: "text" as const, text: `Error: ${info.message}` };
  const content = [...(last?.content ?? []), text];
  return new ToolResponse({ content, status: "error", error: info, stream: last !== undefined });
}
