import { expect } from "vitest";
import type { ClaimRequest, OperationClaim, OperationLog } from "../src/index.ts";

/** A log to try, with a clock that the case moves. */
export interface OperationLogSetup {
  log: OperationLog;
  /** Moves the log's clock on. */
  advance(ms: number): void | Promise<void>;
  dispose?(): void | Promise<void>;
}

/** One behaviour that every operation log must show. */
export interface OperationLogCase {
  name: string;
  run(setup: OperationLogSetup): Promise<void>;
}

const lease = 1000;
const request: ClaimRequest = { scope: "tenant", key: "k1", fingerprint: "f1", owner: "a", leaseMs: lease };

async function claimed(log: OperationLog, more: Partial<ClaimRequest> = {}): Promise<OperationClaim> {
  const result = await log.claim({ ...request, ...more });
  if (result.status !== "claimed") throw new Error(`expected a claim, got ${result.status}`);
  return result.claim;
}

async function statusOf(log: OperationLog, more: Partial<ClaimRequest> = {}): Promise<string> {
  return (await log.claim({ ...request, owner: "b", ...more })).status;
}

const cases: Record<string, OperationLogCase["run"]> = {
  "should give a first claim, with its record": async ({ log }) => {
    const result = await log.claim(request);
    expect(result).toMatchObject({
      status: "claimed",
      claim: { scope: "tenant", key: "k1" },
      record: { scope: "tenant", key: "k1", fingerprint: "f1", state: "claimed", owner: "a" },
    });
    expect(result.record.leaseUntil - result.record.claimedAt).toBe(lease);
    expect(result.record.expiresAt).toBeUndefined();
    expect(await log.read(request)).toEqual(result.record);
  },
  "should know nothing of other keys and other scopes": async ({ log }) => {
    await claimed(log);
    expect(await log.read({ scope: "tenant", key: "k2" })).toBeUndefined();
    expect(await statusOf(log, { key: "k2" })).toBe("claimed");
    expect(await statusOf(log, { scope: "other", fingerprint: "f2" })).toBe("claimed");
    expect(await statusOf(log, { scope: "tenan", key: "tk1" })).toBe("claimed");
  },
  "should be busy while the lease lives, for its owner too": async ({ log, advance }) => {
    await claimed(log);
    await advance(lease - 1);
    expect(await statusOf(log)).toBe("busy");
    expect(await statusOf(log, { owner: "a" })).toBe("busy");
  },
  "should be busy while a started operation's lease lives": async ({ log }) => {
    await log.begin(await claimed(log));
    expect(await statusOf(log)).toBe("busy");
  },
  "should report another fingerprint as a conflict, in every state": async ({ log, advance }) => {
    const claim = await claimed(log);
    const conflict = (): Promise<string> => statusOf(log, { fingerprint: "f2" });
    expect(await conflict()).toBe("conflict");
    await advance(lease);
    expect(await conflict()).toBe("conflict");
    await log.begin(claim);
    expect(await conflict()).toBe("conflict");
    await log.finish(claim, { state: "done", outcome: 1 });
    expect(await conflict()).toBe("conflict");
    expect((await log.read(request))?.fingerprint).toBe("f1");
  },
  "should replay what is done, with its outcome and data": async ({ log, advance }) => {
    const claim = await claimed(log);
    expect(await log.begin(claim, { step: 1 })).toBe(true);
    await advance(10);
    expect(await log.finish(claim, { state: "done", outcome: { id: "x", list: [1, null] } })).toBe(true);
    const result = await log.claim({ ...request, owner: "b" });
    expect(result).toMatchObject({
      status: "replay",
      record: { state: "done", outcome: { id: "x", list: [1, null] }, data: { step: 1 }, fence: claim.fence },
    });
    expect((result.record.finishedAt ?? 0) - (result.record.startedAt ?? 0)).toBe(10);
  },
  "should replay a definite failure": async ({ log }) => {
    const claim = await claimed(log);
    await log.begin(claim);
    expect(await log.finish(claim, { state: "failed", outcome: "no such row" })).toBe(true);
    expect(await log.claim(request)).toMatchObject({
      status: "replay",
      record: { state: "failed", outcome: "no such row" },
    });
  },
  "should free the key when nothing happened": async ({ log }) => {
    const claim = await claimed(log);
    await log.begin(claim);
    expect(await log.finish(claim, { state: "released" })).toBe(true);
    expect(await log.read(request)).toBeUndefined();
    const next = await claimed(log, { fingerprint: "f2" });
    expect(next.fence).toBeGreaterThan(claim.fence);
    expect(await log.begin(claim)).toBe(false);
    expect(await log.finish(claim, { state: "done", outcome: 1 })).toBe(false);
  },
  "should let another take over a claim that was given up before it began": async ({ log, advance }) => {
    const lost = await claimed(log);
    await advance(lease);
    const claim = await claimed(log, { owner: "b" });
    expect(claim.fence).toBeGreaterThan(lost.fence);
    expect(await log.begin(lost)).toBe(false);
    expect(await log.renew(lost, lease)).toBe(false);
    expect(await log.doubt(lost, "late")).toBe(false);
    expect(await log.finish(lost, { state: "done", outcome: 1 })).toBe(false);
    expect(await log.begin(claim)).toBe(true);
    expect(await log.read(request)).toMatchObject({ state: "started", owner: "b" });
  },
  "should let a holder go on whose lease is over but whose claim nobody took": async ({ log, advance }) => {
    const claim = await claimed(log);
    await advance(lease * 5);
    expect(await log.begin(claim)).toBe(true);
    await advance(lease * 5);
    expect(await log.finish(claim, { state: "done", outcome: 1 })).toBe(true);
  },
  "should extend a lease": async ({ log, advance }) => {
    const claim = await claimed(log);
    await advance(lease - 1);
    expect(await log.renew(claim, lease)).toBe(true);
    await advance(lease - 1);
    expect(await statusOf(log)).toBe("busy");
    await log.finish(claim, { state: "done", outcome: 1 });
    expect(await log.renew(claim, lease)).toBe(false);
  },
  "should put a started operation in doubt when it was given up": async ({ log, advance }) => {
    const lost = await claimed(log);
    await log.begin(lost, "handle");
    await advance(lease);
    const result = await log.claim({ ...request, owner: "b" });
    expect(result).toMatchObject({ status: "in-doubt", record: { state: "in-doubt", data: "handle" } });
    expect(result.record.reason).toBeTypeOf("string");
    expect(await log.finish(lost, { state: "done", outcome: 1 })).toBe(false);
    expect(await log.doubt(lost, "late")).toBe(false);
    expect(await statusOf(log)).toBe("in-doubt");
  },
  "should run a started operation again where that is allowed": async ({ log, advance }) => {
    const lost = await claimed(log);
    await log.begin(lost);
    await advance(lease);
    const claim = await claimed(log, { owner: "b", abandoned: "reclaim" });
    expect(claim.fence).toBeGreaterThan(lost.fence);
    expect(await log.finish(lost, { state: "done", outcome: "late" })).toBe(false);
    expect(await log.begin(claim)).toBe(true);
    expect(await log.finish(claim, { state: "done", outcome: "right" })).toBe(true);
    expect((await log.read(request))?.outcome).toBe("right");
  },
  "should not forget that an operation was started when it was reclaimed and given up again": async ({
    log,
    advance,
  }) => {
    await log.begin(await claimed(log));
    await advance(lease);
    await claimed(log, { abandoned: "reclaim" });
    await advance(lease);
    expect(await statusOf(log)).toBe("in-doubt");
  },
  "should keep what is in doubt for ever, until it is settled": async ({ log, advance }) => {
    const claim = await claimed(log, { ttlMs: 50 });
    await log.begin(claim);
    expect(await log.doubt(claim, "no answer")).toBe(true);
    await advance(1_000_000_000);
    const record = await log.read(request);
    expect(record).toMatchObject({ state: "in-doubt", reason: "no answer" });
    expect(record?.expiresAt).toBeUndefined();
    expect(await statusOf(log, { abandoned: "reclaim" })).toBe("in-doubt");
    expect(await log.begin(claim)).toBe(false);
    expect(await log.renew(claim, lease)).toBe(false);
    const settling = { scope: request.scope, key: request.key, fence: record?.fence ?? -1 };
    expect(await log.finish(settling, { state: "done", outcome: "asked the bank" })).toBe(true);
    expect(await log.claim(request)).toMatchObject({ status: "replay", record: { outcome: "asked the bank" } });
    expect((await log.read(request))?.reason).toBeUndefined();
  },
  "should count the time to live from the final state": async ({ log, advance }) => {
    const claim = await claimed(log, { ttlMs: 100, leaseMs: 10_000 });
    await advance(5000);
    await log.begin(claim);
    await log.finish(claim, { state: "done", outcome: 1 });
    await advance(99);
    expect(await statusOf(log)).toBe("replay");
    await advance(1);
    expect(await log.read(request)).toBeUndefined();
    const next = await claimed(log, { fingerprint: "f2" });
    expect(next.fence).toBeGreaterThan(claim.fence);
  },
  "should remember for 24 hours unless told": async ({ log, advance }) => {
    await log.finish(await claimed(log), { state: "done", outcome: 1 });
    await advance(24 * 3600 * 1000 - 1);
    expect(await statusOf(log)).toBe("replay");
    await advance(1);
    expect(await statusOf(log)).toBe("claimed");
  },
  "should refuse a key whose outcome is forgotten, for as long as the claim said": async ({ log, advance }) => {
    const claim = await claimed(log, { ttlMs: 100, keepMs: 50 });
    await log.begin(claim, "secret");
    await log.finish(claim, { state: "done", outcome: "secret" });
    await advance(99);
    expect(await statusOf(log)).toBe("replay");
    await advance(1);
    expect(await log.read(request)).toBeUndefined();
    const result = await log.claim({ ...request, owner: "b" });
    expect(result).toMatchObject({ status: "expired", record: { state: "done", fence: claim.fence } });
    expect(JSON.stringify(result)).not.toContain("secret");
    expect(await statusOf(log, { abandoned: "reclaim" })).toBe("expired");
    expect(await statusOf(log, { fingerprint: "f2" })).toBe("conflict");
    expect(await log.finish(claim, { state: "failed", outcome: 1 })).toBe(false);
    expect(await log.begin(claim)).toBe(false);
    await advance(49);
    expect(await statusOf(log)).toBe("expired");
    await advance(1);
    const next = await claimed(log, { fingerprint: "f2" });
    expect(next.fence).toBeGreaterThan(claim.fence);
  },
  "should free a key that was released or given up before it began, whatever it was to be kept": async ({
    log,
    advance,
  }) => {
    await log.finish(await claimed(log, { keepMs: 1000 }), { state: "released" });
    expect(await statusOf(log, { fingerprint: "f2", leaseMs: 10, ttlMs: 100, keepMs: 1000 })).toBe("claimed");
    await advance(110);
    expect(await statusOf(log, { fingerprint: "f3" })).toBe("claimed");
  },
  "should write nothing over a final state": async ({ log }) => {
    const claim = await claimed(log);
    await log.finish(claim, { state: "done", outcome: 1 });
    expect(await log.begin(claim)).toBe(false);
    expect(await log.doubt(claim, "?")).toBe(false);
    expect(await log.finish(claim, { state: "failed", outcome: 2 })).toBe(false);
    expect(await log.finish(claim, { state: "released" })).toBe(false);
    expect(await log.read(request)).toMatchObject({ state: "done", outcome: 1 });
  },
  "should refuse writes for keys it doesn't know": async ({ log }) => {
    const claim = { scope: "tenant", key: "nobody", fence: 1 };
    expect(await log.begin(claim)).toBe(false);
    expect(await log.renew(claim, lease)).toBe(false);
    expect(await log.doubt(claim, "?")).toBe(false);
    expect(await log.finish(claim, { state: "done", outcome: 1 })).toBe(false);
  },
  "should not share its records with callers": async ({ log }) => {
    const claim = await claimed(log);
    const data = { list: [1] };
    await log.begin(claim, data);
    data.list.push(2);
    const record = await log.read(request);
    if (!record) throw new Error("the record is gone");
    (record.data as { list: number[] }).list.push(3);
    record.state = "done";
    expect(await log.read(request)).toMatchObject({ state: "started", data: { list: [1] } });
  },
  "should give one of many callers the claim": async ({ log }) => {
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, index) => log.claim({ ...request, owner: `o${index}` })),
    );
    const statuses = results.map((result) => result.status).sort();
    expect(statuses).toEqual([...Array.from({ length: 19 }, () => "busy"), "claimed"]);
  },
  "should refuse malformed requests": async ({ log }) => {
    await expect(log.claim({ ...request, leaseMs: 0 })).rejects.toThrow(TypeError);
    await expect(log.claim({ ...request, leaseMs: Number.NaN })).rejects.toThrow(TypeError);
    await expect(log.claim({ ...request, ttlMs: -1 })).rejects.toThrow(TypeError);
    await expect(log.claim({ ...request, keepMs: -1 })).rejects.toThrow(TypeError);
    await expect(log.claim({ ...request, key: undefined as unknown as string })).rejects.toThrow(TypeError);
    expect(await log.read(request)).toBeUndefined();
  },
};

/** What every operation log must do, to be run on each store. */
export const operationLogCases: OperationLogCase[] = Object.entries(cases).map(([name, run]) => ({ name, run }));
