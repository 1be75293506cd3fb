import { onAbort } from "@toolglot/internal";
import { type Fault, fault } from "../../frames/fault.ts";

/** The reason of an abort when the caller has cancelled the call. */
class CallCancelled extends Error {
  override readonly name = "AbortError";

  constructor() {
    super("the caller cancelled the call");
  }
}

/** Whether a signal is aborted because the caller cancelled the call. */
export function isCancelled({ aborted, reason }: AbortSignal): boolean {
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

/** A call in flight in this router that may be cancelled. */
export interface Cancellable {
  /** Aborted when the call is cancelled, or when the router stops. */
  readonly signal: AbortSignal;
  /** Set when the capability is about to run. */
  isStarted: boolean;
  /** The call was sent before, with an unknown outcome. If it has no key, another router may be running it. */
  readonly isAgain: boolean;
  cancel(): void;
  /** Notes that the call has ended. */
  end(): void;
}

/** The calls in flight in this router that may be cancelled: those of sessions with the feature `CANCEL`. */
export class Cancellations {
  // A call that is sent twice may be in flight twice.
  readonly #calls = new Map<string, Set<Cancellable>>();

  open(sessionId: string, callId: string, stop: AbortSignal, isAgain: boolean = false): Cancellable {
    const controller = new AbortController();
    const unlink = onAbort(stop, () => controller.abort(stop.reason));
    const name = nameOf(sessionId, callId);
    const others = this.#calls.get(name) ?? new Set();
    this.#calls.set(name, others);
    const call: Cancellable = {
      signal: controller.signal,
      isStarted: false,
      isAgain,
      cancel: () => controller.abort(new CallCancelled()),
      end: () => {
        unlink();
        others.delete(call);
        if (others.size === 0 && this.#calls.get(name) === others) this.#calls.delete(name);
      },
    };
    others.add(call);
    return call;
  }

  /**
   * Aborts a call in flight, and returns how far it was. Undefined when it is not in this router. `again`: it is
   * waiting, and it was sent before ({@link Cancellable.isAgain}).
   */
  cancel(sessionId: string, callId: string): "waiting" | "again" | "started" | undefined {
    const found = [...(this.#calls.get(nameOf(sessionId, callId)) ?? [])];
    for (const call of found) call.cancel();
    if (found.length === 0) return undefined;
    if (found.some(({ isStarted }) => isStarted)) return "started";
    return found.some(({ isAgain }) => isAgain) ? "again" : "waiting";
  }
}

function nameOf(sessionId: string, callId: string): string {
  return `${sessionId.length}:${sessionId}${callId}`;
}
