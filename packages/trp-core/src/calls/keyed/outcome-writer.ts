import type { OperationClaim } from "@toolglot/core";
import { andThen, type Lease, sleep, whenDone } from "@toolglot/internal";
import type { MaybePromise } from "@toolglot/schema";
import type { Fault } from "../../frames/fault.ts";
import type { SameTransaction } from "../../store/frame-types.ts";
import type { CallDependencies, Failpoint } from "../dependencies.ts";
import { proofOf, sameTransaction, usageOf } from "../ending.ts";
import { outcomeUnknown } from "../faults.ts";
import { claimOf, noUsage, storedOutcome } from "../outcome.ts";
import type { Chosen, Route } from "../running/route.ts";
import type { CallContext, Settled } from "../types.ts";
import { type OperationData, toJson } from "./operation-data.ts";
import { begunAnyway, readOperation } from "./read-operation.ts";

/** An operation whose start is committed. It runs under its claim. */
export interface StartedCall {
  context: CallContext;
  claim: OperationClaim;
  leaseUntil: number;
  data: OperationData;
  route: Route;
  /** The adapter that runs first. It was committed with the start. */
  chosen: Chosen;
  timeoutMs: number;
  /** Whether the capability is probed first, because it is unknown what an earlier attempt did. */
  askFirst?: boolean;
}

/** The end of an attempt whose outcome is known. */
type End = Extract<Settled, { kind: "success" | "failed" }>;

/**
 * Records the outcome of a started operation while its claim holds. Methods reject only when a test's failpoint throws.
 */
export class OutcomeWriter {
  /** The outcome once it is recorded or decided. No later fault changes it. */
  settled: Settled | undefined;
  readonly #dependencies: CallDependencies;
  readonly #started: StartedCall;
  readonly #lease: Lease;

  constructor(dependencies: CallDependencies, started: StartedCall, lease: Lease) {
    this.#dependencies = dependencies;
    this.#started = started;
    this.#lease = lease;
  }

  done(value: unknown): MaybePromise<Settled> {
    return andThen(this.#success(value), (success) => this.#finish("done", success));
  }

  /** Writes a final failure: the next call with the key gets the same answer. */
  failed(fault: Fault): MaybePromise<Settled> {
    return this.#finish("failed", this.#failure(fault));
  }

  /** Nothing was done, so the key becomes free again. */
  released(fault: Fault): MaybePromise<Settled> {
    return this.#finish("released", this.#failure(fault));
  }

  #success(value: unknown): MaybePromise<End> {
    const { context } = this.#started;
    const { capability, principal } = context.call;
    return andThen(this.#dependencies.shaper.shape(capability, value, principal), (result) => ({
      kind: "success",
      result,
      usage: usageOf(context),
      ...proofOf(context),
    }));
  }

  #failure(fault: Fault): End {
    const { context } = this.#started;
    return { kind: "failed", fault, usage: usageOf(context), ...proofOf(context) };
  }

  #finish(state: "done" | "failed" | "released", settled: End): MaybePromise<Settled> {
    const { context, claim } = this.#started;
    const isReleased = state === "released";
    const outcome = storedOutcome(settled, context.call.item.call_id);
    const result = isReleased ? { state } : { state, outcome };
    const { operations } = this.#dependencies.store;
    return this.#commit(settled, (together) => operations.finish(claim, result, together), isReleased);
  }

  doubt(reason: string): MaybePromise<Settled> {
    const { context, claim } = this.#started;
    const { operations } = this.#dependencies.store;
    const settled: Settled = {
      kind: "unknown",
      fault: outcomeUnknown(),
      usage: usageOf(context),
      doubt: claimOf(claim),
      ...proofOf(context),
    };
    return this.#commit(settled, (together) => operations.doubt(claim, reason, together));
  }

  /** Writes the outcome of the operation, with its audit row and the reply to the frame in the same transaction. */
  #commit(
    settled: Settled,
    write: (together: SameTransaction) => Promise<boolean>,
    isReleased = false,
  ): MaybePromise<Settled> {
    return andThen(this.#point("before-finish"), () => {
      const { context } = this.#started;
      const together = sameTransaction(this.#dependencies, context, settled, isReleased);
      return andThen(
        this.retry(() => write(together)),
        (done) => {
          if (done === undefined) return this.unrecorded();
          if (!done) return this.lost();
          context.committed = true;
          context.pendingEvents = [];
          this.settled = settled;
          return andThen(this.#point("after-finish"), () => settled);
        },
      );
    });
  }

  /** Abandons the operation, so that the next call with its key can run it again. This call fails with `fault`. */
  async abandon(fault: Fault, data: OperationData): Promise<Settled> {
    if (this.#dependencies.failpoint) await this.#point("before-finish");
    const { claim } = this.#started;
    const { operations } = this.#dependencies.store;
    const written = await this.retry(() => operations.begin(claim, toJson({ ...data, answered: fault })));
    if (written === false) return await this.lost();
    // If this fails, the lease expires by itself.
    if (written === true) await operations.abandon(claim).catch(() => false);
    this.settled = this.#failure(fault);
    if (this.#dependencies.failpoint) await this.#point("after-finish");
    return this.settled;
  }

  /** Repeats a write that fails, as long as the lease holds. Undefined when it never succeeded. */
  retry(write: () => Promise<boolean>, backoffMs = 5, until?: number): MaybePromise<boolean | undefined> {
    const end = until ?? performance.now() + this.#dependencies.times.leaseMs;
    return whenDone<boolean, boolean | undefined>(
      write,
      (done) => done,
      async (error) => {
        // A malformed request (`TypeError`) would fail again.
        const isLost = this.#lease.loss !== undefined;
        if (error instanceof TypeError || isLost || performance.now() >= end) return undefined;
        await sleep(Math.min(backoffMs, end - performance.now()));
        return await this.retry(write, Math.min(backoffMs * 2, 250), end);
      },
    );
  }

  /** Another router has taken the operation over or ended it. The outcome is the one in the store. */
  async lost(): Promise<Settled> {
    const { claim, context } = this.#started;
    const { operations, sessions } = this.#dependencies.store;
    const { session, item } = context.call;
    try {
      const record = await readOperation(operations, claim);
      const call = { sessionId: session.id, callId: item.call_id };
      return (await begunAnyway(sessions, call, record)) ?? this.unrecorded();
    } catch {
      return this.unrecorded();
    }
  }

  /** Returns the unknown outcome of a started operation: the store has none, perhaps after a success. */
  unrecorded(): Settled {
    const { context } = this.#started;
    const usage = context.executorMs > 0 ? usageOf(context) : noUsage;
    return { kind: "unknown", fault: outcomeUnknown(), usage, ...proofOf(context) };
  }

  #point(name: Failpoint): void | Promise<void> {
    return this.#dependencies.failpoint?.(name, this.#started.context.call.item.call_id);
  }
}
