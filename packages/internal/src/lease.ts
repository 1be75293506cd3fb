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
  options: LeaseOptions,
): Lease {
  return new KeptLease(log, claim, options);
}

/** Not a literal with getters: V8 makes a hidden class for each such object, which keeps it alive as old objects are. */
class KeptLease<Claim> implements Lease {
  readonly #log: { renew(claim: Claim, leaseMs: number): Promise<boolean> };
  readonly #claim: Claim;
  readonly #options: LeaseOptions;
  readonly #timer: ReturnType<typeof setInterval>;
  /** Made when somebody looks at the signal, which costs more than the rest of a lease. */
  #controller: AbortController | undefined;
  #stopListening: (() => void) | undefined;
  #until: number;
  #loss: LeaseLoss | undefined;
  #stopped = false;
  #renewing: Promise<void> | undefined;
  /** Rounds in a row in which the log gave no answer. */
  #unanswered = 0;

  constructor(log: { renew(claim: Claim, leaseMs: number): Promise<boolean> }, claim: Claim, options: LeaseOptions) {
    this.#log = log;
    this.#claim = claim;
    this.#options = options;
    this.#until = options.leaseUntil;
    this.#timer = setInterval(() => this.#round(), Math.max(1, Math.floor(options.leaseMs / renewalsPerLease)));
    if (options.background) (this.#timer as { unref?(): void }).unref?.();
  }

  get signal(): AbortSignal {
    if (this.#controller !== undefined) return this.#controller.signal;
    const made = new AbortController();
    this.#controller = made;
    if (this.#loss !== undefined) made.abort(lost());
    else if (!this.#stopped) {
      const { signal } = this.#options;
      const outer = typeof signal === "function" ? signal() : signal;
      this.#stopListening = onAbort(outer, () => made.abort(outer?.reason));
    }
    return made.signal;
  }

  get loss(): LeaseLoss | undefined {
    return this.#loss;
  }

  hold(): boolean | Promise<boolean> {
    return this.#standing() ?? this.#renewed();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    this.#stopListening?.();
    await this.#renewing;
  }

  #round(): void {
    if (this.#renewing === undefined) void this.#renew();
    // A process that was stopped finds its renewal unanswered and its lease over: the answer may still come, so it waits
    // a round.
    else if (++this.#unanswered > 1) this.#loseIfOver();
  }

  #renew(): Promise<void> {
    this.#renewing ??= this.#attempt().finally(() => {
      this.#renewing = undefined;
      this.#unanswered = 0;
    });
    return this.#renewing;
  }

  async #attempt(): Promise<void> {
    const { leaseMs, now } = this.#options;
    const asked = now();
    try {
      if (await this.#log.renew(this.#claim, leaseMs)) this.#until = Math.max(this.#until, asked + leaseMs);
      else this.#lose("taken");
    } catch {
      // The lease holds as long as it held before: the next renewal may come through.
      this.#loseIfOver();
    }
  }

  /** Whether the lease holds; undefined when it must be renewed to know. */
  #standing(): boolean | undefined {
    if (this.#stopped || this.#loss !== undefined) return false;
    return this.#until - this.#options.now() > this.#options.leaseMs / 2 ? true : undefined;
  }

  async #renewed(): Promise<boolean> {
    // A process can be stopped while it renews, too: then the renewal is old when it comes through.
    for (let round = 0; round < renewalsPerLease; round++) {
      const stands = this.#standing();
      if (stands !== undefined) return stands;
      await settleWithin(this.#renew(), { signal: this.signal });
    }
    this.#loseIfOver();
    return this.#loss === undefined;
  }

  #loseIfOver(): void {
    if (this.#options.now() >= this.#until) this.#lose("expired");
  }

  #lose(why: LeaseLoss): void {
    if (this.#stopped || this.#loss !== undefined) return;
    this.#loss = why;
    clearInterval(this.#timer);
    this.#controller?.abort(lost());
    this.#options.onLost?.(why);
  }
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
