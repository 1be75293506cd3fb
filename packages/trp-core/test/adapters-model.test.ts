import { rounds } from "@toolglot/internal/testing";
import fc from "fast-check";
import { expect, it } from "vitest";
import { CapabilityError } from "../src/catalog/capability-error.ts";
import { defineCapability } from "../src/catalog/define-capability.ts";
import type { Adapter, AnyCapability, Effect, ExecuteContext } from "../src/catalog/types.ts";
import { MemoryStore } from "../src/store/memory-store.ts";
import { type Rig, rig } from "./calls-rig.ts";

// Any adapters, with any health and any failures, beside a plain model of who is asked; and routers that die on the way.

type End = "done" | "failed" | "transient" | "not-applied" | "unknown";
type Health = "ok" | "degraded" | "down";

interface Tool {
  name: string;
  cost: number;
  system: string | undefined;
  maxFailures: number;
  /** One for each call that asks it; the last one stays. */
  ends: End[];
  /** Of those that end `unknown`: whether the effect happened. */
  happens: boolean;
}

const effects: Effect[] = ["pure", "idempotent", "keyed", "probe", "opaque"];
const coolDownMs = 1_000;
const lease = 10_000;

const tool = fc.record({
  cost: fc.integer({ min: 0, max: 2 }),
  system: fc.constantFrom(undefined, "x", "y"),
  maxFailures: fc.integer({ min: 1, max: 2 }),
  ends: fc.array(fc.constantFrom<End>("done", "failed", "transient", "not-applied", "unknown"), {
    minLength: 1,
    maxLength: 4,
  }),
  happens: fc.boolean(),
});
const listOf = (one: typeof tool): fc.Arbitrary<Tool[]> =>
  fc
    .array(one, { minLength: 1, maxLength: 4 })
    .map((list) => list.map((each, index): Tool => ({ ...each, name: `t${index}` })));
const tools = listOf(tool);
/** What mostly works, so that there is something to be done twice. */
const working = listOf(
  tool.chain((one) =>
    fc.record({
      ...{ cost: fc.constant(one.cost), system: fc.constant(one.system), maxFailures: fc.constant(2) },
      ends: fc.array(fc.constantFrom<End>("done", "done", "unknown", "not-applied"), { minLength: 1, maxLength: 2 }),
      happens: fc.constantFrom(true, true, false),
    }),
  ),
);
const health = fc.array(fc.constantFrom<Health>("ok", "ok", "degraded", "down"), { minLength: 4, maxLength: 4 });

/** Outside of every router: what was asked, and what came of it. */
class World {
  readonly asked: string[] = [];
  /** Of one operation: system (or tool) that has the effect. Systems do a key once. */
  readonly effects = new Map<string, string[]>();
  readonly #counts = new Map<string, number>();

  ask(of: Tool, key: string, effect: Effect): End {
    this.asked.push(of.name);
    const count = this.#counts.get(of.name) ?? 0;
    this.#counts.set(of.name, count + 1);
    const end = endOf(of, count);
    if (end === "done" || (end === "unknown" && of.happens)) this.#apply(of, key, effect);
    return end;
  }

  has(of: Tool, key: string): boolean {
    return (this.effects.get(key) ?? []).includes(of.system ?? of.name);
  }

  #apply({ name, system }: Tool, key: string, effect: Effect): void {
    const done = this.effects.get(key) ?? [];
    const where = system ?? name;
    if (effect !== "keyed" || !done.includes(where)) this.effects.set(key, [...done, where]);
  }
}

const endOf = ({ ends }: Tool, count: number): End => ends[Math.min(count, ends.length - 1)] as End;

function capability(
  effect: Effect,
  list: readonly Tool[],
  world: World,
  healthOf: () => readonly Health[],
): AnyCapability {
  const adapters = list.map((each, index): Adapter => {
    const { name, cost, system, maxFailures } = each;
    const execute = (_: unknown, { operationKey = "" }: ExecuteContext): string => {
      const end = world.ask(each, operationKey, effect);
      if (end === "done") return name;
      if (end === "unknown") throw new Error("says nothing");
      throw new CapabilityError("no", {
        outcome: end === "not-applied" ? end : "failed",
        transient: end === "transient",
      });
    };
    return {
      ...{ name, cost, maxFailures, coolDownMs, execute, health: () => healthOf()[index] ?? "ok" },
      ...(system !== undefined && { system }),
      ...(effect === "probe" && {
        probe: (_: unknown, { operationKey = "" }: ExecuteContext) =>
          world.has(each, operationKey) ? { state: "done" as const, value: name } : { state: "not-applied" as const },
      }),
    };
  });
  return defineCapability({
    capId: "cap.any.tool.v1",
    name: "any_tool",
    description: "Any.",
    riskTier: "MEDIUM",
    ioClass: "WRITE",
    effect,
    args: { n: "integer" },
    adapters,
  });
}

const call = (n: number) => ({ cap_id: "cap.any.tool.v1", args: { n }, idempotency_key: `k${n}` });

/** Who is asked for one new operation after the other, in plain words. */
class Model {
  readonly #effect: Effect;
  readonly #list: readonly Tool[];
  readonly #counts = new Map<string, number>();
  readonly #failed = new Map<string, { inARow: number; at: number }>();

  constructor(effect: Effect, list: readonly Tool[]) {
    this.#effect = effect;
    this.#list = list;
  }

  call(now: number, healths: readonly Health[]): string[] {
    const asked: Tool[] = [];
    let open: Tool[] = [];
    for (;;) {
      const next = this.#order(now, healths).find((each) => !asked.includes(each) && this.#mayFollow(open, each));
      if (next === undefined) return asked.map(({ name }) => name);
      asked.push(next);
      const count = this.#counts.get(next.name) ?? 0;
      this.#counts.set(next.name, count + 1);
      let end = endOf(next, count);
      // Then the tool itself says what happened: it did, or it did nothing.
      if (this.#effect === "probe" && end === "unknown") {
        if (next.happens) return asked.map(({ name }) => name);
        end = "not-applied";
      }
      if (end === "done" || end === "failed") this.#failed.delete(next.name);
      else this.#failed.set(next.name, { inARow: (this.#failed.get(next.name)?.inARow ?? 0) + 1, at: now });
      const repeats = this.#effect === "pure" || this.#effect === "idempotent";
      if (end === "done" || end === "failed" || (end === "transient" && !repeats)) return asked.map(({ name }) => name);
      if (end !== "not-applied") open = [...open, next];
    }
  }

  #mayFollow(open: readonly Tool[], each: Tool): boolean {
    if (this.#effect === "pure" || this.#effect === "idempotent") return true;
    if (this.#effect !== "keyed") return open.length === 0;
    return open.every((one) => one.system !== undefined && one.system === each.system);
  }

  #order(now: number, healths: readonly Health[]): Tool[] {
    const scored = this.#list.map((each, index) => {
      const { inARow, at } = this.#failed.get(each.name) ?? { inARow: 0, at: 0 };
      const isCooling = inARow > 0 && now < at + coolDownMs;
      const isOut = healths[index] === "down" || (isCooling && inARow >= each.maxFailures);
      return { each, isOut, isLater: healths[index] === "degraded" || isCooling };
    });
    const left = scored.filter(({ isOut }) => !isOut);
    left.sort((one, two) => Number(one.isLater) - Number(two.isLater) || one.each.cost - two.each.cost);
    return left.map(({ each }) => each);
  }
}

for (const effect of effects) {
  it(`${effect}: the tools are asked in the order of the model`, async () => {
    const step = fc.record({ health, passMs: fc.constantFrom(0, 400, 1_000) });
    await fc.assert(
      fc.asyncProperty(tools, fc.array(step, { minLength: 1, maxLength: 6 }), async (list, steps) => {
        let now = 1_800_000_000_000;
        let healths: readonly Health[] = [];
        const world = new World();
        const of = capability(effect, list, world, () => healths);
        const on = rig({ store: new MemoryStore({ now: () => now }), capabilities: [of] });
        const model = new Model(effect, list);
        for (const [n, { health, passMs }] of steps.entries()) {
          now += passMs;
          healths = health;
          world.asked.length = 0;
          const settled = await on.run(call(n));
          expect(world.asked).toEqual(model.call(now, health));
          if (settled.kind === "success") expect(settled.usage.adapter).toBe(world.asked.at(-1));
        }
        await checkEffects(effect, world, on);
      }),
      { numRuns: rounds(40, 5_000) },
    );
  });

  it(`${effect}: holds when routers die at any point, and others see other health`, async () => {
    // Points of a call: 3 is after its start, 4 after the first tool has run.
    const diesAt = fc.constantFrom(2, 3, 4, 4, 4, 5, 6, 7);
    const life = fc.record({
      health: fc.array(fc.constantFrom<Health>("ok", "down"), { minLength: 4, maxLength: 4 }),
      diesAt,
      sweeps: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(working, fc.array(life, { minLength: 2, maxLength: 4 }), async (list, lives) => {
        let now = 1_800_000_000_000;
        const store = new MemoryStore({ now: () => now });
        const world = new World();
        let on: Rig | undefined;
        for (const [index, { health, diesAt, sweeps }] of lives.entries()) {
          let points = 0;
          let die = (): void => {};
          const died = new Promise<void>((resolve) => {
            die = resolve;
          });
          // A router that is dead never goes on. The last one lives.
          const failpoint = (): void | Promise<void> => {
            points += 1;
            if (index === lives.length - 1 || points < diesAt) return;
            die();
            return new Promise<void>(() => {});
          };
          on = rig({ store, capabilities: [capability(effect, list, world, () => health)], overrides: { failpoint } });
          const work = (sweeps ? on.recover() : on.run(call(1))).then(() => {});
          await Promise.race([work, died]);
          now += lease + 1;
        }
        await (on as Rig).run(call(1));
        await checkEffects(effect, world, on as Rig);
      }),
      { numRuns: rounds(40, 5_000) },
    );
  });
}

/** What the effect promises of every operation. */
async function checkEffects(effect: Effect, world: World, { store }: Rig): Promise<void> {
  if (effect === "pure" || effect === "idempotent") return;
  for (const done of world.effects.values()) expect(done.length).toBeLessThanOrEqual(1);
  const records = await store.operations.list({ states: ["done"] });
  // What was acknowledged has happened.
  expect(records.length).toBeLessThanOrEqual(world.effects.size);
}
