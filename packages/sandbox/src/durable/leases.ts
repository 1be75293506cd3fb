import type { OperationClaim, OperationLog } from "@toolglot/core";

/** Why a lease is gone: another holder has it, or the log could not be written for as long as it lasts. */
export type LeaseLoss = "taken" | "failed";

const ROUNDS_PER_LEASE = 3;

/** Keeps the claims of one run alive, and knows when they are lost. */
export class Leases {
  readonly #log: OperationLog;
  readonly #leaseMs: number;
  readonly #onLost: (loss: LeaseLoss) => void;
  readonly #run: OperationClaim;
  readonly #claims = new Set<OperationClaim>();
  #timer: ReturnType<typeof setInterval>;
  #renewedAt: number;
  /** Rounds of renewals in a row to which the log has said nothing. Time would not do: the process may have been stopped. */
  #unanswered = 0;
  #over = false;

  /** `run` was claimed at `claimedAt`. `onLost` is called once, never after {@link Leases.stop}. */
  constructor(
    log: OperationLog,
    leaseMs: number,
    run: { claim: OperationClaim; claimedAt: number },
    onLost: (loss: LeaseLoss) => void,
  ) {
    this.#log = log;
    this.#leaseMs = leaseMs;
    this.#run = run.claim;
    this.#renewedAt = run.claimedAt;
    this.#onLost = onLost;
    this.#claims.add(run.claim);
    this.#timer = setInterval(() => void this.#renewAll(), Math.max(1, leaseMs / ROUNDS_PER_LEASE));
  }

  hold(claim: OperationClaim): void {
    this.#claims.add(claim);
  }

  drop(claim: OperationClaim): void {
    this.#claims.delete(claim);
  }

  /** Whether run and call are still this process's own. One that was stopped for longer than its lease finds out here. */
  async sure(call: OperationClaim): Promise<boolean> {
    for (let round = 0; round < ROUNDS_PER_LEASE; round++) {
      if (this.#over) return false;
      if (Date.now() - this.#renewedAt < this.#leaseMs / 2) return true;
      const kept = await Promise.all([this.#run, call].map((claim) => this.#renew(claim)));
      if (!kept.every(Boolean)) return false;
    }
    return !this.#hasExpired;
  }

  /** Renews nothing any more. */
  stop(): void {
    this.#over = true;
    clearInterval(this.#timer);
  }

  /** Ends all leases now, so that nobody has to wait for them. */
  async giveUp(): Promise<void> {
    this.stop();
    await Promise.allSettled([...this.#claims].map(async (claim) => await this.#log.renew(claim, 1)));
  }

  async #renewAll(): Promise<void> {
    // A log that says nothing is as bad as one that fails.
    if (++this.#unanswered > ROUNDS_PER_LEASE + 1) this.#lose("failed");
    try {
      await Promise.all([...this.#claims].map((claim) => this.#renew(claim)));
    } catch {
      if (this.#hasExpired) this.#lose("failed");
    } finally {
      this.#unanswered = 0;
    }
  }

  get #hasExpired(): boolean {
    return Date.now() - this.#renewedAt > this.#leaseMs;
  }

  async #renew(claim: OperationClaim): Promise<boolean> {
    const asked = Date.now();
    const kept = await this.#log.renew(claim, this.#leaseMs);
    if (kept && claim === this.#run) this.#renewedAt = Math.max(this.#renewedAt, asked);
    // A claim that was finished in between is none any more.
    if (!kept && this.#claims.has(claim)) this.#lose("taken");
    return kept;
  }

  #lose(loss: LeaseLoss): void {
    if (this.#over) return;
    this.stop();
    this.#onLost(loss);
  }
}
