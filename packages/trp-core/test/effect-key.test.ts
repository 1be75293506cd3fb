import { ToolError } from "@toolglot/core";
import { expect, it } from "vitest";
import { CapabilityError } from "../src/catalog/capability-error.ts";
import { defineCapability } from "../src/catalog/define-capability.ts";
import type { AnyCapability } from "../src/catalog/types.ts";
import { principal } from "../src/identity/principal.ts";
import { createRouter } from "../src/router/create-router.ts";
import type { RouterOptions } from "../src/router/types.ts";
import { MemoryStore } from "../src/store/memory-store.ts";
import { ada, boss, nackOf, newId, openSession, resultOf, type Session } from "./router-rig.ts";

// Effects that are named by arguments: the same effect is one operation, whoever asks for it how often.

const refundId = "cap.shop.refund.v1";
const bob = principal({ id: "bob" });

interface Shop {
  refunds: string[];
  open(who?: typeof ada): Promise<Session>;
  now: { ms: number };
  router: ReturnType<typeof createRouter>;
}

function shop(more: Partial<AnyCapability> = {}, options: RouterOptions = {}): Shop {
  const refunds: string[] = [];
  const now = { ms: 1_800_000_000_000 };
  const refund = defineCapability({
    capId: refundId,
    name: "refund",
    description: "Pays an order back.",
    riskTier: "MEDIUM",
    ioClass: "WRITE",
    effect: "opaque",
    args: { order: "string", "note?": 'string = ""' },
    effectKey: ({ order }: { order: string }) => order,
    execute: ({ order }: { order: string }) => refunds.push(order),
    ...more,
  } as AnyCapability);
  const store = options.store ?? new MemoryStore({ now: () => now.ms });
  const router = createRouter({ capabilities: [refund], store, allowVolatile: true, ...options });
  return { refunds, now, router, open: (who = ada) => openSession(router, { who }) };
}

const refund = (order = "17", more: object = {}) => ({ cap_id: refundId, args: { order }, ...more });

it("is one operation for calls of several sessions, with keys and without", async () => {
  const { refunds, open, router } = shop();
  const [one, two, three] = [await open(), await open(), await open()];
  const first = resultOf(await one.call(refund()));
  expect(first).toMatchObject({ status: "SUCCESS", result: { data: 1 } });
  expect(first).not.toHaveProperty("replayed_from");
  const others = [
    await two.call(refund()),
    await three.call(refund("17", { idempotency_key: "own-key" })),
    await three.call(refund("17", { idempotency_key: "own-key" })),
    await one.call(refund("17", { idempotency_key: "another" })),
  ];
  for (const reply of others) {
    expect(resultOf(reply)).toMatchObject({ status: "SUCCESS", result: { data: 1 }, replayed_from: first.call_id });
  }
  expect(resultOf(await two.call(refund("18")))).toMatchObject({ result: { data: 2 } });
  expect(refunds).toEqual(["17", "18"]);
  expect(await router.audit.verify()).toMatchObject({ ok: true });
});

it("does it once for calls that come at one time, with keys and without", async () => {
  let open = (): void => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  let runs = 0;
  const { open: openOne } = shop({ execute: () => gate.then(() => ++runs) });
  const sessions = await Promise.all(Array.from({ length: 6 }, () => openOne()));
  const replies = sessions.map((session, index) =>
    session.call(refund("17", index % 2 ? { idempotency_key: `k${index}` } : {})),
  );
  await new Promise((resolve) => setImmediate(resolve));
  open();
  for (const [index, reply] of (await Promise.all(replies)).entries()) {
    // Who has a key may be told to ask again; who has none waits for the outcome.
    if (reply.frame_type === "ACK") expect(index % 2).toBe(1);
    else expect(resultOf(reply)).toMatchObject({ status: "SUCCESS", result: { data: 1 } });
  }
  expect(runs).toBe(1);
});

it("refuses the same effect with other arguments, and a key that was used for another call", async () => {
  const { refunds, open } = shop();
  const session = await open();
  await session.call(refund("17", { idempotency_key: "k" }));
  const noted = { cap_id: refundId, args: { order: "17", note: "again" } };
  const conflict = nackOf(await session.call(noted));
  expect(conflict).toMatchObject({ error_code: "TRP_4004", message: expect.stringContaining("same effect") });
  expect(nackOf(await session.call(refund("18", { idempotency_key: "k" })))).toMatchObject({ error_code: "TRP_4004" });
  // A default that is written out is the same call.
  expect(resultOf(await session.call({ cap_id: refundId, args: { order: "17", note: "" } }))).toHaveProperty(
    "replayed_from",
  );
  expect(refunds).toEqual(["17"]);
});

it("leaves a key free whose call was refused before its start", async () => {
  const { open, refunds } = shop({
    rules: [{ name: "none", check: ({ order }) => (order === "bad" ? "no" : undefined) }],
  });
  const session = await open();
  expect(nackOf(await session.call(refund("bad", { idempotency_key: "k" })))).toMatchObject({ error_code: "TRP_2001" });
  expect(resultOf(await session.call(refund("17", { idempotency_key: "k" })))).toMatchObject({ status: "SUCCESS" });
  expect(refunds).toEqual(["17"]);
});

it("is each principal's own, or the tenant's when the capability says so", async () => {
  const own = shop();
  for (const who of [ada, bob]) await (await own.open(who)).call(refund());
  expect(own.refunds).toEqual(["17", "17"]);
  const shared = shop({ effectScope: "tenant" });
  const elsewhere = principal({ id: "ada", tenant: "other" });
  const ends: unknown[] = [];
  for (const who of [ada, bob, elsewhere])
    ends.push(resultOf(await (await shared.open(who)).call(refund())).result?.data);
  expect(ends).toEqual([1, 1, 2]);
  expect(await shared.router.audit.verify()).toMatchObject({ ok: true, operations: 2 });
});

it("shares a doubt, which a person ends for all", async () => {
  const { open, router } = shop({ effectScope: "tenant", execute: () => Promise.reject(new Error("cut off")) });
  const [one, two] = [await open(), await open(bob)];
  const unknown = { status: "UNKNOWN", error: { error_code: "TRP_3004" } };
  const doubted = refund("17", { call_id: "doubted" });
  expect(resultOf(await one.call(doubted))).toMatchObject(unknown);
  expect(resultOf(await two.call(refund("17", { idempotency_key: "k" })))).toMatchObject(unknown);
  const [record] = await router.operations.inDoubt(boss);
  if (record === undefined) throw new Error("nothing is in doubt");
  expect(record).toMatchObject({ key: "effect:17", data: { principal: { id: "ada" } } });
  await router.operations.resolve(boss, record, { state: "done", value: 5 });
  const done = { status: "SUCCESS", result: { data: 5 } };
  expect(resultOf(await one.call(doubted))).toMatchObject(done);
  expect(resultOf(await two.call(refund("17", { idempotency_key: "k" })))).toMatchObject(done);
  expect((await router.audit.read()).at(-3)?.entry).toMatchObject({ kind: "resolution", principal: "ada" });
});

it("may be asked for again after a definite failure, which has done nothing", async () => {
  let isOpen = false;
  const { open } = shop({
    execute: () => {
      if (!isOpen) throw new ToolError("The till is closed.");
      return "paid";
    },
  });
  const session = await open();
  const failed = { error_code: "TRP_3002", dispatched: true, message: "The till is closed." };
  expect(nackOf(await session.call(refund("17", { idempotency_key: "k" })))).toMatchObject(failed);
  isOpen = true;
  expect(resultOf(await session.call(refund("17", { idempotency_key: "k2" })))).toMatchObject({ status: "SUCCESS" });
});

it("keeps a failure that came after an attempt that may have done it", async () => {
  let attempts = 0;
  const { open } = shop({
    effect: "keyed",
    execute: () => {
      attempts += 1;
      if (attempts === 1) throw new Error("cut off");
      throw new CapabilityError("no", { outcome: "failed" });
    },
  });
  const session = await open();
  await session.call(refund());
  for (const _ of [1, 2]) expect(nackOf(await session.call(refund()))).toMatchObject({ message: "no" });
  expect(attempts).toBe(2);
  expect(nackOf(await session.call({ cap_id: refundId, args: { order: "17", note: "x" } }))).toMatchObject({
    error_code: "TRP_4004",
  });
});

it("is known as long as keys are, and refused when its outcome is forgotten", async () => {
  const { open, now, refunds } = shop();
  await (await open()).call(refund());
  now.ms += 24 * 60 * 60_000 + 1;
  expect(nackOf(await (await open()).call(refund()))).toMatchObject({
    error_code: "TRP_4005",
    message: expect.stringContaining("same effect"),
  });
  expect(refunds).toEqual(["17"]);
});

it.each<[string, () => unknown]>([
  ["throws", () => JSON.parse("{")],
  ["gives a number", () => 17],
  ["gives nothing", () => undefined],
  ["gives an empty text", () => ""],
  ["gives a promise", () => Promise.reject(new Error("late"))],
])("an effectKey that %s is a fault of the capability, and nothing is executed", async (_, effectKey) => {
  const { open, refunds } = shop({ effectKey: effectKey as () => string });
  const session = await open();
  expect(nackOf(await session.call(refund("17", { idempotency_key: "k" })))).toMatchObject({
    error_code: "TRP_5001",
    dispatched: false,
    message: `${refundId} could not name the effect of these arguments; nothing was executed.`,
  });
  expect(refunds).toEqual([]);
});

it("can't change the arguments, nor be changed by the order or the length of what names it", async () => {
  const long = "é".repeat(5_000);
  const { open, refunds } = shop({
    effectKey: (args) => {
      const { order } = args as { order: string };
      Object.assign(args, { order: "changed" });
      return order + long;
    },
  });
  const session = await open();
  await session.call(refund());
  await session.call(refund());
  await session.call(refund("18"));
  expect(refunds).toEqual(["17", "18"]);
});

it("says in its hints that no key is needed, and asks for approval without one", async () => {
  const { open, router, refunds } = shop({ riskTier: "HIGH" });
  const session = await open();
  const [row] = await session.sync();
  const query = await session.send("CAP_QUERY_REQ", { idx: row?.idx, cap_id: refundId });
  expect(query.payload).toMatchObject({ policy_hints: { idempotency_required: false, requires_approval: true } });
  expect(nackOf(await session.call(refund()))).toMatchObject({ error_code: "TRP_4002" });
  const [request] = await router.approvals.list(boss, { status: "pending" });
  await router.approvals.approve(boss, request?.id ?? "");
  // Another session, another key: the effect is what was approved.
  expect(resultOf(await (await open()).call(refund("17", { idempotency_key: "k" })))).toMatchObject({
    status: "SUCCESS",
  });
  expect(refunds).toEqual(["17"]);
});

it("runs ASYNC without a key, and is found again by each call that asked for it", async () => {
  let open = (): void => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const {
    open: openOne,
    refunds,
    router,
  } = shop({
    execute: async ({ order }, { progress }) => {
      progress("half");
      await gate;
      return refunds.push(order);
    },
  });
  const [one, two] = [await openOne(), await openOne()];
  const [a, b] = [newId("call"), newId("call")];
  const async = { execution_mode: "ASYNC" };
  expect((await one.call(refund("17", { call_id: a, ...async }))).payload).toMatchObject({ status: "ACCEPTED" });
  const joined = await two.call(refund("17", { call_id: b, ...async }));
  expect(joined.payload).toMatchObject({ status: "IN_PROGRESS" });
  expect(await two.query(b)).toMatchObject({ status: "IN_PROGRESS" });
  const ended = new Promise<void>((resolve) => {
    router.subscribe(({ type }) => type === "call.succeeded" && resolve());
  });
  open();
  await ended;
  const first = await one.query(a);
  expect(first).toMatchObject({ status: "SUCCESS", result: { call_id: a } });
  const second = await two.query(b);
  expect(second).toMatchObject({ status: "SUCCESS", result: { call_id: b, replayed_from: a, result: { data: 1 } } });
  const parts = await two.send("RESULT_QUERY_REQ", { call_id: b, after_event_id: 0 });
  expect(parts.payload).toMatchObject({ events: [{ message: "half" }], terminal: true });
  expect(refunds).toEqual(["17"]);
});

it("goes on where a router died, by whichever call comes next", async () => {
  const store = new MemoryStore({ now: () => clock });
  let clock = 1_800_000_000_000;
  let dies = true;
  const seen = new Set<string>();
  const more: Partial<AnyCapability> = {
    effect: "keyed",
    execute: (_, { operationKey = "" }) => {
      seen.add(operationKey);
      return dies ? new Promise<never>(() => {}) : seen.size;
    },
  };
  const [first, second] = [shop(more, { store }), shop(more, { store })];
  void (await first.open()).call(refund("17", { timeout_ms: 60_000 }));
  await new Promise((resolve) => setImmediate(resolve));
  clock += 10_001;
  dies = false;
  expect(resultOf(await (await second.open()).call(refund("17", { idempotency_key: "k" })))).toMatchObject({
    result: { data: 1 },
  });
});

it("follows a key that had an operation before effects were named, and an alias when they no longer are", async () => {
  const store = new MemoryStore();
  const before = shop({ effectKey: undefined } as never, { store });
  const first = resultOf(await (await before.open()).call(refund("17", { idempotency_key: "k" })));
  const named = shop({}, { store });
  const session = await named.open();
  expect(resultOf(await session.call(refund("17", { idempotency_key: "k" })))).toMatchObject({
    replayed_from: first.call_id,
  });
  await session.call(refund("18", { idempotency_key: "k18" }));
  expect(named.refunds).toEqual(["18"]);
  const after = shop({ effectKey: undefined } as never, { store });
  const again = await (await after.open()).call(refund("18", { idempotency_key: "k18" }));
  expect(resultOf(again)).toHaveProperty("replayed_from");
  expect(after.refunds).toEqual([]);
});

it("refuses a name for no effect, a scope of no name, and what is no function", () => {
  const plain = {
    capId: "cap.x.y.v1",
    name: "x",
    description: "X.",
    riskTier: "LOW",
    ioClass: "READ",
    args: {},
    execute: () => 1,
  } as const;
  const make = (more: object) => () =>
    createRouter({ capabilities: [{ ...plain, effect: "idempotent", ...more } as AnyCapability] });
  expect(make({ effect: "pure", effectKey: () => "x" })).toThrow(/effectKey names an effect/);
  expect(make({ effectKey: "x" })).toThrow(/effectKey must be a function/);
  expect(make({ effectScope: "tenant" })).toThrow(/there is none/);
  expect(make({ effectKey: () => "x", effectScope: "all" })).toThrow(/effectScope must be one of principal, tenant/);
  // With a name for its effect it may be anything.
  expect(make({ effect: "opaque", effectKey: () => "x" })).not.toThrow();
});

it("lets pure MEDIUM reads go without a key only where the host says so", async () => {
  const read: AnyCapability = {
    capId: "cap.x.read.v1",
    name: "r",
    description: "R.",
    riskTier: "MEDIUM",
    ioClass: "READ",
    effect: "pure",
    args: {},
    execute: () => 1,
  };
  const hinted = async (capability: AnyCapability, options: RouterOptions) => {
    const session = await openSession(createRouter({ capabilities: [capability], allowVolatile: true, ...options }));
    const [row] = await session.sync();
    const { payload } = await session.send("CAP_QUERY_REQ", { idx: row?.idx, cap_id: read.capId });
    const reply = await session.call({ cap_id: read.capId });
    const { policy_hints: hints } = payload as { policy_hints?: { idempotency_required: boolean } };
    return [reply.frame_type === "NACK" ? reply.payload.error_code : reply.frame_type, hints?.idempotency_required];
  };
  expect(await hinted(read, {})).toEqual(["TRP_4003", true]);
  expect(await hinted(read, { keylessReads: true })).toEqual(["RESULT", false]);
  expect(await hinted({ ...read, effect: "idempotent" }, { keylessReads: true })).toEqual(["TRP_4003", true]);
  expect(await hinted({ ...read, ioClass: "WRITE" }, { keylessReads: true })).toEqual(["TRP_4003", true]);
  expect(await hinted({ ...read, riskTier: "HIGH" }, { keylessReads: true })).toEqual(["TRP_4003", true]);
  expect(() => createRouter({ keylessReads: "yes" as never })).toThrow(/keylessReads must be true or false/);
});
