import { equal, isTypeError, rejects, truth } from "@toolglot/internal";
import { type RateBucket, takeRate } from "../store/rate-rules.ts";
import type { Rate, RateStore, RouterStore } from "../store/types.ts";
import { type StoreCase, storeCases } from "./fixtures.ts";

/** For stores that count rates; one that doesn't has nothing to show. */
const ifCounting =
  (run: (rates: RateStore, setup: { now(): number; advance(ms: number): void; store: RouterStore }) => Promise<void>) =>
  async (setup: { store: RouterStore; now(): number; advance(ms: number): void }): Promise<void> => {
    const { rates } = setup.store;
    if (rates !== undefined) await run(rates, setup);
  };

/** How many of so many calls at once are within the rate. */
async function within(rates: RateStore, key: string, rate: Rate, calls: number): Promise<number> {
  const taken = await Promise.all(Array.from({ length: calls }, () => rates.take(key, rate)));
  return taken.filter(({ ok }) => ok).length;
}

export const rateCases: StoreCase[] = storeCases({
  "should let through as many calls at once as the limit says, whatever it is": ifCounting(async (rates) => {
    for (const limit of [1, 2, 3, 7, 60, 99]) {
      for (const windowMs of [1, 1_000, 60_000]) {
        equal(await within(rates, `${limit} in ${windowMs}`, { limit, windowMs }, limit + 3), limit, "the calls");
      }
    }
  }),
  "should say when the next call is within the rate, and let it through then": ifCounting(
    async (rates, { advance }) => {
      const rate = { limit: 3, windowMs: 1_000 };
      equal(await within(rates, "key", rate, 3), 3, "the calls at once");
      equal(await rates.take("key", rate), { ok: false, retryAfterMs: 334 }, "the next one");
      advance(333);
      equal(await rates.take("key", rate), { ok: false, retryAfterMs: 1 }, "a moment too early");
      advance(1);
      equal(await rates.take("key", rate), { ok: true }, "in time");
      truth(!(await rates.take("key", rate)).ok, "only one should be let through");
      advance(1_000);
      equal(await within(rates, "key", rate, 5), 3, "after a window");
    },
  ),
  "should count keys apart": ifCounting(async (rates) => {
    const rate = { limit: 1, windowMs: 1_000 };
    const keys = ["a", "A", "a ", "__proto__", "\0", "\ud800", "\ud801", "é", "日本", "x".repeat(200)];
    for (const key of keys) equal(await within(rates, key, rate, 2), 1, "calls");
  }),
  "should make nobody wait longer than a window when the clock is set back": ifCounting(async (rates, { advance }) => {
    const rate = { limit: 1, windowMs: 1_000 };
    const steps = [0, -10_000, 500, 500, 500];
    const found: boolean[] = [];
    for (const step of steps) {
      advance(step);
      found.push((await rates.take("key", rate)).ok);
    }
    equal(found, [true, false, false, true, false], "the calls");
  }),
  "should do what the rule does, also when the rate changes": ifCounting(async (rates, { now, advance }) => {
    let bucket: RateBucket | undefined;
    // Of a small linear congruence, so that every run asks the same.
    let state = 7;
    const next = (below: number): number => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor((state / 2_147_483_648) * below);
    };
    for (let count = 0; count < 200; count++) {
      advance(next(400) - (next(20) === 0 ? 900 : 0));
      const rate = { limit: 1 + next(5), windowMs: 500 + next(3) * 500 };
      const step = takeRate(bucket, rate, now());
      bucket = step.bucket;
      equal(await rates.take("key", rate), step.taken, `call ${count}`);
    }
  }),
  "should keep what is used when it is pruned, and nobody else's": ifCounting(async (rates, { store, advance }) => {
    const rate = { limit: 2, windowMs: 1_000 };
    await within(rates, "used up", rate, 2);
    await rates.take("half", rate);
    advance(500);
    await store.prune();
    equal(await within(rates, "used up", rate, 2), 1, "of what was used up");
    equal(await within(rates, "half", rate, 3), 2, "of what is full again");
  }),
  "should refuse a key or a rate that can't be": ifCounting(async (rates) => {
    const rate = { limit: 1, windowMs: 1 };
    for (const key of ["", "x".repeat(201), 3 as never]) await rejects(rates.take(key, rate), isTypeError, "a key");
    for (const bad of [{ limit: 0 }, { limit: 1.5 }, { windowMs: 0 }, { windowMs: "1" }]) {
      await rejects(rates.take("key", { ...rate, ...bad } as Rate), isTypeError, "a rate");
    }
  }),
});
