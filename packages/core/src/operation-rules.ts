import { merged } from "@toolglot/internal";
import type { JsonValue } from "./json.ts";
import type {
  ClaimRequest,
  ClaimResult,
  OperationClaim,
  OperationEnd,
  OperationRecord,
  Settlement,
} from "./operation-log.ts";

// What every operation log decides, whatever it keeps its records in. Pure functions: a log reads what it has of a key,
// asks, and writes what it is given back, all in one transaction. Nothing given is changed, nothing given back is a copy.

/** What a log keeps of one key. */
export interface KeptOperation {
  record: OperationRecord;
  /** Of the claim. */
  ttlMs: number;
  /** Of the claim. */
  keepMs: number;
}

/** What a claim comes to. */
export interface ClaimDecision {
  result: ClaimResult;
  /** To be written in place of what was kept. Absent: nothing changes. */
  keep?: KeptOperation;
}

const day = 24 * 60 * 60 * 1000;

/** Throws `TypeError` when a request is malformed: texts that are none, durations that are not above 0. */
export function checkClaimRequest(request: ClaimRequest): void {
  const { scope, key, fingerprint, owner, leaseMs, ttlMs = day, keepMs = 0 } = request;
  for (const [name, value] of [
    ["scope", scope],
    ["key", key],
    ["fingerprint", fingerprint],
    ["owner", owner],
  ]) {
    if (typeof value !== "string") throw new TypeError(`claim: ${name} must be a string`);
  }
  checkDuration("leaseMs", leaseMs);
  checkDuration("ttlMs", ttlMs);
  if (!(keepMs >= 0)) throw new TypeError("keepMs must be a number of milliseconds, 0 or more");
}

/** Throws `TypeError` unless it is a number above 0. */
export function checkDuration(name: string, value: number): void {
  if (!(value > 0)) throw new TypeError(`${name} must be a number of milliseconds above 0`);
}

/**
 * Decides a claim. `fence` is the next one of the log: it is taken when `keep` bears it. A key that another fingerprint
 * holds is a conflict, also when that claim was abandoned.
 */
export function claimOperation(
  kept: KeptOperation | undefined,
  request: ClaimRequest,
  now: number,
  fence: number,
): ClaimDecision {
  const { scope, key, fingerprint, owner, leaseMs, ttlMs = day, keepMs = 0 } = request;
  const entry = kept && tidyOperation(kept, now);
  const isFree = entry?.record.state === "released";
  const found = isFree ? undefined : entry?.record;
  if (entry && found) {
    if (found.fingerprint !== fingerprint) return { result: { status: "conflict", record: found } };
    if (found.state === "in-doubt") return { result: { status: "in-doubt", record: found } };
    if (found.expiresAt !== undefined) {
      return { result: { status: found.expiresAt <= now ? "expired" : "replay", record: found } };
    }
    if (found.leaseUntil > now) return { result: { status: "busy", record: found } };
    // A holder that reclaimed a started operation may have left the first effect behind: that stays started.
    if (found.startedAt !== undefined && request.abandoned !== "reclaim") {
      // A new fence, so that the holder that was given up can no longer write.
      const reason = `abandoned by ${found.owner}`;
      const record: OperationRecord = { ...found, fence, state: "in-doubt", finishedAt: now, reason };
      return { result: { status: "in-doubt", record }, keep: { ...entry, record } };
    }
  }
  const record: OperationRecord = {
    ...found,
    ...(isFree && entry?.record.settled && { settled: entry.record.settled }),
    scope,
    key,
    fingerprint,
    state: "claimed",
    fence,
    owner,
    leaseUntil: now + leaseMs,
    claimedAt: now,
  };
  return { result: { status: "claimed", claim: { scope, key, fence }, record }, keep: { record, ttlMs, keepMs } };
}

/** Returns a longer lease; undefined when the claim was lost. */
export function renewOperation(
  kept: KeptOperation | undefined,
  claim: OperationClaim,
  leaseMs: number,
  now: number,
): KeptOperation | undefined {
  const entry = running(kept, claim, now);
  return entry && { ...entry, record: { ...entry.record, leaseUntil: now + leaseMs } };
}

/** Returns the lease given up at once; undefined when the claim was lost. */
export function abandonOperation(
  kept: KeptOperation | undefined,
  claim: OperationClaim,
  now: number,
): KeptOperation | undefined {
  const entry = running(kept, claim, now);
  return entry && { ...entry, record: { ...entry.record, leaseUntil: now } };
}

/** Returns the operation as started, with `data`; undefined when the claim was lost. */
export function beginOperation(
  kept: KeptOperation | undefined,
  claim: OperationClaim,
  data: JsonValue | undefined,
  now: number,
): KeptOperation | undefined {
  const entry = running(kept, claim, now);
  if (!entry) return undefined;
  const { record } = entry;
  const startedAt = record.startedAt ?? now;
  const changes = { state: "started", startedAt } as const;
  return { ...entry, record: merged(record, data === undefined ? changes : { data, ...changes }) };
}

/** Returns the final record, `released` when the key is free again, undefined when the claim was lost. */
export function finishOperation(
  kept: KeptOperation | undefined,
  claim: OperationClaim,
  result: OperationEnd,
  now: number,
): KeptOperation | "released" | undefined {
  const entry = running(kept, claim, now);
  if (!entry || result.state === "released") return entry && "released";
  const { settled: _, ...record } = entry.record;
  return { ...entry, record: ended(record, result, now + entry.ttlMs, now) };
}

/** Returns the record of a doubt that somebody has ended; undefined when there is none, or it is of another fence. */
export function settleOperation(
  kept: KeptOperation | undefined,
  fence: number | undefined,
  result: OperationEnd,
  by: string,
  now: number,
): KeptOperation | undefined {
  if (kept?.record.state !== "in-doubt" || kept.record.fence !== (fence ?? kept.record.fence)) return undefined;
  const happened = result.state !== "released";
  const { reason: _, ...record } = kept.record;
  if (!happened) {
    delete record.data;
    delete record.startedAt;
  }
  const settled: Settlement = { by, happened, at: now };
  return { ...kept, record: ended({ ...record, settled }, result, now + kept.ttlMs, now) };
}

function ended(record: OperationRecord, result: OperationEnd, expiresAt: number, finishedAt: number): OperationRecord {
  return merged(record, { finishedAt, expiresAt, ...result });
}

/** Returns the operation as in doubt; undefined when the claim was lost. */
export function doubtOperation(
  kept: KeptOperation | undefined,
  claim: OperationClaim,
  reason: string,
  now: number,
): KeptOperation | undefined {
  const entry = held(kept, claim, now);
  return entry && { ...entry, record: merged(entry.record, { state: "in-doubt", finishedAt: now, reason }) };
}

/** Returns the record as long as it is remembered, also of a key that is free because somebody settled a doubt so. */
export function rememberedOperation(kept: KeptOperation | undefined, now: number): OperationRecord | undefined {
  if (!kept || operationFreeAt(kept) <= now) return undefined;
  return (kept.record.expiresAt ?? Infinity) > now ? kept.record : undefined;
}

/** Returns the record as long as it is remembered and its key is not free. */
export function standingOperation(kept: KeptOperation | undefined, now: number): OperationRecord | undefined {
  const record = rememberedOperation(kept, now);
  return record?.state === "released" ? undefined : record;
}

/** Returns what there still is to keep: the whole, the record without its outcome and data once it expired, or nothing. */
export function tidyOperation(kept: KeptOperation, now: number): KeptOperation | undefined {
  if (operationFreeAt(kept) <= now) return undefined;
  const { outcome, data, ...record } = kept.record;
  if ((record.expiresAt ?? Infinity) > now) return kept;
  return outcome === undefined && data === undefined ? kept : { ...kept, record };
}

/**
 * Returns when the key is free again, by the passing of time alone: final states after `ttlMs` and `keepMs`, claims that were
 * given up before anything started `ttlMs` after their lease, everything else never (`Infinity`).
 */
export function operationFreeAt({ record, ttlMs, keepMs }: KeptOperation): number {
  if (record.expiresAt !== undefined) return record.expiresAt + (record.state === "released" ? 0 : keepMs);
  const untouched = record.state === "claimed" && record.startedAt === undefined;
  return untouched ? record.leaseUntil + ttlMs : Infinity;
}

/** Returns what the claim may still write: same fence, and not done or failed. */
function held(kept: KeptOperation | undefined, claim: OperationClaim, now: number): KeptOperation | undefined {
  if (!kept || kept.record.fence !== claim.fence || kept.record.expiresAt !== undefined) return undefined;
  return operationFreeAt(kept) <= now ? undefined : kept;
}

function running(kept: KeptOperation | undefined, claim: OperationClaim, now: number): KeptOperation | undefined {
  const entry = held(kept, claim, now);
  return entry?.record.state === "in-doubt" ? undefined : entry;
}
