import type { ToolCall } from "@toolglot/core";
import { release } from "@toolglot/core/executing";
import { ignoreRejection, settleWithin, unsettled } from "@toolglot/internal";
import { errorInfo } from "../errors.ts";
import type { CallOptions, ToolMiddleware } from "../types.ts";
import { interruption } from "./interruption.ts";
import { ToolResponse } from "./response.ts";
import type { CallRecord, Responses } from "./types.ts";

/** Milliseconds that a middleware may delay the end of an aborted call. Each middleware around it may add as much. */
const graceMs = 100;

/** Throws `TypeError` for what can be no middleware. */
export function checkMiddleware(middleware: ToolMiddleware): void {
  const isPromising = Object.prototype.toString.call(middleware) === "[object AsyncFunction]";
  if (typeof middleware === "function" && !isPromising) return;
  const got = isPromising ? "async function" : typeof middleware;
  throw new TypeError(`registerMiddleware takes async function* (call, next), not ${got}: yield* next(call)`);
}

/**
 * Runs a call through middleware, the first one outermost. Whatever a middleware yields, only the last response is final. What it
 * throws becomes the final error; with `onError: "throw"` it is thrown after that response as well. A middleware that is stuck
 * can't hold up an aborted call.
 */
export function throughMiddleware(
  middleware: readonly ToolMiddleware[],
  call: ToolCall,
  run: (call: ToolCall) => Responses,
  options: CallOptions,
  record: CallRecord,
): Responses {
  const [outer, ...inner] = middleware;
  if (outer === undefined) return run(call);
  const next = (changed = call): Responses => throughMiddleware(inner, changed, run, options, record);
  return oneFinal(() => outer(call, next, record), options, record, graceMs * (inner.length + 1));
}

async function* oneFinal(
  start: () => AsyncIterable<ToolResponse>,
  { signal, onError }: CallOptions,
  record: CallRecord,
  grace: number,
): Responses {
  const rethrow = onError === "throw";
  let last: ToolResponse | undefined;
  /** The last response is marked as final. It is held back, because another one so marked may follow. */
  let held = false;
  let iterator: AsyncIterator<ToolResponse> | undefined;
  /** The middleware is suspended at its last `yield`: if the caller leaves now, the middleware must clean up. */
  let suspended = false;
  const wait = graceful(signal, grace);
  try {
    const responses = start();
    if (typeof responses?.[Symbol.asyncIterator] !== "function") {
      throw new TypeError("a middleware must be async function* (call, next), which yields what next(call) gives");
    }
    iterator = responses[Symbol.asyncIterator]();
    for (;;) {
      const step = await wait(iterator.next());
      if (step === unsettled) {
        release(iterator);
        const progress = { content: last?.content ?? [], data: [], chunks: last ? 1 : 0 };
        if (!held) last = interruption(progress, last?.metadata);
        held = true;
        break;
      }
      if (step.done) break;
      suspended = true;
      const response = step.value;
      if (!ToolResponse.isInstance(response))
        throw new TypeError("a middleware gave something that is no ToolResponse");
      if (held && last) yield last.with({ isLast: false, stream: true });
      held = response.isLast;
      last = response;
      if (!held) yield response;
      suspended = false;
    }
  } catch (error) {
    // An error that comes from further in is recorded already.
    if (!record.thrown.some((known) => known.error === error)) record.thrown.push({ error, time: Date.now() });
    // With `rethrow` the tool's own error follows its final response.
    if (!held || !rethrow) {
      if (held && last) yield last.with({ isLast: false, stream: true });
      yield failed(error, last);
    } else if (last) yield last;
    if (rethrow) throw error;
    return;
  } finally {
    if (suspended) await iterator?.return?.();
  }
  if (last) yield held ? last : last.with({ isLast: true });
  else {
    const error = { type: "Error", message: "The call gave no response." };
    yield new ToolResponse({ content: `Error: ${error.message}`, status: "error", error });
  }
}

/** Returns a function that waits for work. After the signal is aborted, all its waits together take no longer than `grace`. */
function graceful(signal: AbortSignal | undefined, grace: number) {
  let until: number | undefined;
  return async <Value>(work: Promise<Value>): Promise<Value | typeof unsettled> => {
    if (signal === undefined) return await work;
    const value = await settleWithin(work, { signal });
    if (value !== unsettled) return value;
    const now = performance.now();
    until ??= now + grace;
    if (now < until) return await settleWithin(work, { ms: until - now });
    ignoreRejection(work);
    return unsettled;
  };
}

function failed(error: unknown, last: ToolResponse | undefined): ToolResponse {
  const info = errorInfo(error);
  const text = { type: "text" as const, text: `Error: ${info.message}` };
  const content = [...(last?.content ?? []), text];
  return new ToolResponse({ content, status: "error", error: info, stream: last !== undefined });
}
