import type { JsonValue } from "./json.ts";
import type {
  ClaimRequest,
  ClaimResult,
  OperationClaim,
  OperationKey,
  OperationLog,
  OperationRecord,
} from "./operation-log.ts";

/** Options of {@link MemoryOperationLog}. */
export interface MemoryOperationLogOptions {
  /** Milliseconds since the epoch. Default `Date.now`. */
  now?: () => number;
}

const day = 24 * 60 * 60 * 1000;

/** What is kept: the record, and how long its final state is to be remembered. */
interface Entry {
  record: OperationRecord;
  ttlMs: number;
}

/**
 * An {@link OperationLog} in memory, for one process. It forgets everything at exit, so it protects effects only while
 * the process lives. Fences rise over the whole log and are never used twice, also after a key became free again.
 * Records are copied in and out. Methods reject with `TypeError` when a request is malformed.
 */
export class MemoryOperationLog implements OperationLog {
  readonly durability = "none" as const;
  readonly #now: () => number;
  readonly #entries = new Map<string, Entry>();
  #fence = 0;
  #sweepAt = 1024;

  constructor(options: MemoryOperationLogOptions = {}) {
    this.#now = options.now ?? Date.now;
  }

  /** A key that another fingerprint holds is a conflict, also when that claim was abandoned. */
  async claim(request: ClaimRequest): Promise<ClaimResult> {
    const { scope, key, fingerprint, owner, leaseMs, ttlMs = day } = request;
    for (const [name, value] of Object.entries({ scope, key, fingerprint, owner })) {
      if (typeof value !== "string") throw new TypeError(`claim: ${name} must be a string`);
    }
    checkDuration("leaseMs", leaseMs);
    checkDuration("ttlMs", ttlMs);
    const now = this.#now();
    const found = this.#find(request, now)?.record;
    if (found) {
      if (found.fingerprint !== fingerprint) return { status: "conflict", record: structuredClone(found) };
      if (found.state === "in-doubt") return { status: "in-doubt", record: structuredClone(found) };
      if (found.expiresAt !== undefined) return { status: "replay", record: structuredClone(found) };
      if (found.leaseUntil > now) return { status: "busy", record: structuredClone(found) };
      // A holder that reclaimed a started operation may have left the first effect behind: that stays started.
      if (found.startedAt !== undefined && request.abandoned !== "reclaim") {
        // A new fence, so that the holder that was given up can no longer write.
        found.fence = ++this.#fence;
        settle(found, "in-doubt", now);
        found.reason = `abandoned by ${found.owner}`;
        return { status: "in-doubt", record: structuredClone(found) };
      }
    }
    const record: OperationRecord = {
      ...found,
      scope,
      key,
      fingerprint,
      state: "claimed",
      fence: ++this.#fence,
      owner,
      leaseUntil: now + leaseMs,
      claimedAt: now,
    };
    this.#sweep(now);
    this.#entries.set(keyOf(request), { record, ttlMs });
    return { status: "claimed", claim: { scope, key, fence: record.fence }, record: structuredClone(record) };
  }

  async renew(claim: OperationClaim, leaseMs: number): Promise<boolean> {
    checkDuration("leaseMs", leaseMs);
    const now = this.#now();
    const record = this.#held(claim, now);
    if (!record || record.state === "in-doubt") return false;
    record.leaseUntil = now + leaseMs;
    return true;
  }

  async begin(claim: OperationClaim, data?: JsonValue): Promise<boolean> {
    const now = this.#now();
    const record = this.#held(claim, now);
    if (!record || record.state === "in-doubt") return false;
    record.state = "started";
    record.startedAt ??= now;
    if (data !== undefined) record.data = structuredClone(data);
    return true;
  }

  /** Settles an operation in doubt too, with the fence of its record: for a host that found out what happened. */
  async finish(
    claim: OperationClaim,
    result: { state: "done" | "failed"; outcome: JsonValue } | { state: "released" },
  ): Promise<boolean> {
    const now = this.#now();
    const record = this.#held(claim, now);
    if (!record) return false;
    if (result.state === "released") return this.#entries.delete(keyOf(claim));
    record.outcome = structuredClone(result.outcome);
    delete record.reason;
    settle(record, result.state, now);
    record.expiresAt = now + (this.#entries.get(keyOf(claim)) as Entry).ttlMs;
    return true;
  }

  async doubt(claim: OperationClaim, reason: string): Promise<boolean> {
    const now = this.#now();
    const record = this.#held(claim, now);
    if (!record) return false;
    settle(record, "in-doubt", now);
    record.reason = reason;
    return true;
  }

  async read(key: OperationKey): Promise<OperationRecord | undefined> {
    const entry = this.#find(key, this.#now());
    return entry && structuredClone(entry.record);
  }

  #find(key: OperationKey, now: number): Entry | undefined {
    const id = keyOf(key);
    const entry = this.#entries.get(id);
    if (!entry || !isForgotten(entry, now)) return entry;
    this.#entries.delete(id);
    return undefined;
  }

  /** The record that the claim may still write: same fence, and not done or failed. */
  #held(claim: OperationClaim, now: number): OperationRecord | undefined {
    const record = this.#find(claim, now)?.record;
    return record?.fence === claim.fence && record.expiresAt === undefined ? record : undefined;
  }

  /** Drops what is forgotten, each time that the log has doubled. */
  #sweep(now: number): void {
    if (this.#entries.size < this.#sweepAt) return;
    for (const [id, entry] of this.#entries) if (isForgotten(entry, now)) this.#entries.delete(id);
    this.#sweepAt = Math.max(1024, this.#entries.size * 2);
  }
}

/** Final states after their time; claims that were given up before anything started, as long after their lease. */
function isForgotten({ record, ttlMs }: Entry, now: number): boolean {
  const untouched = record.state === "claimed" && record.startedAt === undefined;
  return (record.expiresAt ?? (untouched ? record.leaseUntil + ttlMs : Number.POSITIVE_INFINITY)) <= now;
}

function settle(record: OperationRecord, state: OperationRecord["state"], now: number): void {
  record.state = state;
  record.finishedAt = now;
}

function keyOf({ scope, key }: OperationKey): string {
  return JSON.stringify([scope, key]);
}

function checkDuration(name: string, value: number): void {
  if (!(value > 0)) throw new TypeError(`${name} must be a number of milliseconds above 0`);
}
