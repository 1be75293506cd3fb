import { ToolError } from "@toolglot/core";
import { iteratorOf, lastOf } from "@toolglot/core/executing";
import {
  andThen,
  isThenable,
  joinBytes,
  Limiter,
  type Refusal,
  type Release,
  settleSoon,
  settleWithin,
  unsettled,
  whenDone,
} from "@toolglot/internal";
import type { MaybePromise } from "@toolglot/schema";
import { CapabilityError } from "../../catalog/capability-error.ts";
import type { ExecuteContext, RegisteredAdapter, RegisteredCapability } from "../../catalog/types.ts";
import { type Fault, fault } from "../../frames/fault.ts";
import type { Principal } from "../../identity/types.ts";
import { kindOf, messageOf } from "../faults.ts";
import { timeLimit } from "../times.ts";
import type { Execution } from "../types.ts";
import { isCancelled, type Stop } from "./cancel.ts";

/** Runs one capability once. */
export interface CapabilityExecutor {
  /**
   * Never rejects and never throws. Ends at the latest when the time is up, whether the capability listens to its signal or not. A
   * promise only when the capability answers with one.
   */
  run(
    capability: RegisteredCapability,
    native: unknown,
    context: Omit<ExecuteContext, "signal">,
    stop: Pick<Stop, "aborted" | "signal">,
    timeoutMs: number,
    /** Default: the cheapest, which is the only one of a capability with `execute`. */
    adapter?: RegisteredAdapter,
  ): MaybePromise<Execution>;
}

/** Options of {@link createExecutor}. */
export interface ExecutorOptions {
  /**
   * Gets what capabilities throw, for the host's log: none of it but class and code reaches the model. What it throws
   * itself is lost.
   */
  onError?: (error: unknown, facts: { capId: string; callId: string; traceId: string }) => void;
}

/** How long a capability may take to stop, once it is cancelled. */
const cancelGraceMs = 5_000;
/** A stream of more values than this is taken for one without end. */
const maxValues = 100_000;

/**
 * Runs capabilities. `run` never rejects, and ends when the time is up or its signal is aborted, whether the capability
 * listens or not; what a capability answers to the abort at once still counts. The time is the call's, at most the
 * capability's `maxTimeoutMs`. Of an execute that yields, the last value is the result (what it returns, if anything);
 * chunks that are all bytes are joined. How it ends:
 *
 * - a value: `done`, also when it comes in answer to the abort;
 * - `ToolError`, and `CapabilityError` with `failed`: `failed`, its message word for word, 4,000 characters at most;
 * - `CapabilityError` with `not-applied`: `not-applied`; so is a call whose signal was aborted before it began;
 * - everything else, and running out of time: `unknown`, in words of our own.
 *
 * Code that never returns control can't be stopped from within its process.
 */
export function createExecutor({ onError }: ExecutorOptions = {}): CapabilityExecutor {
  return {
    run(capability, native, given, stop, timeoutMs, adapter = capability.adapters[0]) {
      const { capId } = capability;
      if (stop.aborted) return { kind: "not-applied", message: `${capId} was cancelled before it began` };
      const ms = timeLimit(capability, timeoutMs);
      const context = new RunContext(given);
      let timedOut = false;
      const late = async (work: PromiseLike<unknown>): Promise<Execution> => {
        const { signal } = stop;
        timedOut = !signal.aborted;
        const message = timedOut ? `${capId} did not end within ${ms} ms` : `${capId} was stopped before it ended`;
        context.controller.abort(timedOut ? new DOMException(message, "TimeoutError") : signal.reason);
        // What answers to the abort at once knows more about the effect than we do. Who cancels wants to know, too.
        const value = await settleWithin(work, { ms: isCancelled(signal) ? Math.min(ms, cancelGraceMs) : 0 });
        return value === unsettled ? { kind: "unknown", message, timedOut } : { kind: "done", value };
      };
      const failed = (error: unknown): Execution => {
        try {
          onError?.(error, { capId, callId: given.callId, traceId: given.traceId });
        } catch {
          // The host's log is its own affair.
        }
        return classify(error, capId, timedOut);
      };
      try {
        const work = result(adapter?.definition.execute?.(native, context), context);
        if (!isThenable(work)) return { kind: "done", value: work };
        return whenDone<unknown, Execution>(
          () => settleSoon(work, ms, stop),
          (value) => (value === unsettled ? late(work).catch(failed) : { kind: "done", value }),
          failed,
        );
      } catch (error) {
        return failed(error);
      }
    },
  };
}

/** What a capability gets with its arguments. */
class RunContext implements ExecuteContext {
  declare readonly signal: AbortSignal;
  readonly callId: string;
  readonly traceId: string;
  readonly principal: Principal;
  readonly attempt: number;
  readonly progress: ExecuteContext["progress"];
  declare readonly operationKey?: string;
  declare readonly fence?: number;
  /** Made when it is asked for, since most capabilities never look at the signal. */
  #controller: AbortController | undefined;

  constructor({ callId, traceId, principal, attempt, progress, operationKey, fence }: Omit<ExecuteContext, "signal">) {
    this.callId = callId;
    this.traceId = traceId;
    this.principal = principal;
    this.attempt = attempt;
    this.progress = progress;
    if (operationKey !== undefined) this.operationKey = operationKey;
    if (fence !== undefined) this.fence = fence;
    Object.defineProperty(this, "signal", signalMember);
  }

  get controller(): AbortController {
    this.#controller ??= new AbortController();
    return this.#controller;
  }
}

/** A member of its own, so that a copy of a context has it, too. */
const signalMember: PropertyDescriptor & ThisType<RunContext> = {
  enumerable: true,
  configurable: true,
  get() {
    return this.controller.signal;
  },
};

/** Returns the one result of what `execute` returned; a promise unless it is there already. */
function result(returned: unknown, context: ExecuteContext): unknown {
  if (isThenable(returned)) return andThen(Promise.resolve(returned), (value) => result(value, context));
  const iterator = iteratorOf(returned);
  return iterator === undefined ? returned : lastValue(iterator, context);
}

/** The last value of a stream, or all its chunks as one when they are bytes. Rejects with `RangeError` for too many values. */
async function lastValue(
  iterator: NonNullable<ReturnType<typeof iteratorOf>>,
  { signal, progress }: ExecuteContext,
): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let count = 0;
  let before: unknown;
  const onProgress = (value: unknown): void => {
    // The last one is the result, so each is reported when another has come.
    if (count > 0 && !(before instanceof Uint8Array)) progress(typeof before === "string" ? before : { data: before });
    before = value;
    if (++count > maxValues) throw new RangeError(`a stream of more than ${maxValues} values`);
    if (value instanceof Uint8Array) chunks.push(value);
  };
  const last = await lastOf(iterator, { signal, onProgress });
  return count > 0 && chunks.length === count && last === chunks.at(-1) ? joinBytes(chunks) : last;
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
    // An error whose fields throw is an unknown one.
  }
  const message = timedOut ? `${capId} did not end in time` : `${capId} ended with an exception (${kindOf(error)})`;
  return { kind: "unknown", message, timedOut };
}

/** What is known of the capability that needs a place: a registered capability is one. */
export interface Seat {
  readonly capId: string;
  readonly definition: { readonly maxConcurrency?: number; readonly concurrencyGroup?: string };
}

/**
 * Places for calls: `callsInFlight` in all, of each capability, or group of them, at most its `maxConcurrency`, and a line of
 * `callsWaiting` for the rest. First come, first served; only a call that waits for a place of its own capability is passed by
 * others.
 */
export class Places {
  readonly #limiter: Limiter;

  /** Takes numbers that the caller has checked. */
  constructor(limits: { callsInFlight: number; callsWaiting: number }) {
    this.#limiter = new Limiter(limits.callsInFlight, limits.callsWaiting);
  }

  get running(): number {
    return this.#limiter.running;
  }

  get waiting(): number {
    return this.#limiter.waiting;
  }

  /**
   * Takes a place for one call of a capability: at once when there is one, else when its turn in the line comes. Returns
   * a fault when the line is full (TRP_5003), the time is up (TRP_3003) or the call is stopped (TRP_3005). Never
   * rejects. Call the release when the call has ended.
   */
  take(
    { capId, definition }: Seat,
    { timeoutMs, stop }: { timeoutMs: number; stop?: Pick<Stop, "aborted" | "signal"> },
  ): MaybePromise<Release | Fault> {
    const { running, waiting } = this.#limiter;
    const orFault = (taken: Release | Refusal): Release | Fault => {
      switch (taken) {
        case "late":
          return fault("TRP_3003", `there was no room for ${capId} within ${timeoutMs} ms`);
        case "aborted":
          return fault("TRP_3005", `${capId} was cancelled while it waited for room`);
        case "full":
        case "closed":
          return fault("TRP_5003", `${running} calls are running and ${waiting} wait: there is no room for more`);
        default:
          return taken;
      }
    };
    if (stop?.aborted) return orFault("aborted");
    const signal = stop && (() => stop.signal);
    const { concurrencyGroup, maxConcurrency: keyLimit } = definition;
    // No capId has a colon.
    const key = concurrencyGroup === undefined ? capId : `group:${concurrencyGroup}`;
    const taken = this.#limiter.take({ key, keyLimit, ms: timeoutMs, signal });
    return taken instanceof Promise ? taken.then(orFault) : orFault(taken);
  }
}
