import { equal, isTypeError, rejects, truth } from "@toolglot/internal";
import { approvalRequested } from "../events/approval-events.ts";
import type { NewEvent } from "../events/types.ts";
import type { RouterStore } from "../store/types.ts";
import {
  answerOf,
  auditEntry,
  claimRequest,
  day,
  lease,
  nackOutcome,
  openSession,
  operation,
  type StoreCase,
  started,
  startStatus,
  storeCases,
  wantedApproval,
} from "./fixtures.ts";

function happened(callId: string, type: "call.accepted" | "call.resumed" = "call.accepted"): NewEvent {
  const facts = { traceId: "t", sessionId: "s", callId, capId: "cap.a.v1", principal: "p", tenant: "t" };
  return type === "call.accepted" ? { type, ...facts } : { type, attempt: 2, ...facts };
}

/** Returns the call ids of all events in the outbox. */
async function callIds(store: RouterStore): Promise<string[]> {
  const { events } = await store.outbox.read({ after: 0, limit: 1_000 });
  return events.map(({ event }) => ("callId" in event ? event.callId : event.type));
}

/** Adds events, each in a step of its own. */
async function add(store: RouterStore, count: number): Promise<void> {
  for (let n = 0; n < count; n++) await store.audit.append([], { events: [happened(`c${n}`)] });
}

export const outboxCases: StoreCase[] = storeCases({
  "should number events without gaps, and give them the store's time": async ({ store, now, advance }) => {
    equal(await store.outbox.read({ after: 0 }), { events: [], last: 0 }, "an empty outbox");
    await store.audit.append([auditEntry("a")], { events: [happened("a"), happened("a", "call.resumed")] });
    const first = now();
    advance(10);
    await store.audit.append([], { events: [happened("b")] });
    const page = await store.outbox.read({ after: 0 });
    equal(
      page,
      {
        events: [
          { index: 1, event: { at: first, ...happened("a") } },
          { index: 2, event: { at: first, ...happened("a", "call.resumed") } },
          { index: 3, event: { at: first + 10, ...happened("b") } },
        ],
        last: 3,
      } as never,
      "all events",
    );
    const rest = await store.outbox.read({ after: 1, limit: 1 });
    equal([rest.events.map(({ index }) => index), rest.last], [[2], 3], "a piece");
    equal((await store.outbox.read({ after: 9 })).events, [], "what is after the last one");
  },
  "should write events with the step that they report, or not at all": async ({ store, advance }) => {
    await openSession(store);
    const claim = await started(store, {}, { events: [happened("start")] });
    equal(await startStatus(store, { owner: "b" }, { events: [happened("busy")] }), "busy", "a start that is refused");
    const lost = { ...claim, fence: claim.fence - 1 };
    const nothing = { state: "done" as const, outcome: 1 };
    equal(await store.operations.finish(lost, nothing, { events: [happened("lost")] }), false, "a lost claim");
    equal(await store.operations.begin(lost, {}, { events: [happened("lost")], audit: [] }), false, "a lost claim");
    equal(await store.operations.begin(claim, {}, { events: [happened("begin")] }), true, "another attempt");
    await store.operations.finish(claim, nothing, { events: [happened("finish")] });
    const outcomes = { call: nackOutcome("call", "frame-1") };
    await store.sessions.answer(answerOf(1, outcomes), { audit: [], events: [happened("answer")] });
    const other = await started(store, { key: "other" });
    await store.operations.doubt(other, "gone", { events: [happened("doubt")] });
    equal(await callIds(store), ["start", "begin", "finish", "answer", "doubt"], "the events");
    advance(1);
    const bad = store.operations.start({ ...operation, fingerprint: "f", owner: "o", leaseMs: -1 }, { events: [] });
    await rejects(bad, isTypeError, "a malformed start");
  },
  "should write a doubt that a claim brings about, once": async ({ store, advance }) => {
    const doubt = { ifDoubt: { events: [happened("doubt")], audit: [auditEntry("doubt")] } };
    const { fence } = await started(store, {}, { ...doubt, events: [happened("start")] });
    await started(store, { key: "other" });
    equal(
      (await store.operations.takeOver(claimRequest(), fence, doubt)).status,
      "busy",
      "a claim while the lease holds",
    );
    advance(lease);
    equal((await store.operations.takeOver(claimRequest(), fence, doubt)).status, "in-doubt", "a claim after it");
    equal((await store.operations.takeOver(claimRequest(), fence, doubt)).status, "changed", "another claim");
    equal(await startStatus(store, { key: "other" }, doubt), "in-doubt", "a start after the lease");
    equal(await startStatus(store, { key: "third" }, doubt), "claimed", "a start of what is free");
    equal(await callIds(store), ["start", "doubt", "doubt"], "the events");
    equal(
      (await store.audit.read()).map(({ entry }) => entry.call_id),
      ["doubt", "doubt"],
      "the rows",
    );
  },
  "should write audit rows with another attempt, or not at all": async ({ store }) => {
    const claim = await started(store);
    await store.operations.begin({ ...claim, fence: claim.fence + 1 }, {}, { audit: [auditEntry("lost")] });
    await store.operations.begin(claim, {}, { audit: [auditEntry("begun")] });
    const rows = await store.audit.read();
    equal(
      rows.map(({ entry }) => entry.call_id),
      ["begun"],
      "the rows",
    );
  },
  "should write a request for approval when it is new, and a decision when it is made": async ({ store }) => {
    const { record } = await store.approvals.request(wantedApproval({ outbox: true }));
    await store.approvals.request(wantedApproval({ id: "again", outbox: true }));
    await store.approvals.request(wantedApproval({ id: "quiet", operation: { ...operation, key: "quiet" } }));
    const decided: NewEvent = {
      ...{ type: "approval.decided", approvalId: record.id, tenant: "tenant", status: "approved", by: "boss" },
      operation: "sha256:00",
    };
    const decision = { status: "approved" as const, by: "boss" };
    await store.approvals.decide(record.id, decision, { events: [decided] });
    await store.approvals.decide(record.id, decision, { events: [decided] });
    const { events } = await store.outbox.read({ after: 0 });
    const bodies = events.map(({ event: { at: _, ...body } }) => body);
    equal(bodies, [approvalRequested(record), decided], "the events");
    truth(!("outbox" in record), "the record should not keep what was asked of the store");
  },
  "should share nothing with what it is given": async ({ store }) => {
    const event = happened("a");
    await store.audit.append([], { events: [event] });
    (event as { callId: string }).callId = "changed";
    const [read] = (await store.outbox.read({ after: 0 })).events;
    if (read !== undefined) (read.event as { type: string }).type = "changed";
    equal((await store.outbox.read({ after: 0 })).events[0]?.event.type, "call.accepted", "the event");
    equal(await callIds(store), ["a"], "its call");
  },
  "should read for a consumer from where it has acknowledged, again and again": async ({ store, now, advance }) => {
    await add(store, 5);
    const indexes = async (): Promise<number[]> =>
      (await store.outbox.read({ consumer: "bill", limit: 2 })).events.map(({ index }) => index);
    equal(await indexes(), [1, 2], "for one that is new");
    equal(await indexes(), [1, 2], "again, when it did not acknowledge");
    equal(await store.outbox.consumers(), [], "reading makes no consumer");
    equal(await store.outbox.acknowledge("bill", 2), 2, "its position");
    equal(await indexes(), [3, 4], "what follows");
    advance(5);
    equal(await store.outbox.acknowledge("bill", 1), 2, "the position of one that goes back");
    equal(await store.outbox.acknowledge("ann", 0), 0, "another one");
    const both = [
      { name: "ann", position: 0, at: now() },
      { name: "bill", position: 2, at: now() },
    ];
    equal(await store.outbox.consumers(), both, "all consumers");
    equal([await store.outbox.forget("bill"), await store.outbox.forget("bill")], [true, false], "forgetting one");
    equal(await indexes(), [1, 2], "what a forgotten one reads");
  },
  "should refuse what is no range, name or number": async ({ store }) => {
    await add(store, 2);
    const { outbox } = store;
    const ranges = [{}, undefined, { after: -1 }, { after: 1.5 }, { after: 0, consumer: "a" }, { after: 0, limit: 0 }];
    for (const range of [...ranges, { consumer: "" }, { consumer: "a\0" }, { consumer: 7 }]) {
      await rejects(outbox.read(range as never), isTypeError, `reading ${JSON.stringify(range)}`);
    }
    for (const upTo of [-1, 0.5, 3, Number.NaN, "1"]) {
      await rejects(outbox.acknowledge("a", upTo as never), isTypeError, `acknowledging ${String(upTo)}`);
    }
    // Long, and of no pattern that a database could compress.
    const long = Array.from({ length: 3_000 }, (_, n) => n.toString(36)).join("");
    for (const name of ["", long])
      await rejects(outbox.acknowledge(name, 1), isTypeError, `the name ${name.slice(0, 9)}`);
    equal(await outbox.consumers(), [], "the consumers");
  },
  "should keep events until every consumer has acknowledged them": async ({ store }) => {
    await add(store, 6);
    await store.prune();
    equal((await callIds(store)).length, 6, "events without a consumer");
    await store.outbox.acknowledge("fast", 6);
    await store.outbox.acknowledge("slow", 2);
    await store.prune();
    const page = await store.outbox.read({ consumer: "slow" });
    equal([page.events.map(({ index }) => index), page.missed], [[3, 4, 5, 6], undefined], "for the slow one");
    await store.outbox.forget("slow");
    await store.prune();
    equal(await store.outbox.read({ consumer: "fast" }), { events: [], last: 6 }, "nobody is behind");
    await add(store, 1);
    equal((await store.outbox.read({ consumer: "fast" })).events[0]?.index, 7, "the number of the next event");
  },
  "should leave a consumer behind that is too slow, and say so": async ({ store, now, advance }) => {
    await add(store, 3);
    await store.outbox.acknowledge("slow", 1);
    advance(day);
    await add(store, 2);
    await store.prune({ outboxTtlMs: day });
    const page = await store.outbox.read({ consumer: "slow" });
    equal(page.missed, { first: 2, last: 3 }, "what it missed");
    equal(
      page.events.map(({ index, event }) => [index, event.at]),
      [
        [4, now()],
        [5, now()],
      ],
      "what is left",
    );
    equal((await store.outbox.read({ after: 0 })).missed, { first: 1, last: 3 }, "for one who reads from the start");
    await store.outbox.acknowledge("slow", 3);
    equal((await store.outbox.read({ consumer: "slow" })).missed, undefined, "once it has taken note");
    await store.prune({ outboxRows: 1 });
    equal((await store.outbox.read({ consumer: "slow" })).missed, { first: 4, last: 4 }, "too many events");
    advance(8 * day);
    await store.prune();
    equal(
      await store.outbox.read({ consumer: "slow" }),
      { events: [], last: 5, missed: { first: 4, last: 5 } },
      "late",
    );
  },
  "should drop nothing for a malformed retention": async ({ store }) => {
    await add(store, 1);
    for (const retention of [{ outboxTtlMs: Number.NaN }, { outboxTtlMs: -1 }, { outboxRows: "x" }, { outboxTtl: 1 }]) {
      await rejects(store.prune(retention as never), isTypeError, `pruning with ${JSON.stringify(retention)}`);
    }
    await store.prune({ outboxTtlMs: Number.POSITIVE_INFINITY, outboxRows: Number.POSITIVE_INFINITY });
    equal((await callIds(store)).length, 1, "the events");
  },
  "should drop events from the beginning only, when the clock has gone back": async ({ store, advance }) => {
    await add(store, 1);
    advance(10 * day);
    await add(store, 1);
    advance(-10 * day);
    await add(store, 1);
    advance(2 * day);
    await store.prune({ outboxTtlMs: day });
    equal(
      (await store.outbox.read({ after: 0 })).events.map(({ index }) => index),
      [2, 3],
      "what is behind a younger event",
    );
  },
});
