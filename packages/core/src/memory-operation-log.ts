import { checkKeys } from "@toolglot/internal";
import type { JsonValue } from "./json.ts";
import type {
  ClaimRequest,
  ClaimResult,
  OperationClaim,
  OperationEnd,
  OperationKey,
  OperationLog,
  OperationRecord,
} from "./operation-log.ts";
import {
  beginOperation,
  checkClaimRequest,
  checkDuration,
  claimOperation,
  doubtOperation,
  finishOperation,
  type KeptOperation,
  rememberedOperation,
  renewOperation,
  settleOperation,
  tidyOperation,
} from "./operation-rules.ts";

export {
  abandonOperation,
  beginOperation,
  type ClaimDecision,
  checkClaimRequest,
  checkDuration,
  claimOperation,
  doubtOperation,
  finishOperation,
  type KeptOperation,
  operationFreeAt,
  rememberedOperation,
  renewOperation,
  settleOperation,
  standingOperation,
  tidyOperation,
} from "./operation-rules.ts";

/** Options of {@link MemoryOperationLog}. */
export interface MemoryOperationLogOptions {
  /** Milliseconds since the epoch. Default `Date.now`. */
  now?: () => number;
}

/**
 * An {@link OperationLog} in memory, for one process. It forgets everything at exit, so it protects effects only while
 * the process lives. Fences rise over the whole log and are never used twice, also after a key became free again.
 * Records are copied in and out. Methods reject with `TypeError` when a request is malformed.
 *
 * @example
 * ```ts
 * const log = new MemoryOperationLog();
 * const request = { scope: "tenant-1", key: "order-7", fingerprint: "sha256:1f", owner: "worker-a", leaseMs: 30_000 };
 * const first = await log.claim(request);
 * if (first.status === "claimed") {
 *   await log.begin(first.claim); // right before the effect
 *   await log.finish(first.claim, { state: "done", outcome: { ticket: 12 } });
 * }
 * const again = await log.claim(request); // { status: "replay", … }
 * ```
 */
export class MemoryOperationLog implements OperationLog {
  readonly durability = "none" as const;
  readonly #now: () => number;
  readonly #entries = new Map<string, KeptOperation>();
  #fence = 0;
  #sweepAt = 1024;

  constructor(options: MemoryOperationLogOptions = {}) {
    checkKeys("MemoryOperationLog", options, "now:function");
    this.#now = options.now ?? Date.now;
  }

  async claim(request: ClaimRequest): Promise<ClaimResult> {
    checkClaimRequest(request);
    const now = this.#now();
    const { result, keep } = claimOperation(this.#entries.get(keyOf(request)), request, now, this.#fence + 1);
    if (keep) {
      this.#fence += 1;
      this.#sweep(now);
      this.#entries.set(keyOf(request), keep);
    }
    return { ...result, record: structuredClone(result.record) };
  }

  async renew(claim: OperationClaim, leaseMs: number): Promise<boolean> {
    checkDuration("leaseMs", leaseMs);
    return this.#write(claim, (kept, now) => renewOperation(kept, claim, leaseMs, now));
  }

  async begin(claim: OperationClaim, data?: JsonValue): Promise<boolean> {
    return this.#write(claim, (kept, now) => beginOperation(kept, claim, structuredClone(data), now));
  }

  async finish(claim: OperationClaim, result: OperationEnd): Promise<boolean> {
    return this.#write(claim, (kept, now) => finishOperation(kept, claim, structuredClone(result), now));
  }

  async doubt(claim: OperationClaim, reason: string): Promise<boolean> {
    return this.#write(claim, (kept, now) => doubtOperation(kept, claim, reason, now));
  }

  async settle(of: OperationKey & { fence?: number }, result: OperationEnd, by: string): Promise<boolean> {
    return this.#write(of, (kept, now) => settleOperation(kept, of.fence, structuredClone(result), by, now));
  }

  async read(key: OperationKey): Promise<OperationRecord | undefined> {
    const record = rememberedOperation(this.#entries.get(keyOf(key)), this.#now());
    return record && structuredClone(record);
  }

  #write(
    of: OperationKey,
    change: (kept: KeptOperation | undefined, now: number) => KeptOperation | "released" | undefined,
  ): boolean {
    const key = keyOf(of);
    const next = change(this.#entries.get(key), this.#now());
    if (next === "released") return this.#entries.delete(key);
    if (next) this.#entries.set(key, next);
    return next !== undefined;
  }

  /** Drops what is forgotten, each time that the log has doubled. */
  #sweep(now: number): void {
    if (this.#entries.size < this.#sweepAt) return;
    for (const [key, kept] of this.#entries) {
      const tidy = tidyOperation(kept, now);
      if (!tidy) this.#entries.delete(key);
      else if (tidy !== kept) this.#entries.set(key, tidy);
    }
    this.#sweepAt = Math.max(1024, this.#entries.size * 2);
  }
}

function keyOf({ scope, key }: OperationKey): string {
  return JSON.stringify([scope, key]);
}
