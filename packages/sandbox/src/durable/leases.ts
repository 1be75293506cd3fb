import type { OperationClaim } from "@toolglot/core";
import { clockSince, keepLease, type Lease, type LeaseLoss } from "@toolglot/internal";
import type { Claimed, Journal } from "./journal.ts";

/** The leases of one run: its own, and those of the calls that it has claimed. */
export class Leases {
  readonly #journal: Journal;
  readonly #run: Lease;
  readonly #held = new Map<OperationClaim, Lease>();
  #loss: LeaseLoss | undefined;
  #onLost: (loss: LeaseLoss) => void = () => {};

  constructor(journal: Journal, run: Claimed) {
    this.#journal = journal;
    this.#run = this.hold(run);
  }

  /** Calls `act` once when a lease is lost, soon when that has happened already. Never after {@link Leases.stop}. */
  onLost(act: (loss: LeaseLoss) => void): void {
    this.#onLost = act;
    const loss = this.#loss;
    if (loss !== undefined) queueMicrotask(() => act(loss));
  }

  hold({ claim, record, asked }: Claimed): Lease {
    const { log, leaseMs } = this.#journal.settings;
    const now = clockSince(record.claimedAt, asked);
    const onLost = (loss: LeaseLoss): void => {
      void this.stop();
      this.#loss = loss;
      this.#onLost(loss);
    };
    const lease = keepLease(log, claim, { leaseMs, leaseUntil: record.leaseUntil, now, onLost });
    this.#held.set(claim, lease);
    return lease;
  }

  /** Renews the lease of a call no more. */
  drop(call: OperationClaim): void {
    void this.#held.get(call)?.stop();
    this.#held.delete(call);
  }

  /** Checks whether run and call are still this process's own. One that was stopped for longer than its lease finds out here. */
  async confirm(call: OperationClaim): Promise<boolean> {
    const kept = await Promise.all([this.#run.hold(), this.#held.get(call)?.hold()]);
    return kept.every((each) => each === true);
  }

  /** Renews nothing any more. Resolves when no renewal is under way. */
  async stop(): Promise<void> {
    await Promise.all([...this.#held.values()].map((lease) => lease.stop()));
  }

  /** Ends all leases now, so that nobody has to wait for them: no renewal under way may undo that. Never rejects. */
  async giveUp(): Promise<void> {
    await this.stop();
    await Promise.all([...this.#held.keys()].map((claim) => this.#journal.giveUp(claim)));
  }
}
