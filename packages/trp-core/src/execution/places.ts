import type { MaybePromise } from "@toolglot/schema";
import { fault } from "../errors/fault.ts";
import type { Fault } from "../errors/types.ts";

/** Gives a place back; a second call does nothing. */
export type Release = () => void;

/** Room for calls that run at the same time. */
export interface Places {
  /**
   * A place for one call of a capability: at once when there is one, else when its turn comes. A fault when the line is
   * full (TRP_5003), the time is up (TRP_3003) or the signal is aborted (TRP_3005). Never rejects. Whoever got a place must
   * give it back.
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

interface Waiter {
  readonly capId: string;
  readonly limit: number;
  go(): void;
}

/**
 * Places for calls: `callsInFlight` in all, of each capability at most its `maxConcurrency`, and a line of `callsWaiting`
 * for the rest. First come, first served; only whoever waits for a place of its own capability is passed. `TypeError` for
 * numbers that are no counts.
 */
export function createPlaces(limits: { callsInFlight: number; callsWaiting: number }): Places {
  const { callsInFlight, callsWaiting } = limits;
  if (!Number.isSafeInteger(callsInFlight) || callsInFlight < 1) {
    throw new TypeError(`callsInFlight must be a whole number from 1, not ${callsInFlight}`);
  }
  if (!Number.isSafeInteger(callsWaiting) || callsWaiting < 0) {
    throw new TypeError(`callsWaiting must be a whole number from 0, not ${callsWaiting}`);
  }
  let running = 0;
  /** Only of capabilities with a limit of their own. */
  const runningOf = new Map<string, number>();
  /** In order of arrival. */
  const line = new Set<Waiter>();

  const hasRoom = (capId: string, limit: number): boolean =>
    running < callsInFlight && (limit === Number.POSITIVE_INFINITY || (runningOf.get(capId) ?? 0) < limit);

  const occupy = (capId: string, limit: number): Release => {
    const counted = limit !== Number.POSITIVE_INFINITY;
    running++;
    if (counted) runningOf.set(capId, (runningOf.get(capId) ?? 0) + 1);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      running--;
      if (counted) {
        const left = (runningOf.get(capId) ?? 1) - 1;
        if (left === 0) runningOf.delete(capId);
        else runningOf.set(capId, left);
      }
      callNext();
    };
  };

  // One place came free, so one waiter at most can go.
  const callNext = (): void => {
    for (const waiter of line) {
      if (running >= callsInFlight) return;
      if (!hasRoom(waiter.capId, waiter.limit)) continue;
      line.delete(waiter);
      waiter.go();
      return;
    }
  };

  return {
    get running(): number {
      return running;
    },
    get waiting(): number {
      return line.size;
    },
    take({ capId, definition }, { timeoutMs, signal }): MaybePromise<Release | Fault> {
      const limit = definition.maxConcurrency ?? Number.POSITIVE_INFINITY;
      if (signal?.aborted) return cancelled(capId);
      // Whoever waits could not go either: nobody is passed who could.
      if (hasRoom(capId, limit)) return occupy(capId, limit);
      if (line.size >= callsWaiting) {
        return fault("TRP_5003", `${running} calls are running and ${line.size} wait: there is no room for more`);
      }
      return new Promise((resolve) => {
        const leave = (answer: Release | Fault): void => {
          clearTimeout(timer);
          signal?.removeEventListener("abort", cancel);
          line.delete(waiter);
          resolve(answer);
        };
        const cancel = (): void => leave(cancelled(capId));
        const timer = setTimeout(
          () => {
            leave(fault("TRP_3003", `there was no room for ${capId} within ${timeoutMs} ms`));
          },
          Math.min(timeoutMs, 0x7fffffff),
        );
        const waiter: Waiter = { capId, limit, go: () => leave(occupy(capId, limit)) };
        line.add(waiter);
        signal?.addEventListener("abort", cancel, { once: true });
      });
    },
  };
}

function cancelled(capId: string): Fault {
  return fault("TRP_3005", `${capId} was cancelled while it waited for room`);
}
