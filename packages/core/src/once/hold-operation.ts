import { clockSince, keepLease, type Lease, sleep } from "@toolglot/internal";
import type { JsonValue } from "../json.ts";
import type {
  ClaimRequest,
  ClaimResult,
  OperationClaim,
  OperationEnd,
  OperationLog,
  OperationRecord,
} from "../operation-log.ts";

/** An operation that is claimed, and whose lease is renewed until it is stopped. */
export interface HeldOperation {
  readonly claim: OperationClaim;
  /** As the claim found it. */
  readonly record: OperationRecord;
  /** Aborted when the lease is lost, or when the given signal is. */
  readonly signal: AbortSignal;
  /** Whether another holder may have taken over. */
  readonly isLost: boolean;
  /** Makes sure that nobody else has it, right now. */
  hold(): boolean | Promise<boolean>;
  /** Writes that the effect may happen from now on; again with other data. False when somebody else has it. */
  begin(data?: JsonValue): Promise<boolean>;
  /** Writes how it ended, and stops. False when somebody else has it. */
  end(result: OperationEnd): Promise<boolean>;
  /** Stops the renewals, without a word: the lease then ends by itself. */
  stop(): Promise<void>;
  /** The log's clock, in milliseconds since the epoch. */
  now(): number;
}

/** How long to wait for another holder, and what to watch meanwhile. */
export interface HoldOptions {
  /** Milliseconds to wait while somebody else has it. Default: until the signal is aborted. */
  waitMs?: number;
  signal?: AbortSignal | undefined;
  /** The log's clock: a storage's `now`. Default: reckoned from the log's answer to the claim. */
  now?: (() => number) | undefined;
  /** True for a lease that does not keep the process alive. Default false. */
  background?: boolean;
}

const firstPauseMs = 20;
const maxPauseMs = 1000;

/**
 * Claims an operation and keeps its lease. While somebody else has it, it is asked for again, with growing pauses; `busy` when that takes
 * too long. Resolves with the log's answer when there is nothing to hold. Rejects as the log does.
 */
export async function holdOperation(
  log: OperationLog,
  request: ClaimRequest,
  { waitMs = Infinity, signal, now, background = false }: HoldOptions = {},
): Promise<HeldOperation | Exclude<ClaimResult, { status: "claimed" }>> {
  const from = performance.now();
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(maxPauseMs, pauseMs * 2)) {
    const asked = performance.now();
    const found = await log.claim(request);
    if (found.status === "claimed") {
      const clock = now ?? clockSince(found.record.claimedAt, asked);
      const { leaseUntil } = found.record;
      const lease = { leaseMs: request.leaseMs, leaseUntil, now: clock, signal, background };
      return new Held(log, found, keepLease(log, found.claim, lease), clock);
    }
    const left = waitMs - (performance.now() - from);
    if (found.status !== "busy" || left <= 0) return found;
    const wait = { ms: Math.min(pauseMs, left), signal };
    await (log.whenChanged?.(request, wait) ?? sleep(wait.ms, signal));
    if (signal?.aborted) return found;
  }
}

class Held implements HeldOperation {
  readonly claim: OperationClaim;
  readonly record: OperationRecord;
  readonly now: () => number;
  readonly #log: OperationLog;
  readonly #lease: Lease;

  constructor(
    log: OperationLog,
    { claim, record }: { claim: OperationClaim; record: OperationRecord },
    lease: Lease,
    now: () => number,
  ) {
    this.claim = claim;
    this.record = record;
    this.now = now;
    this.#log = log;
    this.#lease = lease;
  }

  get signal(): AbortSignal {
    return this.#lease.signal;
  }

  get isLost(): boolean {
    return this.#lease.loss !== undefined;
  }

  hold(): boolean | Promise<boolean> {
    return this.#lease.hold();
  }

  begin(data?: JsonValue): Promise<boolean> {
    return this.#log.begin(this.claim, data);
  }

  async end(result: OperationEnd): Promise<boolean> {
    try {
      return await this.#log.finish(this.claim, result);
    } finally {
      await this.#lease.stop();
    }
  }

  stop(): Promise<void> {
    return this.#lease.stop();
  }
}
