import { onAbort, settleWithin } from "./async.ts";

/** Reason why a lease is gone: another holder has the claim, or it ran out because the log could not renew it. */
export type LeaseLoss = "taken" | "expired";

/** The lease of one claim, kept for as long as something runs under it. */
export interface Lease {
  /** Aborted when the lease is lost, or when the given signal is. */
  readonly signal: AbortSignal;
  /** Set once another holder may have taken over. */
  readonly loss: LeaseLoss | undefined;
  /**
   * Makes sure, right now: renews first when less than half of the lease is left, as after a process was stopped. False
   * when the lease is lost.
   */
  hold(): boolean | Promise<boolean>;
  /**
   * Stops the renewals; the lease then ends by itself. Resolves when no renewal is under way. After that you can give
   * the claim back, and no late renewal can undo it.
   */
  stop(): Promise<void>;
}

/** Options for keeping a lease. */
export interface LeaseOptions {
  leaseMs: number;
  /** When the lease ends that the claim came with, by the clock `now`. */
  leaseUntil: number;
  /** The clock of the log: see {@link clockSince} for logs that have none to ask. */
  now(): number;
  /** A function is called only when somebody looks at the lease's signal. */
  signal?: AbortSignal | (() => AbortSignal) | undefined;
  /** True for a lease that does not keep the process alive. Default false. */
  background?: boolean;
  /** Called once, never after {@link Lease.stop}. */
  onLost?(loss: LeaseLoss): void;
}

/** Renewals in the time of one lease: two may fail. */
const renewalsPerLease = 3;

/**
 * Renews the lease of a claim every third of its time until it is stopped. It is lost when the log reports that, or when it
 * is over by the log's clock and no renewal came through. A lease counts from the moment before the log was asked, so
 * that it never seems longer here than in the log.
 */
export function keepLease<Claim>(
  log: { renew(claim: Claim, leaseMs: number): Promise<boolean> },
  claim: Claim,
  { leaseMs, leaseUntil, now, signal, background, onLost }: LeaseOptions,
): Lease {
  /** Made when somebody looks at the signal, which costs more than the rest of a lease. */
  let controller: AbortController | undefined;
  let stopListening = (): void => {};
  let until = leaseUntil;
  let loss: LeaseLoss | undefined;
  let stopped = false;
  let renewing: Promise<void> | undefined;
  /** Rounds in a row in which the log gave no answer. */
  let unanswered = 0;

  function lose(why: LeaseLoss): void {
    if (stopped || loss !== undefined) return;
    loss = why;
    clearInterval(timer);
    controller?.abort(lost());
    onLost?.(why);
  }

  function watched(): AbortSignal {
    if (controller !== undefined) return controller.signal;
    const made = new AbortController();
    controller = made;
    if (loss !== undefined) made.abort(lost());
    else if (!stopped) {
      const outer = typeof signal === "function" ? signal() : signal;
      stopListening = onAbort(outer, () => made.abort(outer?.reason));
    }
    return made.signal;
  }

  function renew(): Promise<void> {
    renewing ??= attempt().finally(() => {
      renewing = undefined;
      unanswered = 0;
    });
    return renewing;
  }

  /** Whether the lease holds; undefined when it must be renewed to know. */
  function standing(): boolean | undefined {
    if (stopped || loss !== undefined) return false;
    return until - now() > leaseMs / 2 ? true : undefined;
  }

  async function renewed(): Promise<boolean> {
    // A process can be stopped while it renews, too: then the renewal is old when it comes through.
    for (let round = 0; round < renewalsPerLease; round++) {
      const stands = standing();
      if (stands !== undefined) return stands;
      await settleWithin(renew(), { signal: watched() });
    }
    if (loss === undefined && now() >= until) lose("expired");
    return loss === undefined;
  }

  async function attempt(): Promise<void> {
    const asked = now();
    try {
      if (await log.renew(claim, leaseMs)) until = Math.max(until, asked + leaseMs);
      else lose("taken");
    } catch {
      // The lease holds as long as it held before: the next renewal may come through.
      if (now() >= until) lose("expired");
    }
  }

  const timer = setInterval(
    () => {
      if (renewing === undefined) void renew();
      // A process that was stopped finds its renewal unanswered and its lease over: the answer may still come, so it
      // waits a round.
      else if (++unanswered > 1 && now() >= until) lose("expired");
    },
    Math.max(1, Math.floor(leaseMs / renewalsPerLease)),
  );
  if (background) (timer as { unref?(): void }).unref?.();

  return {
    get signal(): AbortSignal {
      return watched();
    },
    get loss(): LeaseLoss | undefined {
      return loss;
    },
    hold(): boolean | Promise<boolean> {
      return standing() ?? renewed();
    },
    async stop(): Promise<void> {
      stopped = true;
      clearInterval(timer);
      stopListening();
      await renewing;
    },
  };
}

function lost(): DOMException {
  return new DOMException("the lease of the operation was lost", "AbortError");
}

/**
 * Returns the clock of a log that can't be asked, from what it said of a claim: `claimedAt` by its own clock, and `asked`, the
 * moment of `performance.now()` before it was asked. Never behind the log's clock, if both run at one pace.
 */
export function clockSince(claimedAt: number, asked: number): () => number {
  return () => claimedAt + performance.now() - asked;
}
