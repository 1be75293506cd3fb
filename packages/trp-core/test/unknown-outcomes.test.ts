import { describe, expect, it } from "vitest";
import type { AnyCapability, Effect } from "../src/catalog/types.ts";
import { principal } from "../src/identity/principal.ts";
import { createRouter } from "../src/router/create-router.ts";
import type { Router, RouterOptions } from "../src/router/types.ts";
import { MemoryStore } from "../src/store/memory-store.ts";
import { add, note, World } from "./calls-capabilities.ts";
import { bob, rig } from "./calls-rig.ts";
import { boss, openSession, resultOf } from "./router-rig.ts";

// While nobody knows what came of a call, an equal one starts nothing and gets that outcome: whichever key, session or
// router it comes by.

/** A write that begins and never ends, until it is told to. */
function hanging(more: Partial<AnyCapability> = {}) {
  const begun: string[] = [];
  let ends = false;
  const letGo = (): void => {
    ends = true;
  };
  const capability = note(new World(), {
    more: {
      execute: ({ text }: { text: string }) => {
        begun.push(text);
        return ends ? "done" : new Promise(() => {});
      },
      ...more,
    },
  });
  return { begun, capability, letGo };
}

const call = (text: string, key: string) => ({ ...add(text), idempotency_key: key, timeout_ms: 30 });

describe("an equal call, while the first is in doubt", () => {
  it("gets its outcome under another key, in another session, from another router, alone and in a batch", async () => {
    const { begun, capability } = hanging();
    const options: RouterOptions = { capabilities: [capability], store: new MemoryStore(), allowVolatile: true };
    const [one, two] = [createRouter(options), createRouter(options)];
    const first = await openSession(one);
    expect(resultOf(await first.call({ ...call("a", "key-1"), call_id: "first" }))).toMatchObject({
      status: "UNKNOWN",
    });
    for (const session of [first, await openSession(one), await openSession(two)]) {
      const again = resultOf(await session.call(call("a", `key-${session.id}`)));
      expect(again).toMatchObject({
        status: "UNKNOWN",
        replayed_from: "first",
        error: { error_code: "TRP_3004", retryable: false, retry_hint: { idempotency_key: "key-1" } },
      });
    }
    const [row] = await first.sync();
    const reply = await first.send("CALL_BATCH_REQ", {
      batch_id: "b",
      mode: "PARALLEL",
      max_concurrency: 2,
      calls: [
        { call_id: "x", idx: row?.idx, ...call("a", "key-3") },
        { call_id: "y", idx: row?.idx, ...call("a", "key-4") },
      ],
    });
    expect(reply.payload).toMatchObject({ results: [{ status: "UNKNOWN" }, { status: "UNKNOWN" }] });
    expect(begun).toEqual(["a"]);
  });

  it("is another's business: other arguments, other principals, other families", async () => {
    const { begun, capability } = hanging();
    const other = note(new World(), { more: { capId: "cap.memo.add.v1", name: "memo" } });
    const { run } = rig({ capabilities: [capability, other] });
    expect((await run(call("a", "key-1"))).kind).toBe("unknown");
    await run(call("b", "key-2"));
    await run(call("a", "key-3"), { who: principal({ id: "carol" }) });
    await run(call("a", "key-4"), { who: principal({ id: "alice", tenant: "elsewhere" }) });
    expect(begun).toEqual(["a", "b", "a", "a"]);
    expect((await run({ ...call("a", "key-5"), cap_id: "cap.memo.add.v1" })).kind).toBe("success");
  });

  it("is the same in another version, with the same arguments after defaults", async () => {
    const { begun, capability } = hanging({ args: { text: "string", "to?": "string = all" } });
    const next = note(new World(), { more: { ...capability, capId: "cap.note.add.v2", name: "add_note_2" } });
    const { run } = rig({ capabilities: [capability, next] });
    await run(call("a", "key-1"));
    expect((await run({ ...call("a", "key-2"), args: { text: "a", to: "all" } })).kind).toBe("unknown");
    expect((await run({ ...call("a", "key-3"), cap_id: "cap.note.add.v2" })).kind).toBe("unknown");
    expect(begun).toEqual(["a"]);
  });

  it("asks nobody for an approval", async () => {
    const { begun, capability } = hanging({ riskTier: "HIGH" });
    const router = createRouter({ capabilities: [capability], allowVolatile: true });
    const session = await openSession(router);
    await session.call(call("a", "key-1"));
    const [approval] = await router.approvals.list(boss);
    await router.approvals.approve(boss, approval?.id ?? "");
    expect(resultOf(await session.call(call("a", "key-1"))).status).toBe("UNKNOWN");
    expect(resultOf(await session.call(call("a", "key-2"))).status).toBe("UNKNOWN");
    expect(await router.approvals.list(boss)).toHaveLength(1);
    expect(begun).toEqual(["a"]);
  });

  it.each([
    ["done", { state: "done", value: 7 }, "success"],
    ["failed", { state: "failed", message: "no" }, "failed"],
  ] as const)("goes its own way once an operator has settled the first as %s", async (_name, result, kind) => {
    const { begun, capability, letGo } = hanging();
    const { run, operations, store } = rig({ capabilities: [capability] });
    await run(call("a", "key-1"));
    await run(call("a", "key-2"));
    const [record] = await store.operations.list({ states: ["in-doubt"] });
    if (record === undefined) throw new Error("nothing is in doubt");
    await operations.resolve(bob, record, result);
    expect((await run(call("a", "key-1"))).kind).toBe(kind);
    letGo();
    expect((await run(call("a", "key-3"))).kind).toBe("success");
    expect(begun).toHaveLength(2);
  });

  it.each(["router", "capability"])("runs where the %s says that repeats are free", async (who) => {
    const { begun, capability } = hanging(who === "capability" ? { repeats: "free" } : {});
    const overrides = who === "router" ? { repeats: "free" as const } : {};
    const { run } = rig({ capabilities: [capability], overrides });
    await run(call("a", "key-1"));
    await run(call("a", "key-2"));
    expect(begun).toEqual(["a", "a"]);
    const guarded = rig({ capabilities: [hanging({ repeats: "guarded" }).capability], overrides: { repeats: "free" } });
    await guarded.run(call("a", "key-1"));
    expect((await guarded.run(call("a", "key-2"))).kind).toBe("unknown");
  });

  it("is refused by the option's own check when it is misspelt", () => {
    expect(() => createRouter({ repeats: "never" as never })).toThrow(/repeats must be "guarded" or "free"/);
  });
});

describe("an equal call, after a router died in the middle of the first", () => {
  /** The first call is begun by a router that never comes back. */
  async function orphan(effect: Effect, dies: "before" | "after") {
    const store = new MemoryStore({ now: () => clock.now });
    const clock = { now: 1_800_000_000_000 };
    const world = new World();
    const stop = (): Promise<never> => new Promise(() => {});
    const dying = rig({
      store,
      capabilities: [note(world, { effect, ...(dies === "before" ? { before: stop } : { after: stop }) })],
      overrides: { times: { leaseMs: 1_000, keyTtlMs: 86_400_000, keyMemoryMs: 0 } },
    });
    void dying.run({ ...add("a"), idempotency_key: "key-1", timeout_ms: 600_000 });
    await new Promise((resolve) => setTimeout(resolve, 20));
    clock.now += 10_001;
    return { world, heir: rig({ store, capabilities: [note(world, { effect })] }) };
  }

  it.each(["before", "after"] as const)("starts nothing opaque, whether it died %s the effect", async (dies) => {
    const { world, heir } = await orphan("opaque", dies);
    expect((await heir.run({ ...add("a"), idempotency_key: "key-2" })).kind).toBe("unknown");
    expect(world.executions).toBe(1);
  });

  it.each(["before", "after"] as const)("is that operation where it may go on, %s the effect", async (dies) => {
    for (const effect of ["keyed", "idempotent", "probe"] as const) {
      const { world, heir } = await orphan(effect, dies);
      expect((await heir.run({ ...add("a"), idempotency_key: "key-2" })).kind, effect).toBe("success");
      expect(world.ledger, effect).toHaveLength(1);
      expect((await heir.run({ ...add("a"), idempotency_key: "key-1" })).kind, effect).toBe("success");
      expect(world.ledger, effect).toHaveLength(1);
    }
  });
});

it("starts one of many equal calls at most once after the doubt, on two routers at once", async () => {
  const { begun, capability } = hanging();
  const store = new MemoryStore();
  const routers: Router[] = [1, 2].map(() => createRouter({ capabilities: [capability], store, allowVolatile: true }));
  const [one] = routers;
  if (one === undefined) throw new Error("there is no router");
  await (await openSession(one)).call(call("a", "key-0"));
  const calls = Array.from({ length: 20 }, async (_, index) => {
    const session = await openSession(routers[index % 2] as Router);
    return resultOf(await session.call(call("a", `key-${index + 1}`))).status;
  });
  expect(new Set(await Promise.all(calls))).toEqual(new Set(["UNKNOWN"]));
  expect(begun).toEqual(["a"]);
});
