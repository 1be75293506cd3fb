import { describe, expect, it } from "vitest";
import { CapabilityError } from "../src/catalog/capability-error.ts";
import type { AnyCapability } from "../src/catalog/types.ts";
import { createRouter } from "../src/router/create-router.ts";
import type { Router, RouterOptions } from "../src/router/types.ts";
import { MemoryStore } from "../src/store/memory-store.ts";
import { ada, boss, callItem, ledger, nackOf, openSession, resultOf } from "./router-rig.ts";

const read = (text: string, call_id: string) => ({ cap_id: "cap.test.read.v1", args: { text }, call_id });
const write = (text: string, call_id: string, key = call_id) => ({
  cap_id: "cap.test.write.v1",
  args: { text },
  call_id,
  idempotency_key: key,
});

function broken(change: Partial<AnyCapability> = {}): AnyCapability {
  return {
    capId: "cap.test.broken.v1",
    name: "broken",
    description: "Fails.",
    riskTier: "MEDIUM",
    ioClass: "WRITE",
    effect: "opaque",
    args: { text: "string" },
    execute: () => {
      throw new CapabilityError("no such thing", { outcome: "failed" });
    },
    ...change,
  };
}

async function rig(options: RouterOptions = {}, features: string[] = []) {
  const book = ledger();
  const router = createRouter({
    allowVolatile: true,
    ...options,
    capabilities: [...book.capabilities, ...(options.capabilities ?? [])],
  });
  return { ...book, router, session: await openSession(router, { features }) };
}

describe("RESULT_QUERY", () => {
  it("tells a success with its RESULT", async () => {
    const { session } = await rig();
    for (const item of [read("a", "c1"), write("b", "c2")]) {
      const result = resultOf(await session.call(item));
      expect(await session.query(item.call_id)).toEqual({
        call_id: item.call_id,
        status: "SUCCESS",
        result,
        error: null,
        last_event_id: 0,
      });
    }
  });

  it("tells a refusal with its NACK", async () => {
    const { session } = await rig();
    nackOf(await session.call({ ...read("a", "c"), args: {} }));
    expect(await session.query("c")).toMatchObject({
      status: "FAILED",
      result: null,
      error: { error_code: "TRP_2001", nack_of_call_id: "c", dispatched: false },
    });
  });

  it("tells a failure after dispatch, as a NACK or with RESULT_FAILED as a RESULT", async () => {
    const plain = await rig({ capabilities: [broken()] });
    nackOf(await plain.session.call({ ...write("a", "c"), cap_id: "cap.test.broken.v1" }));
    expect(await plain.session.query("c")).toMatchObject({
      status: "FAILED",
      result: null,
      error: { error_code: "TRP_3002", dispatched: true },
    });
    const modern = await rig({ capabilities: [broken()] }, ["RESULT_FAILED"]);
    const result = resultOf(await modern.session.call({ ...write("a", "c"), cap_id: "cap.test.broken.v1" }));
    expect(result).toMatchObject({ status: "FAILED", result: null, error: { error_code: "TRP_3002" } });
    expect(await modern.session.query("c")).toMatchObject({ status: "FAILED", result, error: null });
  });

  it("knows nothing of calls that never came, were not admitted, or are another session's", async () => {
    const { router, session } = await rig();
    const other = await openSession(router);
    resultOf(await other.call(read("a", "theirs")));
    nackOf(await session.call(read("a", "early"), { seq: 99 }));
    for (const id of ["nothing", "early", "theirs", "__proto__"]) {
      expect(await session.query(id)).toEqual({
        call_id: id,
        status: "NOT_FOUND",
        result: null,
        error: null,
        last_event_id: 0,
      });
    }
  });

  it("says IN_PROGRESS while it runs, however long that takes", async () => {
    let now = 1_000_000;
    const { session, open } = await rig({ store: new MemoryStore({ now: () => now }) });
    const running = session.call({ cap_id: "cap.test.wait.v1", args: { text: "a" }, call_id: "c" });
    expect((await session.query("c")).status).toBe("IN_PROGRESS");
    now += 60_000;
    expect((await session.query("c")).status).toBe("IN_PROGRESS");
    open();
    resultOf(await running);
    expect((await session.query("c")).status).toBe("SUCCESS");
  });

  it("says NOT_FOUND for one that was lost with its router, once its time is over", async () => {
    let now = 1_000_000;
    const store = new MemoryStore({ now: () => now });
    const { session, capabilities } = await rig({ store });
    // Never answered: as if its router had died.
    void session.call({ cap_id: "cap.test.wait.v1", args: { text: "a" }, call_id: "c", timeout_ms: 3_000 });
    await new Promise((resolve) => setTimeout(resolve, 5));
    const second = createRouter({ store, capabilities: capabilities.slice(0, 5), allowVolatile: true });
    const after = await openSession(second, { resume: session.id });
    expect((await after.query("c")).status).toBe("IN_PROGRESS");
    now += 3_001;
    expect((await after.query("c")).status).toBe("NOT_FOUND");
  });

  it("says UNKNOWN for an opaque effect whose router died, and what somebody found out later", async () => {
    let now = 1_000_000;
    const store = new MemoryStore({ now: () => now });
    const hang = broken({ execute: () => new Promise(() => {}) });
    const { session, capabilities } = await rig({
      store,
      capabilities: [hang],
      times: { leaseMs: 1_000, recoverEveryMs: 0 },
    });
    const item = { ...write("a", "c"), cap_id: "cap.test.broken.v1", timeout_ms: 600_000 };
    void session.call(item);
    await new Promise((resolve) => setTimeout(resolve, 5));
    const second = createRouter({ store, capabilities: [...capabilities, hang], allowVolatile: true });
    const after = await openSession(second, { resume: session.id });
    expect((await after.query("c")).status).toBe("IN_PROGRESS");
    now += 1_001;
    expect(await after.query("c")).toMatchObject({
      status: "UNKNOWN",
      result: {
        call_id: "c",
        cap_id: "cap.test.broken.v1",
        idx: 4,
        status: "UNKNOWN",
        error: { error_code: "TRP_3004" },
      },
    });
    expect(resultOf(await after.call(item)).status).toBe("UNKNOWN");
    const [found] = await second.operations.inDoubt(boss);
    if (found === undefined) throw new Error("nothing in doubt");
    await second.operations.resolve(boss, found, { state: "done", value: { id: 7 } });
    expect(await after.query("c")).toMatchObject({ status: "SUCCESS", result: { result: { data: { id: 7 } } } });
    expect(resultOf(await after.call(item))).toMatchObject({ status: "SUCCESS", result: { data: { id: 7 } } });
  });

  it("has nothing to do with what the same key did for another call", async () => {
    const { session } = await rig();
    resultOf(await session.call(write("a", "c1", "k")));
    nackOf(await session.call(write("other", "c2", "k")));
    expect(await session.query("c2")).toMatchObject({ status: "FAILED", error: { error_code: "TRP_4004" } });
  });

  it("asks for partial results in vain: there are none", async () => {
    const { session } = await rig();
    resultOf(await session.call(read("a", "c")));
    const reply = await session.send("RESULT_QUERY_REQ", { call_id: "c", after_event_id: 0, include_partials: true });
    expect(reply).toMatchObject({ frame_type: "RESULT_QUERY_RES", payload: { status: "SUCCESS", last_event_id: 0 } });
  });
});

describe("a frame that comes again after its router died", () => {
  async function crashed(item: Parameters<typeof callItem>[0], execute?: AnyCapability["execute"]) {
    let now = 1_000_000;
    const store = new MemoryStore({ now: () => now });
    const base = ledger();
    const session = await openSession(createRouter({ store, capabilities: base.capabilities, allowVolatile: true }));
    const frame = session.frame("CALL_REQ", callItem(item, 0));
    // Admitted, and never answered.
    const dead: Router = createRouter({
      store,
      allowVolatile: true,
      times: { leaseMs: 1_000, recoverEveryMs: 0 },
      capabilities: base.capabilities.map((capability) =>
        capability.capId === item.cap_id
          ? { ...capability, execute: execute ?? (() => new Promise(() => {})) }
          : capability,
      ),
    });
    void dead.handle(frame, { principal: ada });
    await new Promise((resolve) => setTimeout(resolve, 5));
    const book = ledger();
    const router = createRouter({ store, capabilities: book.capabilities, allowVolatile: true });
    return { frame, router, effects: book.effects, later: (ms: number) => (now += ms) };
  }

  it("is in progress until its time is over, then runs: it may always run again without a key", async () => {
    const { frame, router, effects, later } = await crashed({ ...read("a", "c"), timeout_ms: 3_000 });
    expect(await router.handle(frame, { principal: ada })).toMatchObject({ payload: { status: "IN_PROGRESS" } });
    later(3_001);
    const reply = await router.handle(frame, { principal: ada });
    expect(resultOf(reply)).toMatchObject({ call_id: "c", status: "SUCCESS" });
    expect(await router.handle(frame, { principal: ada })).toEqual(reply);
    expect(effects).toEqual(["a"]);
  });

  it("is in doubt with an opaque effect, and never runs again by itself", async () => {
    const { frame, router, effects, later } = await crashed({ ...write("a", "c"), idx: 1, timeout_ms: 3_000 });
    expect(await router.handle(frame, { principal: ada })).toMatchObject({ payload: { status: "IN_PROGRESS" } });
    later(600_000);
    expect(resultOf(await router.handle(frame, { principal: ada })).status).toBe("UNKNOWN");
    expect(effects).toEqual([]);
  });

  it("is refused when its call id was another call's, as it would have been the first time", async () => {
    const store = new MemoryStore();
    const book = ledger();
    const router = createRouter({ store, capabilities: book.capabilities });
    const session = await openSession(router);
    resultOf(await session.call(read("a", "c")));
    const frame = session.frame("CALL_REQ", callItem(read("b", "c")));
    const answer = store.sessions.answer.bind(store.sessions);
    // Its router dies between admission and answer.
    store.sessions.answer = () => Promise.reject(new Error("gone"));
    nackOf(await router.handle(frame, { principal: ada }));
    store.sessions.answer = answer;
    expect(nackOf(await router.handle(frame, { principal: ada })).error_code).toBe("TRP_1007");
    expect(book.effects).toEqual(["a"]);
  });
});
