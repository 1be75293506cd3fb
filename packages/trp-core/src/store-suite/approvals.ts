import { equal, isTypeError, like, rejects, truth } from "@toolglot/internal";
import {
  approvalArgs,
  approved,
  auditEntry,
  audited,
  claimRequest,
  day,
  lease,
  operation,
  type StoreCase,
  started,
  startStatus,
  storeCases,
  wantedApproval,
  who,
} from "./fixtures.ts";

const use = { kind: "record", id: "approval-1", fingerprint: "print-1" } as const;
const used = { approval: use };
const denial = { status: "denied", by: "boss" } as const;
const minute = 60_000;

export const approvalCases: StoreCase[] = storeCases({
  "should keep a request for approval until somebody decides": async ({ store, now }) => {
    const { ttlMs: _, ...wanted } = wantedApproval();
    const record = { ...wanted, status: "pending", createdAt: now(), expiresAt: now() + minute };
    equal(await store.approvals.request(wantedApproval()), { status: "created", record }, "the request");
    equal(await store.approvals.read("approval-1"), record, "the record");
    const again = wantedApproval({ id: "approval-2", ttlMs: 5 });
    equal(await store.approvals.request(again), { status: "existing", record }, "the same request again");
    equal(await store.approvals.read("approval-2"), undefined, "a second record");
  },
  "should be decided once, with who did and what was said": async ({ store, now, advance }) => {
    await store.approvals.request(wantedApproval());
    advance(10);
    const decision = { status: "approved", by: "boss", comment: "fine" } as const;
    const decided = await store.approvals.decide("approval-1", decision, { audit: [auditEntry("c")] });
    like(decided, { status: "approved", decidedBy: "boss", comment: "fine", decidedAt: now() }, "the decision");
    equal(await store.approvals.read("approval-1"), decided, "the record");
    const second = await store.approvals.decide(
      "approval-1",
      { status: "denied", by: "x" },
      { audit: [auditEntry("d")] },
    );
    equal(second, undefined, "a second decision");
    equal(await store.approvals.decide("nobody", decision), undefined, "a decision about nothing");
    equal(await audited(store), ["c"], "the audit rows");
    like(
      await store.approvals.request(wantedApproval({ id: "x" })),
      { status: "existing", record: decided },
      "a request",
    );
  },
  "should let an approved operation start once": async ({ store, now }) => {
    const record = await approved(store);
    const claim = await started(store, {}, used);
    equal(await store.approvals.read("approval-1"), { ...record, status: "used", usedAt: now() }, "the record");
    equal(await store.approvals.decide("approval-1", denial), undefined, "a decision after it");
    equal(await startStatus(store, {}, used), "busy", "a second start");
    await store.operations.finish(claim, { state: "done", outcome: 1 });
    equal(await startStatus(store, {}, used), "replay", "a third");
    equal(await startStatus(store, { key: "key-2" }, used), "approval-refused: spent", "another operation");
  },
  "should not start what nobody approved, and leave nothing behind": async ({ store }) => {
    await store.approvals.request(wantedApproval());
    const options = { approval: use, data: { n: 1 }, audit: [auditEntry("c")] };
    equal(await startStatus(store, {}, options), "approval-refused: not-approved", "while it is pending");
    await store.approvals.decide("approval-1", denial);
    equal(await startStatus(store, {}, options), "approval-refused: denied", "when it is denied");
    const nobody = { ...options, approval: { ...use, id: "nobody" } };
    equal(await startStatus(store, { key: "key-2" }, nobody), "approval-refused: not-approved", "an unknown approval");
    equal(await store.operations.read(operation), undefined, "the operation");
    equal(await store.audit.read(), [], "audit rows");
    equal(await startStatus(store, { key: "key-2" }), "claimed", "a start that needs no approval");
  },
  "should not start what somebody has denied, by whatever else it is allowed": async ({ store, advance }) => {
    await store.approvals.request(wantedApproval());
    await store.approvals.decide("approval-1", { status: "denied", by: "boss", comment: "no" });
    const token = { kind: "token" as const, jti: "jti", expiresAt: 1_760_000_000_000 + 10 * day };
    const denied = await store.operations.start(claimRequest(), { approval: token });
    like(
      denied,
      { status: "approval-refused", reason: "denied", denial: { id: "approval-1", comment: "no" } },
      "a token",
    );
    equal(await startStatus(store), "approval-refused: denied", "a policy that asks no more");
    equal(await startStatus(store, { fingerprint: "print-2" }), "claimed", "another operation under the key");
    advance(60_000);
    equal(await startStatus(store, { key: "key-2" }, { approval: token }), "claimed", "another key");
  },
  "should list a page at a time, by status and requester, newest first": async ({ store, advance }) => {
    const ask = (n: number, requester: string): Promise<unknown> =>
      store.approvals.request(
        wantedApproval({ id: `a${n}`, requester, operation: { ...operation, key: `k${n}` }, ttlMs: 1_000 + n }),
      );
    for (let n = 0; n < 120; n++) await ask(n, n % 3 === 0 ? "eve" : "ann");
    for (const n of [1, 2]) await store.approvals.decide(`a${n}`, { status: "approved", by: "boss" });
    await store.approvals.decide("a3", denial);
    const ids = async (filter: Partial<Parameters<typeof store.approvals.list>[0]>): Promise<string[]> =>
      (await store.approvals.list({ tenant: who.tenant, ...filter })).map(({ id }) => id);
    const down = (from: number, to: number): string[] =>
      Array.from({ length: from - to + 1 }, (_, at) => `a${from - at}`);
    equal(await ids({}), down(119, 20), "a page");
    equal(await ids({ before: "a20", limit: 5 }), down(19, 15), "the next one");
    equal(await ids({ before: "a0" }), [], "after the last one");
    equal(await ids({ before: "nobody" }), [], "after one that there is not");
    equal(await ids({ status: "pending", before: "a5" }), ["a4", "a0"], "pending ones");
    equal(await ids({ status: "approved" }), ["a2", "a1"], "approved ones");
    equal(await ids({ status: "denied", requester: "eve" }), ["a3"], "what was denied to somebody");
    equal(await ids({ status: "denied", requester: "ann" }), [], "what was denied to somebody else");
    equal(await ids({ requester: "eve", limit: 2 }), ["a117", "a114"], "of a requester");
    equal(await ids({ status: "used" }), [], "used ones");
    advance(1_000 + 60);
    equal(await ids({ status: "expired", limit: 200 }), [...down(60, 4), "a2", "a1", "a0"], "expired ones");
    equal((await ids({ status: "pending", limit: 200 })).length, 59, "the number of pending ones");
    equal(await ids({ status: "approved" }), [], "approved ones that were not used in time");
  },
  "should let a requester have no more requests waiting than the limit": async ({ store, advance }) => {
    const ask = async (key: string, more: Parameters<typeof wantedApproval>[0] = {}): Promise<string> => {
      const wanted = wantedApproval({ id: `id ${key}`, operation: { ...operation, key }, maxPending: 2, ...more });
      return (await store.approvals.request(wanted)).status;
    };
    equal([await ask("a", { ttlMs: 10 }), await ask("b")], ["created", "created"], "the first two");
    equal(await ask("c"), "too-many", "the third");
    equal(await store.approvals.read("id c"), undefined, "its record");
    equal(await ask("a"), "existing", "the first again");
    equal(await ask("d", { requester: "eve" }), "created", "somebody else's");
    equal(await ask("e", { tenant: "elsewhere" }), "created", "another tenant's");
    await store.approvals.decide("id b", denial);
    equal(await ask("c"), "created", "after a decision");
    equal(await ask("f"), "too-many", "one more");
    advance(10);
    equal(await ask("f"), "created", "after one has expired");
  },
  "should name the denial in what is asked for after it": async ({ store, now, advance }) => {
    await store.approvals.request(wantedApproval());
    await store.approvals.decide("approval-1", denial);
    const deniedAt = now();
    like(await store.approvals.request(wantedApproval({ id: "approval-2" })), { status: "existing" }, "while it holds");
    advance(60_000);
    const { status, record } = await store.approvals.request(wantedApproval({ id: "approval-2" }));
    equal(status, "created", "the request after it");
    equal(record.deniedBefore, { id: "approval-1", by: "boss", at: deniedAt }, "the denial that it names");
    equal(await startStatus(store), "approval-refused: denied", "while nobody has decided anew");
    await store.approvals.decide("approval-2", { status: "approved", by: "boss" });
    equal(await startStatus(store, {}, { approval: { ...use, id: "approval-2" } }), "claimed", "after a yes");
  },
  "should bind an approval to its operation and its fingerprint": async ({ store }) => {
    await approved(store);
    const other = { ...use, fingerprint: "print-2" };
    equal(await startStatus(store, {}, { approval: other }), "approval-refused: not-approved", "another fingerprint");
    equal(await startStatus(store, { key: "key-2" }, used), "approval-refused: not-approved", "another operation");
    like(await store.approvals.read("approval-1"), { status: "approved" }, "the record");
    equal(await startStatus(store, {}, used), "claimed", "its own operation");
  },
  "should expire, approved or not": async ({ store, advance }) => {
    await store.approvals.request(wantedApproval());
    await approved(store, { id: "approval-2", operation: { ...operation, key: "key-2" } });
    advance(minute);
    like(await store.approvals.read("approval-1"), { status: "expired" }, "a pending record");
    like(await store.approvals.read("approval-2"), { status: "expired" }, "an approved record");
    equal(await store.approvals.decide("approval-1", { status: "approved", by: "boss" }), undefined, "a decision");
    const late = { approval: { ...use, id: "approval-2" } };
    equal(await startStatus(store, { key: "key-2" }, late), "approval-refused: expired", "a start");
    const next = await store.approvals.request(wantedApproval({ id: "approval-3" }));
    like(next, { status: "created", record: { id: "approval-3", status: "pending" } }, "the next request");
  },
  "should stay denied until it expires": async ({ store, advance }) => {
    await store.approvals.request(wantedApproval());
    await store.approvals.decide("approval-1", { status: "denied", by: "boss", comment: "no" });
    const again = await store.approvals.request(wantedApproval({ id: "approval-2" }));
    like(again, { status: "existing", record: { id: "approval-1", status: "denied", comment: "no" } }, "a request");
    const other = await store.approvals.request(wantedApproval({ id: "approval-3", fingerprint: "print-2" }));
    equal(other.status, "created", "a request with other arguments");
    advance(minute);
    like(await store.approvals.read("approval-1"), { status: "denied" }, "the record");
    equal((await store.approvals.request(wantedApproval({ id: "approval-4" }))).status, "created", "a later request");
  },
  "should be taken again by the operation that used it": async ({ store, advance }) => {
    await approved(store);
    await store.operations.abandon(await started(store, {}, used));
    const request = await store.approvals.request(wantedApproval({ id: "approval-2" }));
    like(request, { status: "existing", record: { id: "approval-1", status: "used" } }, "a request");
    advance(10 * minute);
    equal(await startStatus(store, { abandoned: "reclaim" }, used), "claimed", "the second start");
  },
  "should be taken again after an attempt that came to nothing, but not after its time": async ({ store, advance }) => {
    await approved(store);
    const release = async (): Promise<void> => {
      const claim = await started(store, {}, used);
      await store.operations.finish(claim, { state: "released" });
    };
    await release();
    await release();
    advance(minute);
    equal(await startStatus(store, {}, used), "approval-refused: spent", "a start after its time");
    equal((await store.approvals.request(wantedApproval({ id: "approval-2" }))).status, "created", "the next request");
  },
  "should hold its key against other arguments": async ({ store, now, advance }) => {
    await store.approvals.request(wantedApproval());
    const other = { fingerprint: "print-2" };
    const conflict = await store.operations.start(claimRequest(other), { audit: [auditEntry("c")] });
    const record = { ...operation, fingerprint: "print-1", state: "claimed", leaseUntil: now() + minute };
    like(conflict, { status: "conflict", record }, "a start");
    equal((await store.operations.claim(claimRequest(other))).status, "conflict", "a claim");
    const request = await store.approvals.request(wantedApproval({ id: "approval-2", ...other }));
    like(request, { status: "conflict", record: { id: "approval-1" } }, "a request");
    await store.approvals.decide("approval-1", { status: "approved", by: "boss" });
    equal(await startStatus(store, other), "conflict", "a start when it is approved");
    advance(minute);
    equal(await startStatus(store, other), "claimed", "a start when it has expired");
    equal(await store.audit.read(), [], "audit rows");
  },
  "should not ask about a key that is another operation's": async ({ store }) => {
    await started(store, { fingerprint: "print-2" });
    const request = await store.approvals.request(wantedApproval());
    like(request, { status: "conflict", record: { fingerprint: "print-2", operation } }, "the request");
    equal(await store.approvals.read("approval-1"), undefined, "the record");
    equal(await store.approvals.list({ tenant: who.tenant }), [], "the records");
  },
  "should spend a token once, for one operation": async ({ store, now, advance }) => {
    const token = { kind: "token", jti: "appr_1", expiresAt: now() + minute } as const;
    const claim = await started(store, {}, { approval: token });
    const refused = { approval: token, audit: [auditEntry("c")] };
    equal(await startStatus(store, { key: "key-2" }, refused), "approval-refused: spent", "another operation");
    equal(await startStatus(store, { scope: "other" }, refused), "approval-refused: spent", "another scope");
    equal(await store.operations.read({ ...operation, key: "key-2" }), undefined, "the other operation");
    equal(await store.audit.read(), [], "audit rows");
    await store.operations.abandon(claim);
    advance(2 * minute);
    equal(await startStatus(store, { abandoned: "reclaim" }, { approval: token }), "claimed", "the same operation");
    const late = { ...token, jti: "appr_2" };
    equal(await startStatus(store, { key: "key-3" }, { approval: late }), "approval-refused: expired", "a late token");
  },
  "should not spend a token on a start that is refused": async ({ store, now }) => {
    const claim = await started(store);
    const token = { kind: "token", jti: "appr_1", expiresAt: now() + minute } as const;
    equal(await startStatus(store, {}, { approval: token }), "busy", "a start");
    await store.operations.finish(claim, { state: "released" });
    equal(await startStatus(store, { key: "key-2" }, { approval: token }), "claimed", "a start of another operation");
  },
  "should let one of many use an approval or a token": async ({ store, now }) => {
    const token = { kind: "token", jti: "appr_1", expiresAt: now() + minute } as const;
    const results = await Promise.all(
      Array.from({ length: 10 }, (_, index) => startStatus(store, { key: `k${index}` }, { approval: token })),
    );
    const refused = Array.from({ length: 9 }, () => "approval-refused: spent");
    equal(results.sort(), [...refused, "claimed"], "the starts");
  },
  "should list the records of a tenant, newest first": async ({ store, advance }) => {
    const ids: string[] = [];
    for (const [index, key] of ["a", "b", "c", "d"].entries()) {
      const id = `approval-${index}`;
      ids.unshift(id);
      await store.approvals.request(wantedApproval({ id, operation: { ...operation, key }, ttlMs: minute + index }));
    }
    const foreign = { id: "foreign", tenant: "other", operation: { scope: "other", key: "a" } };
    await store.approvals.request(wantedApproval(foreign));
    await store.approvals.decide("approval-2", denial);
    const list = async (filter: Omit<Parameters<typeof store.approvals.list>[0], "tenant">): Promise<string[]> =>
      (await store.approvals.list({ tenant: who.tenant, ...filter })).map(({ id }) => id);
    equal(await list({}), ids, "all");
    equal(await list({ limit: 2 }), ids.slice(0, 2), "two");
    equal(await list({ requester: who.principal, limit: 2 }), ids.slice(0, 2), "the requester's");
    equal(await list({ requester: "somebody-else" }), [], "nobody's");
    equal(await list({ status: "denied" }), ["approval-2"], "those denied");
    equal(await list({ status: "pending" }), ["approval-3", "approval-1", "approval-0"], "those pending");
    advance(minute + 1);
    equal(await list({ status: "expired" }), ["approval-1", "approval-0"], "those expired");
    equal(await list({ status: "pending" }), ["approval-3"], "those still pending");
  },
  "should prune what expired long ago, but nothing that an operation may need again": async ({ store, advance }) => {
    await store.approvals.request(wantedApproval({ id: "old", operation: { ...operation, key: "old" } }));
    await approved(store);
    await store.operations.abandon(await started(store, {}, used));
    advance(minute);
    await store.prune();
    like(await store.approvals.read("old"), { status: "expired" }, "one that has just expired");
    advance(2 * day);
    await store.prune();
    equal(await store.approvals.read("old"), undefined, "one that expired long ago");
    equal(await startStatus(store, { abandoned: "reclaim", leaseMs: lease }, used), "claimed", "the start");
  },
  "should refuse malformed requests and ids that are taken": async ({ store }) => {
    await store.approvals.request(wantedApproval());
    const taken = wantedApproval({ operation: { ...operation, key: "key-2" } });
    await rejects(store.approvals.request(taken), isTypeError, "an id that is taken");
    await rejects(store.approvals.request(wantedApproval({ ttlMs: 0 })), isTypeError, "no time to live");
    await rejects(store.approvals.request(wantedApproval({ operation: {} as never })), isTypeError, "no operation");
    truth((await store.approvals.list({ tenant: who.tenant })).length === 1, "there should be one record");
  },
  "should not share what it keeps with callers": async ({ store }) => {
    const wanted = wantedApproval({ args: structuredClone(approvalArgs) });
    const requested = store.approvals.request(wanted);
    (wanted.args.list as number[]).push(2);
    const { record } = await requested;
    (record.args.list as number[]).push(3);
    record.status = "approved";
    like(await store.approvals.read("approval-1"), { status: "pending", args: approvalArgs }, "the record");
  },
});
