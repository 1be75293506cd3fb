import { isLong } from "@toolglot/internal/testing";
import { expect, it } from "vitest";
import type { Settled } from "../src/calls/types.ts";
import type { Effect, ExecuteContext } from "../src/catalog/types.ts";
import { MemoryStore } from "../src/store/memory-store.ts";
import type { RouterOperationLog, RouterStore } from "../src/store/types.ts";
import { add, note } from "./calls-capabilities.ts";
import { rig } from "./calls-rig.ts";
import { explore, type Schedule, sample } from "./operations-explorer.ts";

// The real pipeline of two routers and one operation, every order of their steps: what they ask of the store, the effect,
// the question of a probe, leases that run out, and a router that dies. A router that is slow is an order in which its
// steps come late, so zombies are among them.

const lease = 10_000;
const scope = JSON.stringify(["trp", "default", "alice", "cap.note.add"]);

interface Options {
  effect: Effect;
  /** How often all leases run out. */
  lapses: number;
  /** Whether router A dies at some point. */
  dies: boolean;
  /** What makes the store naive. */
  spoil?: (operations: RouterOperationLog) => Partial<RouterOperationLog>;
}

/** A store whose every operation on the log is a step of `actor`. */
function stepwise(store: RouterStore, schedule: Schedule, actor: string, spoil?: Options["spoil"]): RouterStore {
  const { operations } = store;
  const steps: Partial<Record<keyof RouterOperationLog, unknown>> = {};
  for (const name of ["read", "start", "claim", "takeOver", "renew", "begin", "finish", "doubt", "abandon"] as const) {
    const method = (spoil?.(operations)[name] ?? operations[name]) as (...parameters: unknown[]) => Promise<unknown>;
    steps[name] = async (...parameters: unknown[]) => {
      await schedule.turn(actor, name);
      return method.apply(operations, parameters);
    };
  }
  return new Proxy(store, {
    get: (target, name) => {
      if (name === "operations") return { ...steps, durability: "none", list: operations.list.bind(operations) };
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

async function play(schedule: Schedule, { effect, lapses, dies, spoil }: Options): Promise<void> {
  let now = 1_800_000_000_000;
  const store = new MemoryStore({ now: () => now });
  const ledger: number[] = [];
  let executions = 0;
  const barrier = { fence: 0 };
  const told: Settled[] = [];

  // Downstream: takes keys once, or refuses numbers below the one that it was last asked with.
  const apply = (fence: number): void => {
    if (effect === "probe" && fence <= barrier.fence) throw new Error("refused downstream");
    if (effect !== "opaque" && effect !== "probe" && ledger.length > 0) return;
    ledger.push(fence);
  };
  const capability = (actor: string) =>
    note(undefined as never, {
      effect,
      more: {
        execute: async (_args: unknown, { fence = 0 }: ExecuteContext) => {
          executions += 1;
          await schedule.turn(actor, "effect");
          apply(fence);
          return "done";
        },
        ...(effect === "probe"
          ? {
              probe: async (_args: unknown, { fence = 0 }: ExecuteContext) => {
                await schedule.turn(actor, "probe");
                if (ledger.length > 0) return { state: "done" as const, value: "done" };
                barrier.fence = Math.max(barrier.fence, fence);
                return { state: "not-applied" as const };
              },
            }
          : {}),
      },
    });
  const router = (actor: string, of: RouterStore) => rig({ store: of, capabilities: [capability(actor)] });

  const send = async (actor: string): Promise<void> => {
    const sender = router(actor, stepwise(store, schedule, actor, spoil));
    told.push(await sender.run(add("x", { idempotency_key: "k", call_id: actor, timeout_ms: 600_000 })));
  };
  const clock = async (): Promise<void> => {
    for (let count = 0; count < lapses; count++) {
      await schedule.turn("clock", "lapse");
      now += lease + 1;
    }
  };
  const death = async (): Promise<void> => {
    if (!dies) return;
    await schedule.turn("death", "of A");
    schedule.kill("A");
  };
  void send("A");
  void send("B");
  void clock();
  void death();
  await schedule.run();

  const successes = (): number => told.filter((settled) => settled.kind === "success").length;
  const check = async (): Promise<void> => {
    expect(ledger.length).toBeLessThanOrEqual(1);
    if (effect === "opaque") expect(executions).toBeLessThanOrEqual(1);
    const record = await store.operations.read({ scope, key: "k" });
    if (successes() > 0) expect([ledger.length, record?.state]).toEqual([1, "done"]);
    if (record?.state === "done") expect(ledger).toHaveLength(1);
    // An effect that no record knows of would be done again.
    if (ledger.length > 0) expect(record).toBeDefined();
    if (told.some((settled) => settled.kind === "unknown")) {
      expect(effect === "opaque" || effect === "probe").toBe(true);
      expect(["in-doubt", "done", "started"]).toContain(record?.state);
    }
  };
  await check();

  // Whatever is left, a third router settles; and then the key has its answer for good.
  now += lease + 1;
  const survivor = rig({
    store,
    capabilities: [
      note(undefined as never, {
        effect,
        more: {
          execute: (_args: unknown, { fence = 0 }: ExecuteContext) => {
            executions += 1;
            apply(fence);
            return "done";
          },
          ...(effect === "probe"
            ? {
                probe: (_args: unknown, { fence = 0 }: ExecuteContext) => {
                  if (ledger.length > 0) return { state: "done" as const, value: "done" };
                  barrier.fence = Math.max(barrier.fence, fence);
                  return { state: "not-applied" as const };
                },
              }
            : {}),
        },
      }),
    ],
  });
  await survivor.recover();
  await check();
  told.push(await survivor.run(add("x", { idempotency_key: "k" })));
  await check();
  const record = await store.operations.read({ scope, key: "k" });
  expect(["done", effect === "opaque" ? "in-doubt" : "done"]).toContain(record?.state);
}

/** All of these take seconds; on a busy machine ten times as many. */
const longTest = 300_000;
/** Of each of the eight kinds that a plain run doesn't take in all: a thousand together. */
const sampled = 125;
const orders = isLong ? "every order" : `${sampled} orders`;
const tryOrders = (options: Options): Promise<number> => {
  const run = (schedule: Schedule): Promise<void> => play(schedule, options);
  return isLong ? explore(run) : sample(run, sampled);
};

for (const effect of ["opaque", "keyed", "idempotent", "probe"] as const) {
  it(
    `holds for ${effect} effects in ${orders} of two routers and a lapse of all leases`,
    async () => {
      expect(await tryOrders({ effect, lapses: 1, dies: false })).toBeGreaterThan(80);
    },
    longTest,
  );
}

it(
  "holds for opaque effects in every order in which one router dies at any point, and leases lapse at any other",
  async () => {
    const paths = await explore((schedule) => play(schedule, { effect: "opaque", lapses: 1, dies: true }));
    expect(paths).toBeGreaterThan(300);
  },
  longTest,
);

for (const effect of ["keyed", "idempotent", "probe"] as const) {
  it(
    `holds for ${effect} effects in ${orders} in which one router dies at any point, and leases lapse at any other`,
    async () => {
      expect(await tryOrders({ effect, lapses: 1, dies: true })).toBeGreaterThan(isLong ? 300 : 100);
    },
    longTest,
  );
}

it(
  `holds for opaque effects in ${orders} in which leases lapse twice`,
  async () => {
    await tryOrders({ effect: "opaque", lapses: 2, dies: false });
  },
  longTest,
);

const naive: Record<string, Options["spoil"]> = {
  "takes over what was started and runs it again": (operations) => ({
    // Whatever the router has read.
    start: (request, { ifFence: _, ...options }) => operations.start({ ...request, abandoned: "reclaim" }, options),
  }),
  "runs without a claim": (operations) => ({
    start: async (request, options) => {
      const found = await operations.read(request);
      if (found) await operations.finish(found, { state: "released" });
      return operations.start(request, options);
    },
  }),
  "starts after the effect": (operations) => ({
    finish: async (claim, result, along) => {
      const done = await operations.finish(claim, { state: "released" });
      return done && result.state === "released" ? done : operations.finish(claim, result, along);
    },
  }),
};

for (const [name, spoil] of Object.entries(naive)) {
  it(`finds the order in which a store fails that ${name}`, async () => {
    const options = { effect: "opaque" as const, lapses: 1, dies: false, ...(spoil ? { spoil } : {}) };
    await expect(explore((schedule) => play(schedule, options))).rejects.toThrow(/after \d+ paths: .*:/);
  });
}
