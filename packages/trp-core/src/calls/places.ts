import { Limiter, type Refusal, type Release } from "@toolglot/internal";
import type { MaybePromise } from "@toolglot/schema";
import { type Fault, fault } from "../frames/fault.ts";

/** Room for calls that run at the same time. */
export interface Places {
  /**
   * A place for one call of a capability: at once when there is one, else when its turn in the line comes. A fault when the
   * line is full (TRP_5003), the time is up (TRP_3003) or the signal is aborted (TRP_3005). Never rejects. Call the release
   * when the call has ended.
   */
  take(capability: Seat, options: { timeoutMs: number; signal?: AbortSignal }): MaybePromise<Release | Fault>;
  readonly running: number;
  readonly waiting: number;
}

/** What is known of the capability that needs a place: a registered capability is one. */
export interface Seat {
  readonly capId: string;
  readonly definition: { readonly maxConcurrency?: number };
}

/**
 * Places for calls: `callsInFlight` in all, of each capability at most its `maxConcurrency`, and a line of `callsWaiting`
 * for the rest. First come, first served; only a call that waits for a place of its own capability is passed by others.
 * `TypeError` for numbers that are no counts.
 */
export function createPlaces(limits: { callsInFlight: number; callsWaiting: number }): Places {
  const limiter = new Limiter(limits.callsInFlight, limits.callsWaiting);
  return {
    get running(): number {
      return limiter.running;
    },
    get waiting(): number {
      return limiter.waiting;
    },
    take({ capId, definition }, { timeoutMs, signal }) {
      const { running, waiting } = limiter;
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
      const taken = limiter.take({ key: capId, keyLimit: definition.maxConcurrency, ms: timeoutMs, signal });
      return taken instanceof Promise ? taken.then(orFault) : orFault(taken);
    },
  };
}
