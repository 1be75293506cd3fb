import type { JsonObject, OperationClaim } from "@toolglot/core";
import { equal, isTypeError, like, rejects, truth } from "@toolglot/internal";
import {
  admission,
  admitted,
  answerOf,
  auditEntry,
  claimRequest,
  day,
  lease,
  oneCall,
  openSession,
  operation,
  resultOutcome,
  type StoreCase,
  started,
  startStatus,
  storeCases,
} from "./fixtures.ts";

export const operationCases: StoreCase[] = storeCases({
  "should claim and begin in one step": async ({ store, now }) => {
    const data = { args: { to: "bob" } };
    const result = await store.operations.start(claimRequest(), { data });
    const record = {
      ...operation,
      fingerprint: "print-1",
      state: "started",
      owner: "router-a",
      leaseUntil: now() + lease,
      data,
      claimedAt: now(),
      startedAt: now(),
    };
    like(result, { status: "claimed", claim: operation, record }, "the start");
    if (result.status === "claimed") equal(await store.operations.read(operation), result.record, "the record");
  },
  "should answer a start as it would a claim": async ({ store, advance }) => {
    const claim = await started(store);
    equal(await startStatus(store), "busy", "while the lease lives");
    equal(await startStatus(store, { fingerprint: "print-2" }), "conflict", "with another fingerprint");
    await store.operations.finish(claim, { state: "done", outcome: { n: 1 } });
    like(await store.operations.start(claimRequest(), {}), { status: "replay", record: { outcome: { n: 1 } } }, "done");
    const other = await started(store, { key: "key-2" });
    advance(lease);
    equal(await startStatus(store, { key: "key-2" }), "in-doubt", "when it was given up");
    equal(await store.operations.finish(other, { state: "done", outcome: 1 }), false, "the holder that was given up");
  },
  "should start again what may run twice, with its data and a higher fence": async ({ store, advance }) => {
    const lost = await started(store, {}, { data: { n: 1 } });
    advance(lease);
    const result = await store.operations.start(claimRequest({ owner: "b", abandoned: "reclaim" }), {});
    like(result, { status: "claimed", record: { state: "started", owner: "b", data: { n: 1 } } }, "the second start");
    if (result.status !== "claimed") return;
    truth(result.claim.fence > lost.fence, "the fence should have risen");
    equal(await store.operations.renew(lost, lease), false, "the first holder's renewal");
    equal(await store.operations.abandon(lost), false, "the first holder's end");
    const lateRow = { audit: [auditEntry("late")] };
    equal(await store.operations.doubt(lost, "late", lateRow), false, "the first holder's doubt");
    const late = { state: "done", outcome: "late" } as const;
    equal(await store.operations.finish(lost, late, lateRow), false, "the first holder's outcome");
    equal(await store.audit.read(), [], "audit rows of a holder that lost its claim");
    equal(await store.operations.finish(result.claim, { state: "done", outcome: "right" }), true, "the second outcome");
    like(await store.operations.read(operation), { outcome: "right" }, "the record");
  },
  "should take over only the claim that was read, when asked to": async ({ store, advance }) => {
    const again = (ifFence: number) =>
      store.operations.start(claimRequest({ owner: "b", abandoned: "reclaim" }), { data: { n: 2 }, ifFence });
    const first = await started(store, {}, { data: { n: 1 } });
    equal((await again(first.fence)).status, "busy", "while the lease lives");
    await store.operations.abandon(first);
    equal(await again(0), { status: "changed" }, "a start by who has read nothing");
    like(await store.operations.read(operation), { fence: first.fence, data: { n: 1 } }, "the record");
    like(await again(first.fence), { status: "claimed", record: { data: { n: 2 } } }, "a start by who has read it");
    advance(lease);
    equal(await again(first.fence), { status: "changed" }, "a start by who has read the one before");
    const fresh = claimRequest({ key: "fresh" });
    like(await store.operations.start(fresh, { ifFence: 0 }), { status: "claimed" }, "a key that nobody has");
  },
  "should take over nothing that was set free or begun anew since it was read": async ({ store, advance }) => {
    const takeOver = (fence: number, abandoned: "reclaim" | "doubt" = "reclaim") =>
      store.operations.takeOver(claimRequest({ owner: "b", abandoned }), fence, {
        ifDoubt: { audit: [auditEntry("doubt")] },
      });
    const first = await started(store, {}, { data: { n: 1 } });
    like(await takeOver(first.fence), { status: "busy" }, "while the lease lives");
    await store.operations.finish(first, { state: "released" });
    equal(await takeOver(first.fence), { status: "changed" }, "when it was set free");
    equal(await store.operations.read(operation), undefined, "the record that must not come back");
    equal(await store.operations.start(claimRequest(), { ifFence: first.fence }), { status: "changed" }, "a start");
    const second = await started(store, {}, { data: { n: 2 } });
    advance(lease);
    equal(await takeOver(first.fence, "doubt"), { status: "changed" }, "when it was begun anew");
    like(await store.operations.read(operation), { state: "started", fence: second.fence }, "what was begun anew");
    equal(await store.audit.read(), [], "audit rows of a doubt that did not come");
    const taken = await takeOver(second.fence);
    like(taken, { status: "claimed", record: { owner: "b", data: { n: 2 } } }, "when it is what was read");
    advance(lease);
    like(await takeOver((taken as { claim: OperationClaim }).claim.fence, "doubt"), { status: "in-doubt" }, "a doubt");
    equal((await store.audit.read()).length, 1, "audit rows of the doubt");
  },
  "should begin nothing for a call that is cancelled": async ({ store }) => {
    await openSession(store);
    await admitted(store, "admitted", 1, { calls: oneCall("c1", { operation }) });
    const call = { sessionId: "sess", callId: "c1" };
    equal((await store.sessions.readCall("sess", "c1"))?.isCancelled, undefined, "before");
    like(await store.sessions.cancelCall("sess", "c1"), { callId: "c1", isCancelled: true, operation }, "the call");
    equal(await store.sessions.cancelCall("sess", "nobody"), undefined, "an unknown call");
    equal(await store.sessions.cancelCall("nobody", "c1"), undefined, "of an unknown session");
    equal(
      await store.operations.start(claimRequest(), { unlessCancelled: call }),
      { status: "call-cancelled" },
      "start",
    );
    equal(await store.operations.read(operation), undefined, "the operation");
    await admitted(store, "admitted", 2, { calls: oneCall("c1", { operation }) });
    like(await store.sessions.readCall("sess", "c1"), { frameId: "frame-2", isCancelled: true }, "admitted again");
    const other = { unlessCancelled: { sessionId: "sess", callId: "c2" } };
    like(await store.operations.start(claimRequest(), other), { status: "claimed" }, "for another call");
  },
  "should give a lease up at once": async ({ store }) => {
    const claim = await started(store);
    equal(await store.operations.abandon(claim), true, "the holder's abandoning");
    like(await store.operations.read(operation), { state: "started" }, "the record");
    equal(await startStatus(store, { abandoned: "reclaim" }), "claimed", "the next start");
    equal(await store.operations.abandon(claim), false, "a second abandoning");
    equal(await store.operations.abandon({ ...operation, key: "nobody", fence: 1 }), false, "of what is unknown");
  },
  "should put what was abandoned in doubt where it must not run twice": async ({ store }) => {
    await store.operations.abandon(await started(store));
    equal(await startStatus(store), "in-doubt", "the next start");
    equal(await store.operations.abandon({ ...operation, fence: 2 }), false, "of what is in doubt");
  },
  "should refuse a key whose outcome is forgotten, for as long as keys are kept": async ({ store, advance }) => {
    const claim = await started(store, { ttlMs: 100, keepMs: day });
    await store.operations.finish(claim, { state: "done", outcome: "secret" });
    advance(100);
    equal(await store.operations.read(operation), undefined, "the record");
    equal(await startStatus(store), "expired", "a start");
    await store.prune();
    const result = await store.operations.start(claimRequest(), {});
    like(result, { status: "expired", record: { state: "done", fingerprint: "print-1" } }, "a start after pruning");
    truth(!JSON.stringify(result).includes("secret"), "the outcome should be forgotten");
    equal(await startStatus(store, { fingerprint: "print-2" }), "conflict", "a start with another fingerprint");
    advance(day);
    await store.prune();
    equal(await startStatus(store), "claimed", "a start after all is forgotten");
  },
  "should show nothing of what had the key before": async ({ store, advance }) => {
    const claim = await started(store, { ttlMs: 100 }, { data: { old: 1 } });
    await store.operations.finish(claim, { state: "done", outcome: "old" });
    advance(100);
    const result = await store.operations.start(claimRequest(), {});
    const record = await store.operations.read(operation);
    for (const { data, outcome } of [result.status === "claimed" ? result.record : {}, record ?? {}] as JsonObject[]) {
      equal([data, outcome], [undefined, undefined], "data and outcome");
    }
    advance(lease);
    equal((await store.operations.claim(claimRequest())).record.outcome, undefined, "the outcome in doubt");
  },
  "should prune what is over, and nothing that isn't": async ({ store, advance }) => {
    const over = await started(store, { key: "over", ttlMs: 100 });
    await store.operations.finish(over, { state: "failed", outcome: "no" });
    const doubtful = await started(store, { key: "doubt", ttlMs: 100 });
    await store.operations.doubt(doubtful, "no answer");
    await started(store, { key: "open", ttlMs: 100 });
    await store.operations.claim(claimRequest({ key: "claimed", ttlMs: 100 }));
    advance(lease + 100);
    await store.prune();
    equal(await store.operations.read({ ...operation, key: "over" }), undefined, "what failed");
    equal(await store.operations.read({ ...operation, key: "claimed" }), undefined, "what never began");
    like(await store.operations.read({ ...operation, key: "doubt" }), { state: "in-doubt" }, "what is in doubt");
    like(await store.operations.read({ ...operation, key: "open" }), { state: "started" }, "what was begun");
  },
  "should list by state, lease and scope, oldest claims first": async ({ store, advance }) => {
    const scope = "tenant-2:x";
    await started(store, { key: "abandoned" });
    await started(store, { key: "elsewhere", scope });
    advance(lease);
    await started(store, { key: "alive" });
    await store.operations.doubt(await started(store, { key: "doubt" }), "no answer");
    await store.operations.finish(await started(store, { key: "done", ttlMs: 50 }), { state: "done", outcome: 1 });
    await store.operations.claim(claimRequest({ key: "claimed", ttlMs: 50 }));
    const keys = async (filter: Parameters<typeof store.operations.list>[0]): Promise<string[]> =>
      (await store.operations.list(filter)).map(({ key }) => key);
    equal(await keys({ states: ["started"], leaseExpired: true }), ["abandoned", "elsewhere"], "abandoned ones");
    equal(await keys({ states: ["started"] }), ["abandoned", "elsewhere", "alive"], "started ones");
    equal(await keys({ states: ["started"], limit: 2 }), ["abandoned", "elsewhere"], "two of them");
    equal(await keys({ states: ["started"], scopePrefix: "tenant-2:" }), ["elsewhere"], "those of a scope");
    equal(await keys({ states: ["started"], scopePrefix: "%" }), [], "those of a scope that nobody has");
    equal(await keys({ states: ["in-doubt", "claimed", "done"] }), ["doubt", "done", "claimed"], "of several states");
    equal(await keys({ states: [] }), [], "of no state");
    const [doubt] = await store.operations.list({ states: ["in-doubt"] });
    equal(doubt, await store.operations.read({ ...operation, key: "doubt" }), "a listed record");
    advance(lease + 50);
    equal(await keys({ states: ["done", "claimed"] }), [], "what is forgotten");
    await store.prune();
    equal(await keys({ states: ["done", "claimed"] }), [], "what is forgotten and pruned");
  },
  "should write the answer and the audit rows with the outcome": async ({ store, now }) => {
    await openSession(store);
    await store.sessions.admit(admission(1, { calls: oneCall("c", { operation }) }));
    const claim = await started(store, {}, { audit: [auditEntry("c")] });
    const answer = answerOf(1, { c: resultOutcome("c") });
    const audit = [{ ...auditEntry("c"), kind: "outcome" as const, result_status: "SUCCESS" as const }];
    equal(await store.operations.finish(claim, { state: "done", outcome: 1 }, { audit, answer }), true, "the end");
    equal((await admitted(store, "duplicate", 1)).reply, answer.reply, "the reply");
    like(await store.sessions.readCall("sess", "c"), { operation, outcome: resultOutcome("c") }, "the call");
    const rows = await store.audit.read();
    equal(
      rows.map(({ at, entry }) => [at, entry.kind]),
      [
        [now(), "decision"],
        [now(), "outcome"],
      ],
      "the audit rows",
    );
  },
  "should write the answer and the audit rows with a doubt": async ({ store }) => {
    await openSession(store);
    await store.sessions.admit(admission(1, { calls: oneCall("c", { operation }) }));
    const claim = await started(store);
    const answer = answerOf(1, { c: resultOutcome("c") });
    equal(await store.operations.doubt(claim, "?", { audit: [auditEntry("c")], answer }), true, "the doubt");
    equal((await store.audit.read()).length, 1, "the number of audit rows");
    like(await store.sessions.readCall("sess", "c"), { outcome: resultOutcome("c") }, "the call");
  },
  "should write nothing along when the start is refused": async ({ store }) => {
    await openSession(store);
    await store.sessions.admit(admission(1, { calls: oneCall("c", { operation }) }));
    await started(store, {}, { data: { n: 1 } });
    const before = await store.operations.read(operation);
    const answer = answerOf(1, { c: resultOutcome("c") });
    const along = { data: { n: 2 }, audit: [auditEntry("c")], answer };
    equal(await startStatus(store, {}, along), "busy", "the second start");
    equal(await startStatus(store, { fingerprint: "print-2" }, along), "conflict", "the third");
    equal(await store.operations.read(operation), before, "the record");
    equal(await store.audit.read(), [], "audit rows");
    like(await store.sessions.readCall("sess", "c"), { outcome: undefined }, "the call");
  },
  "should let one of many start": async ({ store }) => {
    const results = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        startStatus(store, { owner: `o${index}` }, { audit: [auditEntry("c")] }),
      ),
    );
    equal(results.sort(), [...Array.from({ length: 29 }, () => "busy"), "claimed"], "the starts");
    equal((await store.audit.read()).length, 1, "the number of audit rows");
  },
  "should not begin what an unsettled operation of the same effect may have done": async ({ store, advance }) => {
    const effectId = "effect-1";
    const other = { key: "key-2", owner: "router-b" };
    const claim = await started(store, {}, { effectId });
    const held = { ...operation, key: "key-2" };
    equal(await store.operations.read(held, effectId), undefined, "while the lease lives");
    await store.operations.doubt(claim, "no answer");
    like(await store.operations.read(held, effectId), { key: operation.key, state: "in-doubt" }, "what is in doubt");
    const refused = await store.operations.start(claimRequest(other), { effectId, audit: [auditEntry("c")] });
    like(refused, { status: "in-doubt", record: { key: operation.key } }, "the other start");
    equal(await store.operations.read(held), undefined, "the record of the other key");
    equal(await store.audit.read(), [], "audit rows");
    equal(await startStatus(store, { key: "key-3" }, { effectId: "effect-2" }), "claimed", "another effect");
    equal(await startStatus(store, { key: "key-4" }, {}), "claimed", "a start that names no effect");
    equal(await startStatus(store, { key: "key-5" }, { effectId, again: true }), "claimed", "one that wants it again");
    await store.operations.finish({ ...held, key: "key-5", fence: -1 }, { state: "released" });
    equal(await store.operations.settle(claim, { state: "done", outcome: 1 }, "ann"), true, "the settling");
    equal(await startStatus(store, { key: "key-6" }, { effectId }), "claimed", "when it is settled");
    advance(lease);
    like(
      await store.operations.read(held, effectId),
      { key: "key-5", state: "started" },
      "the oldest that was given up",
    );
    equal(await startStatus(store, other, { effectId }), "in-doubt", "when others were given up");
  },
  "should begin anew what somebody settled as not applied": async ({ store, advance }) => {
    const effectId = "effect-1";
    const claim = await started(store, {}, { effectId, data: { old: 1 } });
    await store.operations.doubt(claim, "no answer");
    const lateRow = { audit: [auditEntry("late")] };
    const word = (fence: number, rows: object): Promise<boolean> =>
      store.operations.settle({ ...operation, fence }, { state: "released" }, "ann", rows);
    equal(await word(claim.fence + 1, lateRow), false, "a word on another attempt");
    equal(await word(claim.fence, { audit: [auditEntry("c")] }), true, "the word");
    equal(await word(claim.fence, lateRow), false, "a second word");
    equal((await store.audit.read()).length, 1, "audit rows");
    like(await store.operations.read(operation), { state: "released", settled: { by: "ann" } }, "the record");
    equal(await store.operations.read(operation, effectId), undefined, "what stands in the way of its effect");
    equal((await store.operations.scan(0, 10)).records, [], "what is there");
    equal(await startStatus(store, { key: "key-2" }, { effectId }), "claimed", "an equal start");
    const again = await store.operations.start(claimRequest({ fingerprint: "other" }), { ifFence: 0 });
    like(again, { status: "claimed", record: { state: "started" } }, "a start with its key");
    equal((await store.operations.read(operation))?.data, undefined, "its data");
    advance(lease);
    equal(await startStatus(store, { fingerprint: "other" }), "in-doubt", "when that was given up");
  },
  "should forget the effect of what is released, and of what is over": async ({ store, advance }) => {
    const effectId = "effect-1";
    await store.operations.finish(await started(store, {}, { effectId }), { state: "released" });
    equal(await startStatus(store, { key: "key-2" }, { effectId }), "claimed", "after a release");
    advance(lease);
    await store.operations.start(claimRequest({ key: "key-2", abandoned: "reclaim" }), { effectId });
    equal(await startStatus(store, { key: "key-3" }, { effectId }), "claimed", "while it was taken over");
    const first = await store.operations.read({ ...operation, key: "key-2" });
    const third = await store.operations.read({ ...operation, key: "key-3" });
    for (const record of [first, third]) {
      await store.operations.finish(record as OperationClaim, { state: "done", outcome: 1 });
    }
    advance(lease + day);
    await store.prune();
    equal(await startStatus(store, { key: "key-4" }, { effectId }), "claimed", "after all is over");
  },
  "should begin one of many with the same effect after the other, never beside one in doubt": async ({ store }) => {
    const effectId = "effect-1";
    await store.operations.doubt(await started(store, {}, { effectId }), "no answer");
    const keys = Array.from({ length: 20 }, (_, index) => ({ key: `other-${index}` }));
    const results = await Promise.all(keys.map((key) => startStatus(store, key, { effectId })));
    equal(new Set(results), new Set(["in-doubt"]), "the starts");
  },
  "should give all that is remembered, piece by piece": async ({ store, advance }) => {
    for (let index = 0; index < 7; index++) await started(store, { key: `k${index}` }, { data: { index } });
    await store.operations.finish(await started(store, { key: "over", ttlMs: 50 }), { state: "done", outcome: 1 });
    advance(50);
    const keys: string[] = [];
    for (let after: number | undefined = 0; after !== undefined; ) {
      const piece: Awaited<ReturnType<typeof store.operations.scan>> = await store.operations.scan(after, 3);
      keys.push(...piece.records.map(({ key, state }) => `${key} ${state}`));
      after = piece.last;
    }
    equal(
      keys.sort(),
      Array.from({ length: 7 }, (_, index) => `k${index} started`),
      "the operations",
    );
  },
  "should never use a fence twice": async ({ store }) => {
    const fences = new Set<number>();
    for (let index = 0; index < 10; index++) {
      const claim = await started(store, { key: `k${index % 2}` });
      fences.add(claim.fence);
      await store.operations.finish(claim, { state: "released" });
    }
    equal(fences.size, 10, "the number of fences");
  },
  "should refuse malformed starts": async ({ store }) => {
    await rejects(store.operations.start(claimRequest({ leaseMs: 0 }), {}), isTypeError, "no lease");
    await rejects(
      store.operations.start(claimRequest({ owner: 1 as never }), {}),
      isTypeError,
      "an owner that is no text",
    );
    equal(await store.operations.read(operation), undefined, "the record");
  },
  "should take scopes and keys as they are": async ({ store }) => {
    const keys = ["a\0b", "a\0c", "a", "\ud800", "\ud801", "__proto__", "", "日本", 'x"\\y'];
    for (const key of keys) {
      for (const scope of ["s", "s\0", "\udfff"]) await started(store, { scope, key, fingerprint: scope + key });
    }
    for (const key of keys) like(await store.operations.read({ scope: "s\0", key }), { scope: "s\0", key }, "a record");
    equal((await store.operations.list({ states: ["started"] })).length, keys.length * 3, "the number of records");
  },
  "should keep any JSON as data and outcome": async ({ store }) => {
    const values = [null, 0, "", "\ud800 \0", [], { "": { __proto__: 1 } }, [[{ a: [null, -0.5, 1e21] }]]];
    for (const [index, outcome] of values.entries()) {
      const claim = await started(store, { key: `k${index}` }, { data: { value: outcome } });
      await store.operations.finish(claim, { state: "done", outcome });
      const record = await store.operations.read({ ...operation, key: `k${index}` });
      equal([record?.data, record?.outcome], [{ value: outcome }, outcome], "what was kept");
    }
  },
  "should not share what it keeps with callers": async ({ store }) => {
    const data = { list: [1] };
    const audit = [auditEntry("c")];
    const starting = store.operations.start(claimRequest(), { data, audit });
    data.list.push(2);
    if (audit[0]) audit[0].call_id = "changed";
    const result = await starting;
    if (result.status !== "claimed") throw new Error(`expected the operation to start, it is ${result.status}`);
    (result.record.data as typeof data).list.push(3);
    const outcome = { list: [1] };
    const finishing = store.operations.finish(result.claim, { state: "done", outcome });
    outcome.list.push(2);
    await finishing;
    like(await store.operations.read(operation), { data: { list: [1] }, outcome: { list: [1] } }, "the record");
    equal((await store.audit.read())[0]?.entry.call_id, "c", "the audit row's call");
  },
});
