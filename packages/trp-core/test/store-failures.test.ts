import { ToolglotError } from "@toolglot/core";
import { sleep } from "@toolglot/internal";
import { drawn, share } from "@toolglot/internal/testing";
import { expect, it } from "vitest";
import {
  CapabilityError,
  createPolicy,
  createRouter,
  defineCapability,
  type Effect,
  MemoryStore,
  type Router,
  type RouterEvent,
} from "../src/index.ts";
import { ada, boss, callItem, helloFrame, openSession } from "./router-rig.ts";

// Whatever the store can't do, somebody is told: with each answer, and in the background, where nobody asked for anything.

type Method = (...given: unknown[]) => unknown;

/** What the parts of a `MemoryStore` ask each other; no part of the interface. */
const ownOfMemory = [
  ...["sessions.prepare", "sessions.isCancelled"],
  ...["outbox.prepare", "outbox.prune", "outbox.clear"],
];

/** All methods of a store, as `sessions.admit`. */
function methodsOf(store: MemoryStore): { name: string; part: Record<string, Method>; method: string }[] {
  const found: { name: string; part: Record<string, Method>; method: string }[] = [];
  const add = (part: object, prefix: string): void => {
    for (let type = part; type !== Object.prototype; type = Object.getPrototypeOf(type)) {
      for (const [method, { value }] of Object.entries(Object.getOwnPropertyDescriptors(type))) {
        if (method === "constructor" || method === "now" || ownOfMemory.includes(prefix + method)) continue;
        if (typeof value === "function") found.push({ name: prefix + method, part: part as never, method });
        else if (prefix === "" && typeof value === "object" && value !== null) add(value, `${method}.`);
      }
    }
  };
  add(store, "");
  return found;
}

function capability(name: string, effect: Effect, execute: (context: never) => unknown, more: object = {}) {
  const risk = { riskTier: "MEDIUM", ioClass: "WRITE" } as const;
  const base = { capId: `cap.x.${name}.v1`, name, description: "Does.", args: { text: "string" }, effect } as const;
  return defineCapability({ ...risk, ...base, execute: (_, context) => execute(context as never), ...more });
}

/** A router that does, once, everything that needs the store. What goes wrong on the way is not looked at. */
async function live(store: MemoryStore, clock: { ahead: number }, onError: (error: unknown, facts: object) => void) {
  const events: RouterEvent[] = [];
  const capabilities = [
    capability("read", "pure", () => "x".repeat(20_000), { riskTier: "LOW", ioClass: "READ" }),
    capability("write", "opaque", ({ progress }: { progress(text: string): void }) => {
      progress("half");
      return "written";
    }),
    capability("slow", "opaque", () => sleep(60)),
    capability("doubt", "opaque", () => {
      throw new Error("somewhere");
    }),
    capability("again", "idempotent", () => {
      throw new CapabilityError("no answer", { outcome: "unknown" });
    }),
    capability("mail", "opaque", () => "sent", { riskTier: "HIGH" }),
    capability("order", "opaque", () => "ordered", { effectKey: () => "the order" }),
  ];
  const rate = { limit: 1_000, windowMs: 1_000, shared: true };
  const policy = createPolicy({ version: "1", rules: [{ id: "rate", decision: "deny", rate }] });
  const make = (more: typeof capabilities, times: object): Router => {
    const router = createRouter({
      store,
      capabilities: more,
      policy,
      allowVolatile: true,
      maxResultTokens: 200,
      times,
      outbox: true,
      checkpoints: {},
      onError,
    });
    router.subscribe((event) => void events.push(event));
    return router;
  };
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const hung = make([capability("hang", "idempotent", () => held)], { recoverEveryMs: 0, pruneEveryMs: 0 });
  const router = make([...capabilities, capability("hang", "idempotent", () => "done")], {
    leaseMs: 60,
    recoverEveryMs: 20,
    pruneEveryMs: 20,
  });
  const go = async (...steps: (() => Promise<unknown>)[]): Promise<void> => {
    for (const step of steps) await step().catch(() => {});
  };
  await go(
    async () => {
      const session = await openSession(hung);
      void session.call({ cap_id: "cap.x.hang.v1", args: { text: "h" }, idempotency_key: "h" });
      await sleep(5);
      clock.ahead = 60_000;
    },
    () => router.recover(),
    () => router.ready(),
  );
  const session = await openSession(router, { features: ["CANCEL", "RESULT_FAILED"] }).catch(() => undefined);
  if (session !== undefined) {
    const call = (name: string, key: string) => () =>
      session.call({ cap_id: `cap.x.${name}.v1`, call_id: key, args: { text: key }, idempotency_key: key });
    const item = callItem({ cap_id: "cap.x.write.v1" });
    const first = session.frame("CATALOG_SYNC_REQ", { mode: "FULL", known_epoch: session.epoch });
    await go(
      () => router.handle(first, { principal: ada }),
      () => router.handle(first, { principal: ada }),
      async () => {
        const found = (await session.call({ cap_id: "cap.x.read.v1", args: { text: "r" } })) as never as {
          payload: { result: { artifacts: { artifact_id: string }[] } };
        };
        const { artifact_id } = found.payload.result.artifacts[0] as { artifact_id: string };
        await session.call({ cap_id: "cap.trp.artifact.read.v1", args: { artifact_id } });
      },
      call("write", "w"),
      () => session.send("RESULT_QUERY_REQ", { call_id: "w", after_event_id: 0, include_partials: true }),
      () =>
        router.handle(session.frame("CALL_REQ", item, { seq: 1 }), {
          principal: ada,
        }),
      () => Promise.all([call("slow", "s")(), sleep(20).then(() => session.send("CANCEL_REQ", { call_id: "s" }))]),
      call("doubt", "d"),
      async () => {
        const [open] = await router.operations.inDoubt(boss);
        if (open) await router.operations.resolve(boss, open, { state: "failed", message: "no" });
      },
      call("again", "a"),
      call("again", "a"),
      // Refused by itself: it has no key.
      () => session.send("CALL_BATCH_REQ", { batch_id: "b", mode: "PARALLEL", max_concurrency: 1, calls: [item] }),
      call("mail", "m"),
      call("order", "o"),
      async () => {
        const [request] = await router.approvals.list(boss);
        await router.approvals.read(boss, request?.id ?? "");
        await router.approvals.approve(boss, request?.id ?? "");
      },
      async () => router.registry.register(capability("new", "pure", () => 1)),
      () => session.sync(),
      // Of another router, and from a catalog that this one has not seen.
      () => hung.handle(session.frame("CALL_REQ", item, { catalog_epoch: 99 }), { principal: ada }),
      () => openSession(router, { resume: session.id }),
      () => router.handle(helloFrame({ resume_session_id: session.id }), { principal: ada }),
    );
  }
  await go(
    () => router.audit.read(),
    () => router.audit.checkpoint(),
    () => router.audit.verify(),
    () => router.outbox.read({ after: 0 }),
    () => router.outbox.acknowledge("reader", 1),
    () => router.outbox.consumers(),
    () => router.outbox.forget("reader"),
    () => sleep(50),
  );
  // What hangs would keep its lease beyond this test.
  release();
  await Promise.all([router.close({ graceMs: 0 }), hung.close({ graceMs: 1_000 })]);
  return events;
}

function newStore() {
  const clock = { ahead: 0 };
  return { clock, store: new MemoryStore({ now: () => Date.now() + clock.ahead }) };
}

const names = methodsOf(newStore().store).map(({ name }) => name);

/** What a router never asks for: a store is closed by whom it belongs to, and its logs and blobs are for others. */
const unused = names.filter((name) => name === "close" || /^(?:logs|blobs)\./.test(name));

it("uses every method of a store here, and nothing fails", async () => {
  const { store, clock } = newStore();
  const used = new Set<string>();
  const all = methodsOf(store);
  for (const { name, part, method } of all) {
    const real = part[method] as Method;
    part[method] = (...given) => {
      used.add(name);
      return real.apply(part, given);
    };
  }
  const faults: unknown[] = [];
  const events = await live(store, clock, (_, facts) => void faults.push((facts as { operation?: string }).operation));
  expect(all.map(({ name }) => name).filter((name) => !used.has(name))).toEqual(unused);
  expect(events.filter(({ type }) => type === "store.failed")).toEqual([]);
  expect(faults.filter((operation) => operation !== undefined)).toEqual([]);
});

const walked = share("methods", 6, names.length);

it(`tells onError and listeners of each, whoever asked for it (${walked.told})`, async () => {
  expect(names.length).toBeGreaterThan(30);
  const untold = await Promise.all(
    drawn(names, walked.count).map(async (name) => {
      const { store, clock } = newStore();
      const found = methodsOf(store).find((one) => one.name === name);
      if (found === undefined || unused.includes(name)) return [];
      const error = new ToolglotError("trp/store-failed", `the disk is full at ${name}`, { data: {} });
      found.part[found.method] = () => Promise.reject(error);
      const faults: unknown[] = [];
      const events = await live(store, clock, (thrown, facts) => void faults.push([thrown === error, facts]));
      const told = events.filter((event) => event.type === "store.failed");
      const isTold =
        told.length > 0 &&
        told.every((event) => event.operation === name && event.code === "trp/store-failed") &&
        faults.filter((fault) => JSON.stringify(fault) === JSON.stringify([true, { operation: name }])).length ===
          told.length;
      return isTold ? [] : [name];
    }),
  );
  expect(untold.flat()).toEqual([]);
});

it("tells of a driver that fails with a TypeError, and of no mistake of a caller", async () => {
  const store = new MemoryStore();
  const faults: unknown[] = [];
  const router = createRouter({ store, onError: (error, facts) => void faults.push([String(error), facts]) });
  Object.assign(store.audit, { read: () => Promise.reject(new TypeError("limit must be a number")) });
  await expect(router.audit.read()).rejects.toThrow(TypeError);
  expect(faults).toEqual([]);
  const lost = new TypeError("fetch failed", { cause: new Error("ECONNREFUSED") });
  Object.assign(store.audit, { read: () => Promise.reject(lost) });
  await expect(router.audit.read()).rejects.toBe(lost);
  expect(faults).toEqual([["TypeError: fetch failed", { operation: "audit.read" }]]);
  await router.close();
});
