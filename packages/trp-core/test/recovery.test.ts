import { expect, it } from "vitest";
import { recover } from "../src/calls/keyed/recover.ts";
import type { AnyCapability, Effect } from "../src/catalog/types.ts";
import { fault } from "../src/frames/fault.ts";
import { MemoryStore } from "../src/store/memory-store.ts";
import { add, note, World } from "./calls-capabilities.ts";
import { bob, outcomes, type Rig, rig } from "./calls-rig.ts";

const lease = 10_000;
const none = { rerun: 0, probed: 0, inDoubt: 0, leftAlone: 0 };
const scope = JSON.stringify(["trp", "default", "alice", "cap.note.add"]);

interface Stage {
  world: World;
  store: MemoryStore;
  clock: { now: number };
  /** Dies after STARTED, before or after the effect. */
  crash(key: string, when?: "before" | "after"): void;
  survivor(overrides?: Parameters<typeof rig>[0]["overrides"], capabilities?: AnyCapability[]): Rig;
}

function stage(effect: Effect, more: Partial<AnyCapability> = {}): Stage {
  const clock = { now: 1_800_000_000_000 };
  const world = new World();
  const store = new MemoryStore({ now: () => clock.now });
  const capabilities = [note(world, { effect, more })];
  const never = new Promise<void>(() => {});
  return {
    world,
    store,
    clock,
    crash: (key, when = "after") => {
      const point = when === "after" ? "after-effect" : "after-start";
      const failpoint = (name: string): Promise<void> | void => (name === point ? never : undefined);
      void rig({ store, capabilities, overrides: { failpoint } }).run(
        add("x", { idempotency_key: key, call_id: `c-${key}` }),
      );
    },
    survivor: (overrides = {}, other = capabilities) => rig({ store, capabilities: other, overrides }),
  };
}

it("gives the rows of what it takes over the host's own fields", async () => {
  const on = stage("idempotent");
  on.crash("k");
  await settle();
  on.clock.now += lease + 1;
  const survivor = on.survivor({ auditFields: ({ key, callId, capId }) => ({ named: `${capId} ${key} ${callId}` }) });
  await survivor.recover();
  const rows = (await survivor.audit()).filter((entry) => "named" in entry);
  expect(rows.map((entry) => [entry.kind, (entry as { named?: string }).named])).toEqual([
    ["decision", "cap.note.add.v1 k c-k"],
    ["outcome", "cap.note.add.v1 k c-k"],
  ]);
});

const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

for (const effect of ["pure", "idempotent", "keyed", "probe", "opaque"] as const) {
  for (const when of ["before", "after"] as const) {
    it(`settles a ${effect} operation whose router died ${when} the effect, without its caller`, async () => {
      const on = stage(effect);
      on.crash("k", when);
      await settle();
      const survivor = on.survivor();
      // As long as the lease holds, nobody touches it.
      expect(await survivor.recover()).toEqual(none);
      on.clock.now += lease + 1;
      const expected = { opaque: { inDoubt: 1 }, probe: { probed: 1 } }[effect as string] ?? { rerun: 1 };
      expect(await survivor.recover()).toEqual({ ...none, ...expected });
      expect(await survivor.recover()).toEqual(none);
      const told = await survivor.run(add("x", { idempotency_key: "k" }));
      if (effect === "opaque") {
        expect(told).toMatchObject({ kind: "unknown", replayedFrom: "c-k" });
        expect(on.world.ledger).toHaveLength(when === "after" ? 1 : 0);
      } else {
        expect(told).toMatchObject({ kind: "success", replayedFrom: "c-k" });
        expect(on.world.ledger).toHaveLength(effect === "pure" ? 0 : 1);
      }
      // One row for the end of the crashed call, and one for the call of this test.
      expect((await outcomes(survivor)).length).toBe(2);
      expect((await survivor.audit())[0]).toMatchObject({ kind: "decision", call_id: "c-k" });
    });
  }
}

it("runs again what the record holds: arguments, principal, key downstream, and counts the attempt", async () => {
  const seen: unknown[] = [];
  const on = stage("keyed", {
    execute: (args: unknown, { principal, operationKey, attempt, callId, traceId }: never) => {
      seen.push({ args, principal, operationKey, attempt, callId, traceId });
      return null;
    },
  });
  on.crash("k");
  await settle();
  on.clock.now += lease + 1;
  await on.survivor().recover();
  expect(seen).toHaveLength(2);
  expect(seen[1]).toEqual({ ...(seen[0] as object), attempt: 2 });
});

it("leaves alone what it has no capability for", async () => {
  const on = stage("idempotent");
  on.crash("k");
  await settle();
  on.clock.now += lease + 1;
  const ignorant = on.survivor({}, [note(on.world, { more: { capId: "cap.other.add.v1" } })]);
  expect(await ignorant.recover()).toEqual({ ...none, leftAlone: 1 });
  expect(await on.survivor().recover()).toEqual({ ...none, rerun: 1 });
});

it("leaves alone what the policy does not allow any more, and what finds no place", async () => {
  const on = stage("idempotent");
  on.crash("k");
  await settle();
  on.clock.now += lease + 1;
  const denying = { version: "2", evaluate: () => ({ decision: "deny" as const, rule: "no", reason: "no" }) };
  const asking = { version: "2", evaluate: () => ({ decision: "approve" as const, rule: "ask", reason: "ask" }) };
  expect(await on.survivor({ policy: denying }).recover()).toEqual({ ...none, leftAlone: 1 });
  expect(await on.survivor({ policy: asking }).recover()).toEqual({ ...none, leftAlone: 1 });
  expect(await on.survivor({ places: { take: () => fault("TRP_5003") } }).recover()).toEqual({ ...none, leftAlone: 1 });
  expect(on.world.executions).toBe(1);
  expect(await on.survivor().recover()).toEqual({ ...none, rerun: 1 });
});

it("runs what was approved under that approval", async () => {
  const on = stage("idempotent", { riskTier: "HIGH" });
  const asking = on.survivor();
  const asked = await asking.run(add("x", { idempotency_key: "k" }));
  await asking.approvals.approve(
    bob,
    (asked as { fault: { retryHint: { approval_id: string } } }).fault.retryHint.approval_id,
  );
  on.crash("k");
  await settle();
  on.clock.now += 3_600_000;
  expect(await on.survivor().recover()).toEqual({ ...none, rerun: 1 });
  expect(await asking.approvals.list(bob)).toMatchObject([{ status: "used" }]);
});

it("settles one operation once, however many routers sweep", async () => {
  const on = stage("idempotent");
  for (let index = 0; index < 20; index++) on.crash(`k${index}`);
  await settle();
  on.clock.now += lease + 1;
  const reports = await Promise.all(Array.from({ length: 4 }, () => on.survivor().recover()));
  expect(reports.reduce((sum, report) => sum + report.rerun, 0)).toBe(20);
  expect(on.world.executions).toBe(40);
  expect(on.world.ledger).toHaveLength(20);
});

it("leaves to its caller what its caller was told about, until the key is forgotten", async () => {
  const on = stage("idempotent", {
    execute: () => {
      throw new Error("cut");
    },
  });
  const router = on.survivor();
  expect(await router.run(add("x", { idempotency_key: "k" }))).toMatchObject({ kind: "failed" });
  expect(await router.pipeline.inspect({ scope, key: "k" })).toMatchObject({
    kind: "failed",
    fault: { code: "TRP_3002" },
  });
  on.clock.now += 3_600_000;
  expect(await router.recover()).toEqual(none);
  on.clock.now += 86_400_000;
  expect(await router.recover()).toEqual({ ...none, inDoubt: 1 });
  expect(await router.operations.inDoubt(bob)).toMatchObject([{ key: "k" }]);
});

it("ends what kills its routers again and again", async () => {
  for (const [effect, state] of [
    ["idempotent", "in-doubt"],
    ["pure", "failed"],
  ] as const) {
    const on = stage(effect);
    for (let attempt = 1; attempt <= 5; attempt++) {
      on.crash("k");
      await settle();
      on.clock.now += lease + 1;
    }
    const report = await on.survivor().recover();
    expect(report).toEqual({ ...none, inDoubt: state === "in-doubt" ? 1 : 0 });
    expect((await on.store.operations.read({ scope, key: "k" }))?.state).toBe(state);
    expect(on.world.executions).toBe(5);
  }
});

it("is in doubt when a probe can't tell, and does not run", async () => {
  const on = stage("probe", { probe: () => ({ state: "unknown" as const }) });
  on.crash("k");
  await settle();
  on.clock.now += lease + 1;
  expect(await on.survivor().recover()).toEqual({ ...none, probed: 1, inDoubt: 1 });
  expect(on.world.executions).toBe(1);
});

it.each([
  ["done", { state: "done", value: { found: true } }, { kind: "success" }, 0],
  ["failed", { state: "failed", message: "refused by the bank" }, { kind: "failed" }, 0],
  ["unknown", { state: "unknown" }, { kind: "unknown" }, 1],
])("asks about an opaque operation what its capability may know: %s", async (_state, found, told, inDoubt) => {
  const on = stage("opaque", { probe: () => found as never });
  on.crash("k");
  await settle();
  on.clock.now += lease + 1;
  const survivor = on.survivor();
  expect(await survivor.recover()).toEqual({ ...none, probed: 1, inDoubt });
  expect(await survivor.run(add("x", { idempotency_key: "k" }))).toMatchObject(told);
  expect(on.world.executions).toBe(1);
});

it("records a failure that a probe has found", async () => {
  const on = stage("probe", { probe: () => ({ state: "failed" as const, message: "refused by the bank" }) });
  on.crash("k", "before");
  await settle();
  on.clock.now += lease + 1;
  expect(await on.survivor().recover()).toEqual({ ...none, probed: 1 });
  expect(await on.survivor().run(add("x", { idempotency_key: "k" }))).toMatchObject({
    kind: "failed",
    fault: { message: "refused by the bank" },
  });
});

it("leaves one operation alone when something goes wrong with it, and settles the others", async () => {
  const on = stage("idempotent");
  on.crash("k1");
  on.crash("k2");
  await settle();
  on.clock.now += lease + 1;
  const survivor = on.survivor();
  const takeOver = on.store.operations.takeOver.bind(on.store.operations);
  Object.assign(on.store.operations, {
    takeOver: async (...given: Parameters<typeof takeOver>) => {
      if (given[0].key === "k1") throw new Error("broken row");
      return takeOver(...given);
    },
  });
  expect(await survivor.recover()).toEqual({ ...none, rerun: 1, leftAlone: 1 });
});

it("does not run what was set free after it was listed", async () => {
  const on = stage("idempotent");
  on.crash("k");
  await settle();
  on.clock.now += lease + 1;
  const list = on.store.operations.list.bind(on.store.operations);
  Object.assign(on.store.operations, {
    list: async (filter: Parameters<typeof list>[0]) => {
      const found = await list(filter);
      for (const record of found) await on.store.operations.finish(record, { state: "released" });
      return found;
    },
  });
  expect(await on.survivor().recover()).toEqual(none);
  expect(on.world.executions).toBe(1);
  expect(await on.store.operations.read({ scope, key: "k" })).toBeUndefined();
});

it("leaves nothing behind of what was set free while it was looked at, or was never begun", async () => {
  const on = stage("opaque");
  on.crash("k");
  await settle();
  on.clock.now += lease + 1;
  const { operations } = on.store;
  const takeOver = operations.takeOver.bind(operations);
  Object.assign(operations, {
    takeOver: async (...given: Parameters<typeof takeOver>) => {
      await operations.finish({ ...given[0], fence: given[1] }, { state: "released" });
      return takeOver(...given);
    },
  });
  const { pipeline } = on.survivor();
  expect(await pipeline.inspect({ scope, key: "k" })).toBeUndefined();
  expect(await operations.read({ scope, key: "k" })).toBeUndefined();

  await operations.claim({ scope, key: "never", fingerprint: "f", owner: "gone", leaseMs: lease });
  expect(await pipeline.inspect({ scope, key: "never" })).toMatchObject({ kind: "in-progress" });
  on.clock.now += lease + 1;
  expect(await pipeline.inspect({ scope, key: "never" })).toBeUndefined();
});

it("stops when it is told to", async () => {
  const on = stage("idempotent");
  on.crash("k");
  await settle();
  on.clock.now += lease + 1;
  expect(await recover(on.survivor().dependencies, { signal: AbortSignal.abort() })).toEqual(none);
});

it("puts in doubt what is only looked at, when its router is gone and it must not run again", async () => {
  const on = stage("opaque");
  on.crash("k");
  await settle();
  const router = on.survivor();
  expect(await router.pipeline.inspect({ scope, key: "k" })).toMatchObject({ kind: "in-progress" });
  on.clock.now += lease + 1;
  expect(await router.pipeline.inspect({ scope, key: "k" })).toMatchObject({ kind: "unknown", replayedFrom: "c-k" });
  expect(await router.operations.inDoubt(bob)).toHaveLength(1);
  const again = stage("idempotent");
  again.crash("k");
  await settle();
  again.clock.now += lease + 1;
  expect(await again.survivor().pipeline.inspect({ scope, key: "k" })).toMatchObject({ kind: "in-progress" });
});

it.each(["pure", "idempotent", "keyed", "probe"] as const)(
  "puts an opaque operation in doubt, though its capability is %s by now",
  async (effect) => {
    for (const byCaller of [false, true]) {
      const on = stage("opaque");
      on.crash("k");
      await settle();
      on.clock.now += lease + 1;
      const survivor = on.survivor({}, [note(on.world, { effect })]);
      if (!byCaller) expect(await survivor.recover()).toEqual({ ...none, inDoubt: 1 });
      expect(await survivor.run(add("x", { idempotency_key: "k" }))).toMatchObject({ kind: "unknown" });
      expect(on.world.executions).toBe(1);
    }
  },
);

it("asks about an operation that could be asked about, though its capability can't be by now", async () => {
  for (const byCaller of [false, true]) {
    const on = stage("probe");
    on.crash("k");
    await settle();
    on.clock.now += lease + 1;
    const survivor = on.survivor({}, [note(on.world, { effect: "idempotent" })]);
    if (!byCaller) expect(await survivor.recover()).toEqual({ ...none, probed: 1, inDoubt: 1 });
    expect(await survivor.run(add("x", { idempotency_key: "k" }))).toMatchObject({ kind: "unknown" });
    expect(on.world.executions).toBe(1);
  }
});
