import { expect, it } from "vitest";
import { defineCapability } from "../src/catalog/define-capability.ts";
import type { AnyCapability } from "../src/catalog/types.ts";
import type { RouterEvent } from "../src/events/types.ts";
import { createRouter } from "../src/router/create-router.ts";
import type { Router, RouterOptions } from "../src/router/types.ts";
import { MemoryStore } from "../src/store/memory-store.ts";
import { boss, ledger, openSession } from "./router-rig.ts";

// Events of the TRP v0.1 draft (14.2) for other processes: in the store, with the step that they tell of.

interface Stage {
  router: Router;
  /** What listeners of this process heard, but for what only they hear. */
  heard: RouterEvent[];
  told(): Promise<RouterEvent[]>;
}

function stage(more: RouterOptions = {}): Stage {
  const router = createRouter({ allowVolatile: true, outbox: true, ...more });
  const heard: RouterEvent[] = [];
  router.subscribe((event) => {
    if (!["catalog.synced", "frame.answered", "store.failed"].includes(event.type)) heard.push(event);
  });
  const told = async (): Promise<RouterEvent[]> =>
    (await router.outbox.read({ after: 0, limit: 1_000 })).events.map(({ event }) => event);
  return { router, heard, told };
}

const operationIn = (event: RouterEvent | undefined): unknown =>
  event !== undefined && "operation" in event ? event.operation : undefined;
const typesOf = (events: RouterEvent[]): string[] => events.map(({ type }) => type);
/** Without what two clocks say. */
const untimed = (events: RouterEvent[]): unknown[] =>
  events.map(({ at: _, ...event }) => ({ ...event, ms: 0, executorMs: 0 }));

function fails(effect: "opaque" | "idempotent", execute: () => unknown): AnyCapability {
  const common = { name: "try", description: "Tries.", riskTier: "MEDIUM", ioClass: "WRITE" } as const;
  return defineCapability({ capId: "cap.test.try.v1", ...common, effect, args: {}, execute });
}

it("tells other processes what listeners hear, in the same order", async () => {
  const { router, heard, told } = stage({ capabilities: ledger().capabilities });
  const session = await openSession(router);
  await session.call({ cap_id: "cap.test.read.v1", args: { text: "a" } });
  await session.call({ cap_id: "cap.test.write.v1", args: { text: "b" }, idempotency_key: "k1" });
  await session.call({ cap_id: "cap.test.write.v1", args: { text: "b" }, idempotency_key: "k1" });
  await session.call({ cap_id: "cap.test.write.v1", args: { text: "c" } });
  const events = await told();
  expect(untimed(events)).toEqual(untimed(heard));
  expect(typesOf(events)).toEqual([
    ...["call.accepted", "call.executed", "call.succeeded"],
    ...["call.accepted", "call.executed", "call.succeeded"],
    ...["call.accepted", "call.succeeded"],
    ...["call.accepted", "call.failed"],
  ]);
  const [read, write, again] = events.filter(({ type }) => type === "call.succeeded");
  expect(read).not.toHaveProperty("operation");
  expect(write).toMatchObject({ replayed: false, operation: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) });
  expect(again).toMatchObject({ replayed: true, operation: operationIn(write) });
});

it("holds no arguments, results, keys or messages of capabilities", async () => {
  const secrets = ["secret-argument", "secret-result", "secret-key", "secret-failure", "secret-comment"];
  const speaks = (text: string): AnyCapability =>
    defineCapability({
      ...{ capId: `cap.test.${text}.v1`, name: text, description: "Speaks.", riskTier: "HIGH", ioClass: "WRITE" },
      ...{ effect: "opaque", args: { text: "string" } },
      execute: (): unknown => {
        if (text === "fail") throw new Error("secret-failure");
        return "secret-result";
      },
    } as AnyCapability);
  const { router, told } = stage({ capabilities: [speaks("say"), speaks("fail")] });
  const session = await openSession(router);
  for (const text of ["say", "fail"]) {
    const item = { cap_id: `cap.test.${text}.v1`, args: { text: "secret-argument" }, idempotency_key: "secret-key" };
    await session.call(item);
    const [approval] = await router.approvals.list(boss, { status: "pending" });
    await router.approvals.approve(boss, approval?.id ?? "", "secret-comment");
    await session.call(item);
  }
  const events = await told();
  expect(typesOf(events)).toEqual([
    ...["approval.requested", "call.accepted", "call.failed"],
    ...["approval.decided", "call.accepted", "call.executed", "call.succeeded"],
    ...["approval.requested", "call.accepted", "call.failed"],
    ...["approval.decided", "call.accepted", "call.executed", "call.in_doubt"],
  ]);
  const text = JSON.stringify(events);
  for (const secret of secrets) expect(text).not.toContain(secret);
  // One operation, from the request to its end.
  const ids = new Set(events.slice(0, 7).map(operationIn));
  expect(ids.size).toBe(1);
});

it("tells what a person settled, as the operation that was in doubt", async () => {
  const broken = fails("opaque", () => {
    throw new Error("who knows");
  });
  const { router, told } = stage({ capabilities: [broken] });
  const session = await openSession(router);
  await session.call({ cap_id: "cap.test.try.v1", idempotency_key: "k" });
  const [record] = await router.operations.inDoubt(boss);
  if (record === undefined) throw new Error("nothing is in doubt");
  await router.operations.resolve(boss, record, { state: "done", value: 1 });
  const events = await told();
  const [doubt, resolved] = [events.at(-2), events.at(-1)];
  expect(doubt).toMatchObject({ type: "call.in_doubt" });
  expect(resolved).toMatchObject({ type: "operation.resolved", state: "done", by: "boss" });
  expect(operationIn(doubt)).toBe(operationIn(resolved));
  expect(operationIn(doubt)).toBeDefined();
});

it("says that an operation goes on, and that its attempt came to nothing before", async () => {
  let works = false;
  const flaky = fails("idempotent", () => {
    if (!works) throw new Error("not yet");
    return 1;
  });
  const { router, heard, told } = stage({ capabilities: [flaky] });
  const session = await openSession(router);
  const item = { cap_id: "cap.test.try.v1", idempotency_key: "k", call_id: "same" };
  await session.call(item);
  works = true;
  await session.call(item);
  expect(typesOf(await told())).toEqual([
    ...["call.accepted", "call.executed", "call.failed"],
    ...["call.accepted", "call.resumed", "call.executed", "call.succeeded"],
  ]);
  expect(untimed(heard)).toEqual(untimed(await told()));
  expect((await told()).find(({ type }) => type === "call.resumed")).toMatchObject({ attempt: 2 });
});

it("tells of a doubt when it comes about, also when somebody only asks", async () => {
  let now = 1_800_000_000_000;
  const store = new MemoryStore({ now: () => now });
  const times = { recoverEveryMs: 0, pruneEveryMs: 0 };
  const hangs = fails("opaque", () => new Promise(() => {}));
  const [one, two] = [stage({ capabilities: [hangs], store, times }), stage({ capabilities: [hangs], store, times })];
  const session = await openSession(one.router);
  void session.call({ cap_id: "cap.test.try.v1", idempotency_key: "k", call_id: "hung", timeout_ms: 60_000 });
  await expect.poll(async () => typesOf(await one.told())).toEqual(["call.accepted"]);
  now += 10_001;
  const there = await openSession(two.router, { resume: session.id, sync: false });
  there.seq = session.seq;
  expect(await there.query("hung")).toMatchObject({ status: "UNKNOWN" });
  const [accepted, doubt, ...more] = await two.told();
  expect(doubt).toMatchObject({ type: "call.in_doubt", callId: "hung", operation: operationIn(accepted) });
  expect(more).toEqual([]);
});

it("tells nothing of a step that the store did not take, and all of it with the one that it takes", async () => {
  const store = new MemoryStore();
  const { operations } = store;
  let isDown = false;
  const start = operations.start.bind(operations);
  operations.start = async (...given) => {
    if (isDown) throw new Error("down");
    return start(...given);
  };
  const { router, told } = stage({ capabilities: ledger().capabilities, store });
  const session = await openSession(router);
  isDown = true;
  const item = { cap_id: "cap.test.write.v1", args: { text: "a" }, idempotency_key: "k" };
  await session.call(item);
  isDown = false;
  expect(typesOf(await told())).toEqual(["call.accepted", "call.failed"]);
  await session.call(item);
  expect(typesOf(await told()).slice(2)).toEqual(["call.accepted", "call.executed", "call.succeeded"]);
});

it("writes nothing unless it was asked to", async () => {
  const { router, heard, told } = stage({ capabilities: ledger().capabilities, outbox: false });
  const session = await openSession(router);
  await session.call({ cap_id: "cap.test.write.v1", args: { text: "a" }, idempotency_key: "k" });
  expect(heard).toHaveLength(3);
  expect(await told()).toEqual([]);
  expect(() => createRouter({ outbox: "yes" as never })).toThrow("outbox must be true or false");
});
