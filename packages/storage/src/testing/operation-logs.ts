import type { ClaimRequest, OperationLog } from "@toolglot/core";
import { equal, isTypeError, like, rejects, truth } from "@toolglot/internal";
import { type Cases, claimed, day, done, lease, request, statusOf } from "./operation-claims.ts";
import { doubtCases } from "./operation-doubts.ts";

/** Opens an operation log that is empty and tells time by `now`. */
export type MakeOperationLog = (options: { now: () => number }) => Promise<OperationLog>;

/** One behaviour that every operation log must show; `run` rejects with an `Error` when it doesn't. */
export interface OperationLogCase {
  name: string;
  run(makeLog: MakeOperationLog): Promise<void>;
}

const cases: Cases = {
  "should give a first claim, with its record": async ({ log }) => {
    const result = await log.claim(request);
    const { leaseMs: _, ...asked } = request;
    like(result, { status: "claimed", record: { ...asked, state: "claimed" } }, "the claim");
    equal(
      [result.record.leaseUntil - result.record.claimedAt, result.record.expiresAt],
      [lease, undefined],
      "its times",
    );
    equal(await log.read(request), result.record, "the record");
  },
  "should know nothing of other keys and other scopes": async ({ log }) => {
    await claimed(log);
    equal(await log.read({ scope: "tenant", key: "k2" }), undefined, "another key");
    equal(await statusOf(log, { key: "k2" }), "claimed", "a claim of it");
    equal(await statusOf(log, { scope: "other", fingerprint: "f2" }), "claimed", "another scope");
    equal(await statusOf(log, { scope: "tenan", key: "tk1", fingerprint: "f2" }), "claimed", "the same letters");
  },
  "should be busy while the lease lives, begun or not, for its owner too": async ({ log, advance }) => {
    const claim = await claimed(log);
    advance(lease - 1);
    equal(await statusOf(log), "busy", "before it began");
    equal(await statusOf(log, { owner: "a" }), "busy", "for its owner");
    await log.begin(claim);
    equal(await statusOf(log), "busy", "after it began");
  },
  "should report another fingerprint as a conflict, in every state": async ({ log, advance }) => {
    const claim = await claimed(log);
    const conflict = async (when: string): Promise<void> =>
      equal(await statusOf(log, { fingerprint: "f2" }), "conflict", when);
    await conflict("claimed");
    advance(lease);
    await conflict("given up");
    await log.begin(claim);
    await conflict("started");
    await log.finish(claim, done);
    await conflict("done");
    like(await log.read(request), { fingerprint: "f1" }, "the record");
  },
  "should replay what is done or failed, with outcome and data": async ({ log, advance }) => {
    const claim = await claimed(log);
    equal(await log.begin(claim, { step: 1 }), true, "the beginning");
    advance(10);
    equal(await log.finish(claim, { state: "done", outcome: { list: [1, null] } }), true, "the end");
    const { status, record } = await log.claim({ ...request, owner: "b" });
    equal([status, record.outcome, record.data], ["replay", { list: [1, null] }, { step: 1 }], "the replay");
    equal([record.state, record.fence], ["done", claim.fence], "its record");
    equal((record.finishedAt ?? 0) - (record.startedAt ?? 0), 10, "how long it took");
    const other = await claimed(log, { key: "k2" });
    equal(await log.finish(other, { state: "failed", outcome: "no" }), true, "a failure");
    const replay = { status: "replay", record: { state: "failed", outcome: "no" } };
    like(await log.claim({ ...request, key: "k2" }), replay, "its replay");
  },
  "should free the key when nothing happened": async ({ log }) => {
    const claim = await claimed(log, { keepMs: day });
    await log.begin(claim);
    equal(await log.finish(claim, { state: "released" }), true, "the release");
    equal(await log.read(request), undefined, "the record");
    const next = await claimed(log, { fingerprint: "f2" });
    truth(next.fence > claim.fence, "the fence should have risen");
    equal(await log.begin(claim), false, "the first holder's beginning");
    equal(await log.finish(claim, done), false, "the first holder's end");
  },
  "should free a key that was released or given up before it began, whatever it was to be kept": async ({
    log,
    advance,
  }) => {
    await log.finish(await claimed(log, { keepMs: 1000 }), { state: "released" });
    const next = { fingerprint: "f2", leaseMs: 10, ttlMs: 100, keepMs: 1000 };
    equal(await statusOf(log, next), "claimed", "a claim after the release");
    advance(110);
    equal(await statusOf(log, { fingerprint: "f3" }), "claimed", "a claim after that was given up");
  },
  "should let another take over a claim that was given up before it began": async ({ log, advance }) => {
    const lost = await claimed(log);
    advance(lease);
    const claim = await claimed(log, { owner: "b" });
    truth(claim.fence > lost.fence, "the fence should have risen");
    equal(await log.begin(lost), false, "the first holder's beginning");
    equal(await log.renew(lost, lease), false, "its renewal");
    equal(await log.doubt(lost, "late"), false, "its doubt");
    equal(await log.finish(lost, done), false, "its end");
    equal(await log.begin(claim), true, "the second holder's beginning");
    like(await log.read(request), { state: "started", owner: "b" }, "the record");
  },
  "should let a holder go on whose lease is over but whose claim nobody took": async ({ log, advance }) => {
    const claim = await claimed(log);
    advance(lease * 5);
    equal(await log.begin(claim), true, "the beginning");
    advance(lease * 5);
    equal(await log.finish(claim, done), true, "the end");
  },
  "should extend a lease": async ({ log, advance }) => {
    const claim = await claimed(log);
    advance(lease - 1);
    equal(await log.renew(claim, lease), true, "the renewal");
    advance(lease - 1);
    equal(await statusOf(log), "busy", "another claim");
    await log.finish(claim, done);
    equal(await log.renew(claim, lease), false, "a renewal of what is done");
  },
  "should end a lease at once that is renewed for a moment": async ({ log, advance }) => {
    const claim = await claimed(log);
    equal(await log.begin(claim, "handle"), true, "the beginning");
    equal(await log.renew(claim, 1), true, "the renewal");
    advance(2);
    equal(await statusOf(log), "in-doubt", "another claim");
  },
  "should put a started operation in doubt when it was given up": async ({ log, advance }) => {
    const lost = await claimed(log);
    await log.begin(lost, "handle");
    advance(lease);
    const { status, record } = await log.claim({ ...request, owner: "b" });
    equal([status, record.state, record.data], ["in-doubt", "in-doubt", "handle"], "the claim");
    truth(typeof record.reason === "string", "there should be a reason");
    equal(await log.finish(lost, done), false, "the first holder's end");
    equal(await log.doubt(lost, "late"), false, "its doubt");
    equal(await statusOf(log), "in-doubt", "another claim");
  },
  "should run a started operation again where that is allowed": async ({ log, advance }) => {
    const lost = await claimed(log);
    await log.begin(lost);
    advance(lease);
    const claim = await claimed(log, { owner: "b", abandoned: "reclaim" });
    truth(claim.fence > lost.fence, "the fence should have risen");
    equal(await log.finish(lost, { state: "done", outcome: "late" }), false, "the first holder's end");
    equal(await log.begin(claim), true, "the second holder's beginning");
    equal(await log.finish(claim, { state: "done", outcome: "right" }), true, "its end");
    like(await log.read(request), { outcome: "right" }, "the record");
  },
  "should remember that an operation was started when it was reclaimed and given up again": async ({
    log,
    advance,
  }) => {
    const lost = await claimed(log);
    await log.begin(lost);
    advance(lease);
    await claimed(log, { owner: "b", abandoned: "reclaim" });
    equal(await log.finish(lost, done), false, "the first holder's end");
    advance(lease);
    equal(await statusOf(log), "in-doubt", "a claim that must not run it twice");
  },
  ...doubtCases,
  "should count the time to live from the final state": async ({ log, advance }) => {
    const claim = await claimed(log, { ttlMs: 100, leaseMs: 10_000 });
    advance(5000);
    await log.begin(claim);
    await log.finish(claim, done);
    advance(99);
    equal(await statusOf(log), "replay", "a claim within its time");
    advance(1);
    equal(await log.read(request), undefined, "the record after its time");
    truth((await claimed(log, { fingerprint: "f2" })).fence > claim.fence, "the fence should have risen");
  },
  "should remember for 24 hours by default": async ({ log, advance }) => {
    await log.finish(await claimed(log), done);
    advance(day - 1);
    equal(await statusOf(log), "replay", "a claim within the day");
    advance(1);
    equal(await statusOf(log), "claimed", "a claim after it");
  },
  "should refuse a key whose outcome is forgotten, as long as the claim said": async ({ log, advance }) => {
    const claim = await claimed(log, { ttlMs: 100, keepMs: 50 });
    await log.begin(claim, "secret");
    await log.finish(claim, { state: "done", outcome: "secret" });
    advance(99);
    equal(await statusOf(log), "replay", "a claim within its time");
    advance(1);
    const result = await log.claim({ ...request, owner: "b", abandoned: "reclaim" });
    like(result, { status: "expired", record: { state: "done", fence: claim.fence } }, "a claim");
    truth(!JSON.stringify(result).includes("secret"), "the outcome should be forgotten");
    equal(await log.read(request), undefined, "the record");
    equal(await statusOf(log, { fingerprint: "f2" }), "conflict", "a claim with another fingerprint");
    equal(await log.finish(claim, done), false, "the holder's second end");
    equal(await log.begin(claim), false, "the holder's second beginning");
    advance(49);
    equal(await statusOf(log), "expired", "a claim just before the key is free");
    advance(1);
    truth((await claimed(log, { fingerprint: "f2" })).fence > claim.fence, "the fence should have risen");
  },
  "should write nothing over a final state, nor where nothing is": async ({ log }) => {
    const claim = await claimed(log);
    await log.finish(claim, done);
    for (const held of [claim, { ...claim, key: "nobody" }]) {
      equal(await log.begin(held), false, "a beginning");
      equal(await log.doubt(held, "?"), false, "a doubt");
      equal(await log.renew(held, lease), false, "a renewal");
      equal(await log.finish(held, { state: "failed", outcome: 2 }), false, "a failure");
      equal(await log.finish(held, { state: "released" }), false, "a release");
    }
    like(await log.read(request), { state: "done", outcome: 1 }, "the record");
  },
  "should not share its records with callers": async ({ log }) => {
    const claim = await claimed(log);
    const data = { list: [1] };
    const begun = log.begin(claim, data);
    data.list.push(2);
    await begun;
    const record = await log.read(request);
    if (!record) throw new Error("the record is gone");
    (record.data as { list: number[] }).list.push(3);
    record.state = "done";
    like(await log.read(request), { state: "started", data: { list: [1] } }, "the record");
  },
  "should give one of many callers the claim": async ({ log }) => {
    const results = await Promise.all(Array.from({ length: 20 }, (_, index) => statusOf(log, { owner: `o${index}` })));
    equal(results.sort(), [...Array.from({ length: 19 }, () => "busy"), "claimed"], "the claims");
  },
  "should refuse malformed requests": async ({ log }) => {
    const odd: Partial<ClaimRequest>[] = [{ leaseMs: 0 }, { leaseMs: Number.NaN }, { ttlMs: -1 }, { keepMs: -1 }];
    for (const more of [...odd, { key: undefined as never }]) {
      await rejects(log.claim({ ...request, ...more }), isTypeError, `a claim with ${JSON.stringify(more)}`);
    }
    equal(await log.read(request), undefined, "the record");
  },
};

/** What every operation log must do (core's `OperationLog`), to be run on each, in any test runner. */
export const operationLogSuite: OperationLogCase[] = Object.entries(cases).map(([name, run]) => ({
  name,
  async run(makeLog) {
    let time = 1_760_000_000_000;
    const log = await makeLog({ now: () => time });
    const advance = (ms: number): void => {
      time += ms;
    };
    await run({ log, advance });
  },
}));
