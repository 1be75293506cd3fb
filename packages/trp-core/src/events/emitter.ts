import { ignoreRejection } from "@toolglot/internal";
import type { RouterEvent, RouterListener } from "./types.ts";

/** Where a router reports what happens. */
export interface Emitter {
  /** Hands the event to every listener, in order of subscription. Never throws. */
  emit(event: RouterEvent): void;
  /** Returns what ends the subscription; calling that twice does nothing more. */
  subscribe(listener: RouterListener): () => void;
  /** Whether anybody listens: without listeners, an event need not be made. */
  readonly active: boolean;
}

interface Subscription {
  readonly listener: RouterListener;
  ended: boolean;
}

/**
 * Creates an emitter whose listeners can't disturb a call. Events are delivered at once and in order, and frozen. What a listener
 * throws is lost, and so is the rejection of an async one, which nobody waits for. A listener that was added during an
 * event gets the next one; one that was taken out gets none any more. `TypeError` for a listener that is no function.
 */
export function createEmitter(): Emitter {
  // Replaced, never changed: an event that is under way keeps its list.
  let subscriptions: readonly Subscription[] = [];
  return {
    get active(): boolean {
      return subscriptions.length > 0;
    },
    emit(event: RouterEvent): void {
      const current = subscriptions;
      if (current.length === 0) return;
      Object.freeze(event);
      for (const subscription of current) if (!subscription.ended) deliver(subscription.listener, event);
    },
    subscribe(listener: RouterListener): () => void {
      if (typeof listener !== "function") throw new TypeError("subscribe needs a function of (event)");
      const subscription: Subscription = { listener, ended: false };
      subscriptions = [...subscriptions, subscription];
      return () => {
        subscription.ended = true;
        subscriptions = subscriptions.filter((other) => other !== subscription);
      };
    },
  };
}

function deliver(listener: RouterListener, event: RouterEvent): void {
  try {
    ignoreRejection(listener(event));
  } catch {
    // The listener's affair.
  }
}
