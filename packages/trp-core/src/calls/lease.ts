import type { OperationClaim } from "@toolglot/core";
import type { RouterStore } from "../store/types.ts";

/** Holds the lease of one claim for as long as something runs under it. */
export interface Lease {
  /** Aborted when the lease was lost, or the given signal is. */
  readonly signal: AbortSignal;
  /** True once somebody else may have taken over. */
  readonly lost: boolean;
  /** Makes sure, right now: renews a lease that has run out. False when it is lost. */
  hold(): Promise<boolean>;
  stop(): void;
}

/**
 * Renews a lease every third of its time until stopped. When a renewal says that the claim is lost, or none succeeds before
 * the lease is over by the store's clock, what runs under it is aborted.
 */
export function keepLease(
  store: Pick<RouterStore, "operations" | "now">,
  claim: OperationClaim,
  options: { leaseMs: number; leaseUntil: number; signal: AbortSignal },
): Lease {
  const { leaseMs, signal } = options;
  const controller = new AbortController();
  let until = options.leaseUntil;
  let lost = false;
  let renewing: Promise<boolean> | undefined;

  const abort = (): void => controller.abort(signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort);

  function lose(): void {
    if (lost) return;
    lost = true;
    clearInterval(timer);
    controller.abort(new DOMException("the lease of the operation was lost", "AbortError"));
  }

  function renew(): Promise<boolean> {
    renewing ??= attempt().finally(() => {
      renewing = undefined;
    });
    return renewing;
  }

  async function attempt(): Promise<boolean> {
    const asked = store.now();
    try {
      // Counted from before the store was asked: never longer than the store's own.
      if (await store.operations.renew(claim, leaseMs)) until = asked + leaseMs;
      else lose();
    } catch {
      // The store can't serve: the lease holds as long as it held before.
      if (store.now() >= until) lose();
    }
    return !lost;
  }

  const timer = setInterval(
    () => {
      // A renewal that hangs must not keep alive what it can't renew.
      if (renewing !== undefined && store.now() >= until) lose();
      else void renew();
    },
    Math.max(1, Math.floor(leaseMs / 3)),
  );

  return {
    signal: controller.signal,
    get lost(): boolean {
      return lost;
    },
    async hold(): Promise<boolean> {
      if (!lost && store.now() >= until) await renew();
      return !lost;
    },
    stop(): void {
      clearInterval(timer);
      signal.removeEventListener("abort", abort);
    },
  };
}
