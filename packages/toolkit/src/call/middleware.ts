import type { ToolCall, ToolDefinition } from "@toolglot/core";
import { errorInfo } from "../errors.ts";
import { release } from "./attempt.ts";
import { stopped, untilAborted } from "./call-scope.ts";
import { ToolResponse } from "./response.ts";
import { interruption } from "./run.ts";

/** What is known of a call besides the call itself. */
export interface CallInfo {
  /** The tool that was asked for, active or not; undefined when there is none of that name. */
  readonly tool: ToolDefinition | undefined;
  /** Number of the plan's step that the call is. */
  readonly step: number | undefined;
  /** How often the tool has been run for this call so far. */
  readonly attempts: number;
  /** What it has thrown so far, and when, in milliseconds since 1970. An attempt that threw may have been followed by another. */
  readonly thrown: readonly { readonly error: unknown; readonly time: number }[];
}

/** {@link CallInfo}, for the runtime to write. */
export interface CallRecord extends CallInfo {
  attempts: number;
  readonly thrown: { error: unknown; time: number }[];
}

/**
 * Stands around every call: gets the call, what goes on with it, and what is known of it. It may look at and change
 * responses, change the call (which is validated again), or answer without going on. The last response it gives is the
 * final one.
 */
export type ToolMiddleware = (
  call: ToolCall,
  next: (call?: ToolCall) => AsyncGenerator<ToolResponse, void, undefined>,
  about: CallInfo,
) => AsyncGenerator<ToolResponse, void, undefined> | AsyncIterable<ToolResponse>;

/** What a call through middleware is run with. */
export interface MiddlewareRun {
  signal: AbortSignal | undefined;
  /** Whether what the tool threw is thrown after the final response. */
  rethrow: boolean;
  about: CallRecord;
}

/** So long a middleware may take over the end of a call that was aborted; one around it, as much again. */
const graceMs = 100;

/**
 * Runs a call through middleware, the first one outermost. Whatever a middleware gives, the last response is final, and the
 * only one that is; what it throws becomes the final error, and with `rethrow` is thrown after it. One that is stuck can't
 * hold up an aborted call.
 */
export function throughMiddleware(
  middleware: readonly ToolMiddleware[],
  call: ToolCall,
  run: (call: ToolCall) => AsyncGenerator<ToolResponse, void, undefined>,
  options: MiddlewareRun,
): AsyncGenerator<ToolResponse, void, undefined> {
  const [outer, ...inner] = middleware;
  if (outer === undefined) return run(call);
  const next = (changed = call): AsyncGenerator<ToolResponse, void, undefined> =>
    throughMiddleware(inner, changed, run, options);
  return oneFinal(() => outer(call, next, options.about), options, graceMs * (inner.length + 1));
}

async function* oneFinal(
  start: () => AsyncIterable<ToolResponse>,
  { signal, rethrow, about }: MiddlewareRun,
  grace: number,
): AsyncGenerator<ToolResponse, void, undefined> {
  let last: ToolResponse | undefined;
  /** The last one says that it is final, and waits for another that says so too. */
  let held = false;
  let iterator: AsyncIterator<ToolResponse> | undefined;
  /** It waits where it gave its last response: whoever leaves now has to let it clean up. */
  let waits = false;
  const patience = new Patience(signal, grace);
  try {
    iterator = start()[Symbol.asyncIterator]();
    for (;;) {
      const step = await patience.wait(iterator.next());
      if (step === givenUp) {
        release(iterator);
        const progress = { content: last?.content ?? [], data: [], chunks: last ? 1 : 0 };
        if (!held) last = interruption(progress, last?.metadata);
        held = true;
        break;
      }
      if (step.done) break;
      waits = true;
      const response = step.value;
      if (!ToolResponse.isInstance(response))
        throw new TypeError("a middleware gave something that is no ToolResponse");
      if (held && last) yield last.with({ isLast: false, stream: true });
      held = response.isLast;
      last = response;
      if (!held) yield response;
      waits = false;
    }
  } catch (error) {
    // What comes from further in is known already.
    if (!about.thrown.some((known) => known.error === error)) about.thrown.push({ error, time: Date.now() });
    // With `rethrow` the tool's own error comes after its final response.
    if (!held || !rethrow) {
      if (held && last) yield last.with({ isLast: false, stream: true });
      yield failed(error, last);
    } else if (last) yield last;
    if (rethrow) throw error;
    return;
  } finally {
    if (waits) await iterator?.return?.();
  }
  if (held && last) yield last;
  else if (last) yield last.with({ isLast: true });
  else {
    const error = { type: "Error", message: "The call gave no response." };
    yield new ToolResponse({ content: `Error: ${error.message}`, status: "error", error });
  }
}

const givenUp: unique symbol = Symbol("given up");

/** Waits for one piece of work after the other; when the signal aborts, only so much longer for all that follow. */
class Patience {
  readonly #signal: AbortSignal | undefined;
  readonly #grace: number;
  #until: number | undefined;

  constructor(signal: AbortSignal | undefined, grace: number) {
    this.#signal = signal;
    this.#grace = grace;
  }

  async wait<Value>(work: Promise<Value>): Promise<Value | typeof givenUp> {
    if (this.#signal === undefined) return work;
    if ((await untilAborted(settled(work), this.#signal)) !== stopped) return work;
    const now = performance.now();
    this.#until ??= now + this.#grace;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const over = new Promise<typeof givenUp>((resolve) => {
      timer = setTimeout(() => resolve(givenUp), Math.max(0, (this.#until as number) - now));
    });
    try {
      return await Promise.race(now < this.#until ? [work, over] : [over]);
    } finally {
      clearTimeout(timer);
    }
  }
}

async function settled(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch {
    // Whoever waits for the work itself is told.
  }
}

function failed(error: unknown, last: ToolResponse | undefined): ToolResponse {
  const info = errorInfo(error);
  const text = { type: "text" as const, text: `Error: ${info.message}` };
  const content = [...(last?.content ?? []), text];
  return new ToolResponse({ content, status: "error", error: info, stream: last !== undefined });
}
