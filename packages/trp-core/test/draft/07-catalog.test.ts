import { afterEach, describe, expect, it } from "vitest";
import { agent, mailId, noteId, opener, queryId, type Reply, searchId } from "./harness.ts";

const { open, closeAll } = opener();
afterEach(closeAll);

const extra = (capId: string) => ({
  capId,
  name: capId.split(".")[2] ?? capId,
  description: "More",
  riskTier: "LOW" as const,
  ioClass: "READ" as const,
  effect: "pure" as const,
  args: {},
  execute: () => 1,
});
const row = (reply: Reply, capId: string) =>
  reply.payload.alias_table.find(({ cap_id }: { cap_id: string }) => cap_id === capId);
const mismatch = {
  frame_type: "NACK",
  payload: {
    error_class: "CATALOG_MISMATCH",
    error_code: "TRP_1003",
    retryable: true,
    dispatched: false,
    retry_hint: { action: "SYNC_CATALOG" },
  },
};

describe("draft 7.1: rules", () => {
  it("7.1 cap_id is the identity: it stays, while idx is of a session", async () => {
    const first = await open();
    const before = row(await first.sync(), mailId);
    first.router.registry.unregister(searchId);
    const second = await first.open(agent);
    const after = row(await second.sync(), mailId);
    expect(before.idx).toBe(1);
    expect(after.idx).toBe(0);
    expect({ ...after, idx: 1 }).toEqual(before);
    // Each session calls it by its own number.
    expect((await first.call(mailId, {}, { idx: 1 })).payload.error_code).not.toBe("TRP_1003");
    expect((await second.call(mailId, {}, { idx: 0 })).payload.error_code).not.toBe("TRP_1003");
  });

  it("7.1 a call carries idx and cap_id, and (catalog_epoch, idx) -> cap_id is checked", async () => {
    const { call, sync, done } = await open();
    await sync();
    expect(await call(noteId, { text: "a" }, { idx: 3, idempotency_key: "k" })).toMatchObject(mismatch);
    expect(await call(queryId, { sql: "x" }, { idx: 2, idempotency_key: "k" })).toMatchObject(mismatch);
    expect(done).toEqual([]);
  });

  it("7.1 a change of the catalog changes the epoch", async () => {
    const { router, sync } = await open();
    const before = (await sync()).payload.catalog_epoch;
    expect((await sync()).payload.catalog_epoch).toBe(before);
    router.registry.register(extra("cap.test.more.v1"));
    expect((await sync()).payload.catalog_epoch).toBeGreaterThan(before);
  });

  it("7.1 idx is append-only in a session and never used again (draft, 18.4)", async () => {
    const { router, sync } = await open();
    await sync();
    router.registry.unregister(noteId);
    router.registry.register(extra("cap.test.one.v1"));
    const one = await sync();
    expect(row(one, noteId)).toBeUndefined();
    const idx = row(one, "cap.test.one.v1").idx;
    expect(idx).toBeGreaterThan(4);
    router.registry.unregister("cap.test.one.v1");
    router.registry.register(extra("cap.test.two.v1"));
    const two = await sync();
    expect(row(two, "cap.test.two.v1").idx).toBeGreaterThan(idx);
    for (const capId of [searchId, mailId, queryId]) expect(row(two, capId).idx).toBe(row(one, capId).idx);
  });
});

describe("draft 7.2: mismatches", () => {
  it("7.2 catalog_epoch out of date: a mismatch when strictEpoch asks for it", async () => {
    const { router, call, sync, done } = await open({ strictEpoch: true });
    await sync();
    router.registry.register(extra("cap.test.more.v1"));
    expect(await call(searchId, { query: "a" })).toMatchObject(mismatch);
    await sync();
    expect((await call(searchId, { query: "a" })).frame_type).toBe("RESULT");
    expect(done).toHaveLength(1);
  });

  it("7.2 catalog_epoch out of date: fine by default, while idx, cap_id and digest still hold", async () => {
    const { router, call, sync } = await open();
    await sync();
    router.registry.register(extra("cap.test.more.v1"));
    expect((await call(searchId, { query: "a" })).frame_type).toBe("RESULT");
  });

  it("7.2 idx does not exist", async () => {
    const { call } = await open();
    expect(await call(searchId, { query: "a" }, { idx: 1234567 })).toMatchObject(mismatch);
  });

  it("7.2 the cap_id of idx is another", async () => {
    const { call } = await open();
    expect(await call(searchId, { query: "a" }, { idx: 1 })).toMatchObject(mismatch);
    expect(await call("cap.unknown.v1", { query: "a" }, { idx: 0 })).toMatchObject(mismatch);
  });

  it("7.2 the capability is gone, or has another schema by now", async () => {
    const { router, call, sync, done } = await open();
    await sync();
    router.registry.unregister(searchId);
    expect(await call(searchId, { query: "a" })).toMatchObject(mismatch);
    router.registry.register({ ...extra(searchId), args: { query: "string", "loud?": "boolean" } });
    expect(await call(searchId, { query: "a" })).toMatchObject(mismatch);
    const { idx } = row(await sync(), searchId);
    expect((await call(searchId, { query: "a", loud: true }, { idx })).frame_type).toBe("RESULT");
    expect(done).toEqual([]);
  });

  it("7.2 what a principal may not see looks as what is not there", async () => {
    const hidden = { ...extra("cap.test.admin.v1"), roles: ["admin"] };
    const { call, sync, open: another } = await open({ more: [hidden] });
    expect(row(await sync(), hidden.capId)).toBeUndefined();
    const forbidden = await call(hidden.capId, {}, { idx: 5 });
    const unknown = await call("cap.test.nothing.v1", {}, { idx: 5 });
    expect(forbidden).toMatchObject(mismatch);
    const facts = ({ payload }: Reply) => [payload.error_code, payload.fix, payload.retry_hint.action];
    expect(facts(forbidden)).toEqual(facts(unknown));
    const admin = await another({ ...agent, id: "root", roles: ["admin"] });
    const { idx } = row(await admin.sync(), hidden.capId);
    expect((await admin.call(hidden.capId, {}, { idx })).frame_type).toBe("RESULT");
  });
});
