import { ToolError } from "@toolglot/core";
import { checkKeys } from "@toolglot/internal";
import type { MaybePromise } from "@toolglot/schema";
import type { Execution } from "../calls/types.ts";
import type { ExecuteContext, RegisteredCapability } from "../capability/types.ts";
import { CapabilityError } from "../errors/capability-error.ts";
import type { CapabilityExecutor } from "../parts.ts";
import { collect, isStream, type Stream } from "./collect.ts";
import { kindOf, messageOf } from "./error-text.ts";
import { Patience, type Waiting } from "./patience.ts";
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
export function createExecutor(options: ExecutorOptions = {}): CapabilityExecutor {
  checkKeys<ExecutorOptions>("createExecutor", options, { onError: true });
  const { onError } = options;
  const patience = new Patience();
  return {
    run(capability, native, given, timeoutMs) {
      if (given.signal.aborted) {
        return { kind: "not-applied", message: `${capability.capId} was cancelled before it began` };
      }
      return new Run(capability, given, timeoutMs, onError, patience).start(native);
    },
  };
}

/** One run of a capability, and the context it gets. */
class Run implements Waiting {
  readonly #capability: RegisteredCapability;
  readonly #given: ExecuteContext;
  readonly #timeoutMs: number;
  readonly #onError: ExecutorOptions["onError"];
  readonly #patience: Patience;
  before: Waiting | undefined;
  after: Waiting | undefined;
  #began = 0;
  #resolve: ((execution: Execution) => void) | undefined;
  #isWaiting = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #last: ReturnType<typeof setTimeout> | undefined;
  #controller: AbortController | undefined;
  #stopped: { reason: unknown; timedOut: boolean } | undefined;

  constructor(
    capability: RegisteredCapability,
    given: ExecuteContext,
    timeoutMs: number,
    onError: ExecutorOptions["onError"],
    patience: Patience,
  ) {
    this.#capability = capability;
    this.#given = given;
    this.#timeoutMs = timeoutMs;
    this.#onError = onError;
    this.#patience = patience;
  }

  start(native: unknown): MaybePromise<Execution> {
    const { definition } = this.#capability;
    let returned: unknown;
    try {
      returned = definition.execute(native, this.#context());
      if (!isThenable(returned) && !isStream(returned)) return { kind: "done", value: returned };
    } catch (error) {
      return this.#told(error);
    }
    const end = isThenable(returned) ? Promise.resolve(returned) : collect(returned as Stream, () => this.#isStopped());
    return new Promise((resolve) => {
      this.#resolve = resolve;
      this.#began = performance.now();
      // Whoever asked for the signal may be told by it at any time.
      if (this.#controller !== undefined) this.wait();
      else this.#patience.begin(this);
      end.then(
        (value) => this.#fulfilled(value),
        (error: unknown) => this.#settle(this.#told(error)),
      );
    });
  }

  /** Arms the timer, and listens. */
  wait(): void {
    this.#isWaiting = true;
    const { definition, capId } = this.#capability;
    const { signal } = this.#given;
    const limit = Math.min(this.#timeoutMs, definition.maxTimeoutMs ?? defaultMaxTimeoutMs, longestTimeoutMs);
    const left = Math.max(1, Math.ceil(limit - (performance.now() - this.#began)));
    this.#timer = setTimeout(() => {
      const message = `${capId} did not end within ${limit} ms`;
      this.#stop(new DOMException(message, "TimeoutError"), true, message);
    }, left);
    if (signal.aborted) this.#cancel();
    else signal.addEventListener("abort", this.#cancel);
  }

  /** With a signal that is made when it is asked for: most capabilities that end at once never look at it. */
  #context(): ExecuteContext {
    const { callId, traceId, principal, attempt, operationKey, fence } = this.#given;
    const signalOf = (): AbortSignal => this.#signal();
    const context: ExecuteContext = {
      callId,
      traceId,
      principal,
      attempt,
      get signal(): AbortSignal {
        return signalOf();
      },
    };
    if (operationKey !== undefined) context.operationKey = operationKey;
    if (fence !== undefined) context.fence = fence;
    return context;
  }

  #signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#stopped !== undefined) this.#controller.abort(this.#stopped.reason);
      if (this.#resolve !== undefined && !this.#isWaiting) {
        this.#patience.end(this);
        this.wait();
      }
    }
    return this.#controller.signal;
  }

  #isStopped(): boolean {
    return this.#stopped !== undefined;
  }

  #fulfilled(value: unknown): void {
    if (!isStream(value)) this.#settle({ kind: "done", value });
    else {
      collect(value, () => this.#isStopped()).then(
        (all) => this.#settle({ kind: "done", value: all }),
        (error: unknown) => this.#settle(this.#told(error)),
      );
    }
  }

  readonly #cancel = (): void => {
    this.#stop(this.#given.signal.reason, false, `${this.#capability.capId} was stopped before it ended`);
  };

  #stop(reason: unknown, timedOut: boolean, message: string): void {
    if (this.#stopped !== undefined) return;
    this.#stopped = { reason, timedOut };
    this.#controller?.abort(reason);
    // What answers to the abort at once knows more about the effect than we do.
    this.#last = setTimeout(() => this.#settle({ kind: "unknown", message, timedOut }), 0);
  }

  #settle(execution: Execution): void {
    const resolve = this.#resolve;
    if (resolve === undefined) return;
    this.#resolve = undefined;
    if (this.#isWaiting) {
      clearTimeout(this.#timer);
      clearTimeout(this.#last);
      this.#given.signal.removeEventListener("abort", this.#cancel);
    } else this.#patience.end(this);
    resolve(execution);
  }

  #told(error: unknown): Execution {
    const { capId } = this.#capability;
    const { callId, traceId } = this.#given;
    try {
      this.#onError?.(error, { capId, callId, traceId });
    } catch {
      // The host's log is its own affair.
    }
    return classify(error, capId, this.#stopped?.timedOut === true);
  }
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
