import { expect, it } from "vitest";
import type { Failpoint } from "../src/calls/dependencies.ts";
import type { Settled } from "../src/calls/types.ts";
import type { Effect } from "../src/catalog/types.ts";
import { MemoryStore } from "../src/store/memory-store.ts";
import { add, note, World } from "./calls-capabilities.ts";
import { gate, outcomes, type Rig, rig } from "./calls-rig.ts";

// Every point of a call × how its router fails there × every effect. Two routers share one store and one world.

const points: Failpoint[] = [
  "after-admit",
  "before-start",
  "after-start",
  "after-effect",
  "before-finish",
  "after-finish",
];
const effects: Effect[] = ["pure", "idempotent", "keyed", "probe", "opaque"];
const lease = 10_000;
const key = { idempotency_key: "k" };

interface Stage {
  world: World;
  store: MemoryStore;
  /** The one that fails. */
  first: Rig;
  second: Rig;
  /** Lets every lease run out. */
  pass(): void;
}

function stage(effect: Effect, failpoint: (name: Failpoint) => void | Promise<void>): Stage {
  let now = 1_800_000_000_000;
  const world = new World();
  const store = new MemoryStore({ now: () => now });
  const capabilities = [note(world, { effect })];
  return {
    world,
    store,
    first: rig({ store, capabilities, overrides: { failpoint } }),
    second: rig({ store, capabilities }),
    pass: () => {
      now += lease + 1;
    },
  };
}

/** What must hold whatever happened. */
async function check({ world, store }: Stage, effect: Effect, told: Settled[]): Promise<void> {
  const real = effect !== "pure";
  const happened = world.ledger.length;
  expect(happened).toBeLessThanOrEqual(real ? 1 : 0);
  const successes = told.filter((settled) => settled.kind === "success");
  const [record] = await store.operations.list({ states: ["claimed", "started", "done", "failed", "in-doubt"] });
  if (successes.length > 0) {
    // What was acknowledged has happened, and is not lost.
    if (real) expect(happened).toBe(1);
    expect(record?.state).toBe("done");
    const [one] = successes as { result: unknown }[];
    for (const other of successes) expect(other).toHaveProperty("result", one?.result);
  }
  if (told.some((settled) => settled.kind === "unknown")) {
    // An outcome that nobody knows can be seen by those who settle it, unless it became known after all.
    expect(["in-doubt", "done"]).toContain(record?.state);
    expect(effect === "opaque" || effect === "probe").toBe(true);
  }
}

for (const effect of effects) {
  for (const point of points) {
    it(`${effect}: fails at ${point} by an exception, and is sent again`, async () => {
      let failing = true;
      const on = stage(effect, (name) => {
        if (name !== point || !failing) return;
        failing = false;
        throw new Error(`crash at ${name}`);
      });
      const told = [await on.first.run(add("x", key))];
      expect(failing).toBe(false);
      await check(on, effect, told);
      told.push(await on.second.run(add("x", key)));
      await check(on, effect, told);
      on.pass();
      await on.second.recover();
      told.push(await on.second.run(add("x", key)));
      await check(on, effect, told);
      // Only an opaque effect may end with nobody knowing; all others have come to their end.
      if (effect !== "opaque") expect(told.at(-1)?.kind).toBe("success");
      expect(await outcomes(on.first)).toHaveLength(told.length);
    });

    for (const takeover of ["a retry", "recovery"] as const) {
      it(`${effect}: stops at ${point} until ${takeover} has taken over, then goes on`, async () => {
        const stopped = gate();
        const reached = gate();
        const on = stage(effect, async (name) => {
          if (name !== point) return;
          reached.open();
          await stopped.passed;
        });
        const first = on.first.run(add("x", { ...key, call_id: "c1" }));
        await reached.passed;
        on.pass();
        const told: Settled[] = [];
        if (takeover === "a retry") told.push(await on.second.run(add("x", { ...key, call_id: "c1" })));
        else {
          await on.second.recover();
          const found = await on.second.pipeline.inspect({
            scope: JSON.stringify(["trp", "default", "alice", "cap.note.add"]),
            key: "k",
          });
          if (found) told.push(found);
        }
        await check(on, effect, told);
        stopped.open();
        told.push(await first);
        await check(on, effect, told);
        told.push(await on.second.run(add("x", key)));
        await check(on, effect, told);
        if (effect !== "opaque") expect(told.at(-1)?.kind).toBe("success");
        if (effect === "opaque" && ["after-start", "after-effect", "before-finish"].includes(point)) {
          // Taken over between STARTED and its end: never run again, and never told as done.
          expect(told.map((settled) => settled.kind)).toEqual(told.map(() => "unknown"));
          expect(await on.store.operations.list({ states: ["in-doubt"] })).toHaveLength(1);
        }
      });
    }
  }

  it(`${effect}: stops before the effect in the capability itself, and wakes after the takeover`, async () => {
    const stopped = gate();
    const reached = gate();
    const barrier = { fence: 0 };
    let waits = true;
    let now = 1_800_000_000_000;
    const world = new World();
    const store = new MemoryStore({ now: () => now });
    const capability = note(world, {
      effect,
      before: async ({ fence = 0 }) => {
        if (waits) {
          waits = false;
          reached.open();
          await stopped.passed;
        }
        // What `not-applied` promises: downstream refuses whoever comes with a lower number than it has been asked with.
        if (effect === "probe" && fence <= barrier.fence) throw new Error("too late");
      },
      ...(effect === "probe"
        ? {
            more: {
              probe: (_args: unknown, { operationKey = "", fence = 0 }) => {
                if (world.effectsOf(operationKey) > 0) return { state: "done" as const, value: { probed: true } };
                barrier.fence = Math.max(barrier.fence, fence);
                return { state: "not-applied" as const };
              },
            },
          }
        : {}),
    });
    const first = rig({ store, capabilities: [capability] });
    const second = rig({ store, capabilities: [capability] });
    const early = first.run(add("x", key));
    await reached.passed;
    now += lease + 1;
    const told = [await second.run(add("x", key))];
    stopped.open();
    told.push(await early);
    told.push(await second.run(add("x", key)));
    expect(world.ledger.length).toBeLessThanOrEqual(effect === "pure" ? 0 : 1);
    if (effect === "opaque") expect(told.map((settled) => settled.kind)).toEqual(["unknown", "unknown", "unknown"]);
    else expect(told.map((settled) => settled.kind)).toEqual(["success", "success", "success"]);
  });
}
