import { onAbort, removeFrom } from "@toolglot/internal";
import { type Fault, fault } from "../../frames/fault.ts";
import type { RouterStore } from "../../store/types.ts";

/** The reason of an abort when the caller has cancelled the call. */
class CallCancelled extends Error {
  override readonly name = "AbortError";

  constructor() {
    super("the caller cancelled the call");
  }
}

/** Checks whether a call was stopped because its caller has cancelled it. */
export function isCancelled({ aborted, reason }: Pick<AbortSignal, "aborted" | "reason">): boolean {
  return aborted && reason instanceof CallCancelled;
}

/** Refuses a call that was cancelled in time: nothing was executed. */
export function cancelledInTime(): Fault {
  return fault("TRP_3005", "The call was cancelled before it was started; nothing was executed.");
}

/** The fault of a call that was cancelled while it ran. `hadEffect`: whether it may have had an effect. */
export function cancelledMidway(hadEffect: boolean): Fault {
  const effect = hadEffect ? "a part of it may have been done" : "it changed nothing";
  return fault("TRP_3005", `The call was cancelled while it ran; ${effect}.`, { dispatched: true });
}

/** Returns a fault as that of a cancelled call, which is not run again: it must not ask for that. */
export function notAgain(reason: Fault): Fault {
  if (!reason.retryable) return reason;
  const fix = "It was cancelled, and does not run again. If it is wanted after all, make a new call.";
  return { ...reason, errorClass: "EXECUTOR_ERROR", retryable: false, retryHint: {}, fix };
}

/** What ends a call early. */
export interface Stop {
  /** Whether it has happened. */
  readonly aborted: boolean;
  readonly reason: unknown;
  /** May be made when it is asked for, since most calls need none. */
  readonly signal: AbortSignal;
}

/** Returns the stop that a signal is. */
export function stopOf(signal: AbortSignal): Stop {
  return {
    signal,
    get aborted(): boolean {
      return signal.aborted;
    },
    get reason(): unknown {
      return signal.reason;
    },
  };
}

/** A call in flight in this router that may be cancelled. Stopped when it is, or when the router stops. */
export class Cancellable implements Stop {
  /** Set when the capability is about to run. */
  isStarted = false;
  /** The call was sent before, with an unknown outcome. If it has no key, another router may be running it. */
  readonly isAgain: boolean;
  readonly sessionId: string;
  readonly callId: string;
  readonly #router: Stop;
  readonly #others: Cancellable[];
  #cancelled: CallCancelled | undefined;
  #controller: AbortController | undefined;
  #unlink: (() => void) | undefined;

  /** `others`: the list that it is in until it has ended. */
  constructor(sessionId: string, callId: string, router: Stop, isAgain: boolean, others: Cancellable[]) {
    this.sessionId = sessionId;
    this.callId = callId;
    this.#router = router;
    this.isAgain = isAgain;
    this.#others = others;
  }

  get aborted(): boolean {
    return this.#cancelled !== undefined || this.#router.aborted;
  }

  get reason(): unknown {
    return this.#cancelled ?? this.#router.reason;
  }

  get signal(): AbortSignal {
    if (this.#controller !== undefined) return this.#controller.signal;
    const made = new AbortController();
    this.#controller = made;
    if (this.#cancelled !== undefined) made.abort(this.#cancelled);
    else this.#unlink = onAbort(this.#router.signal, () => made.abort(this.#router.reason));
    return made.signal;
  }

  cancel(): void {
    if (this.aborted) return;
    this.#cancelled = new CallCancelled();
    this.#controller?.abort(this.#cancelled);
  }

  /** Notes that the call has ended. */
  end(): void {
    this.#unlink?.();
    removeFrom(this.#others, this);
  }
}

/** The calls in flight in this router that may be cancelled: those of sessions with the feature `CANCEL`. */
export class Cancellations {
  // A call that is sent twice may be in flight twice. Searched only when one is cancelled.
  readonly #calls: Cancellable[] = [];

  open(sessionId: string, callId: string, router: Stop, isAgain: boolean = false): Cancellable {
    const call = new Cancellable(sessionId, callId, router, isAgain, this.#calls);
    this.#calls.push(call);
    return call;
  }

  /**
   * Aborts a call in flight, and returns how far it was. Undefined when it is not in this router. `again`: it is
   * waiting, and it was sent before ({@link Cancellable.isAgain}).
   */
  cancel(sessionId: string, callId: string): "waiting" | "again" | "started" | undefined {
    const found = this.#calls.filter((each) => each.sessionId === sessionId && each.callId === callId);
    for (const call of found) call.cancel();
    if (found.length === 0) return undefined;
    if (found.some((call) => call.isStarted)) return "started";
    return found.some((call) => call.isAgain) ? "again" : "waiting";
  }
}

/** Renews the lease of a call. Each time it also checks whether the call was cancelled through another router. */
export function watched(
  { operations, sessions }: RouterStore,
  call: Cancellable,
): Pick<RouterStore["operations"], "renew"> {
  return {
    async renew(claim, leaseMs) {
      const isRenewed = await operations.renew(claim, leaseMs);
      const found = await sessions.readCall(call.sessionId, call.callId).catch(() => undefined);
      if (found?.isCancelled) call.cancel();
      return isRenewed;
    },
  };
}
