import { share } from "@toolglot/internal/testing";
import fc from "fast-check";
import { afterEach, expect, it, vi } from "vitest";
import { GuestPool, type Lease } from "../../src/pool.ts";
import { FakeEngine, type FakeGuest } from "./fake-engine.ts";

const lives = share("lives of a pool", 200, 5000);

afterEach(() => {
  vi.useRealTimers();
});

type Step =
  | { act: "acquire" | "warm" | "drain" | "dispose" }
  | { act: "release" | "abort" | "start" | "fail" | "die"; which: number }
  | { act: "pass"; ms: number }
  | { act: "fate"; fate: FakeEngine["fate"]; broken: boolean };

const which = fc.nat(20);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ act: fc.constant("acquire" as const) }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant("warm" as const) }) },
  {
    weight: 12,
    arbitrary: fc.record({ act: fc.constantFrom("release" as const, "abort", "start", "start", "fail", "die"), which }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ act: fc.constant("pass" as const), ms: fc.constantFrom(0, 1, 30, 200, 40_000) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      act: fc.constant("fate" as const),
      fate: fc.constantFrom("waits" as const, "starts", "dies"),
      broken: fc.boolean(),
    }),
  },
);
const ending: fc.Arbitrary<Step> = fc.record({ act: fc.constantFrom("drain" as const, "dispose", "warm") });

/** One run that asked for a guest. */
interface Asked {
  number: number;
  stop: AbortController;
  lease?: Lease;
  over: boolean;
  settled: Promise<void>;
}

/** Goes through the steps and checks after each what must hold at any time. */
async function play(rules: { size: number; maxConcurrency: number; maxWaiting: number }, steps: Step[]): Promise<void> {
  vi.useFakeTimers();
  const engine = new FakeEngine();
  const pool = new GuestPool(engine, rules);
  const asked: Asked[] = [];
  /** Who got a place at work, in the order it was given; who was refused or gave up is not in it. */
  const entered: number[] = [];
  const promises: Promise<unknown>[] = [];
  let closed = false;

  const lent = (): Asked[] => asked.filter(({ lease, over }) => lease !== undefined && !over);
  const pick = <T>(from: T[], index: number): T | undefined => from[index % Math.max(from.length, 1)];

  function acquire(): void {
    const one: Asked = { number: asked.length, stop: new AbortController(), over: false, settled: Promise.resolve() };
    asked.push(one);
    const { running, waiting } = pool.counts;
    const full = running >= rules.maxConcurrency && waiting >= rules.maxWaiting;
    one.settled = pool
      .admit(() => pool.acquire(one.stop.signal))
      .then(
        (lease) => {
          expect(full).toBe(false);
          one.lease = lease;
          const guest = lease.guest as FakeGuest;
          expect(++guest.uses).toBe(1);
          expect(guest.held).toBe(true);
          entered.push(one.number);
        },
        (error) => {
          one.over = true;
          expect((error as { code?: string }).code === "sandbox/busy").toBe(full && !closed);
        },
      );
  }

  function perform(each: Step): void {
    if (each.act === "acquire") acquire();
    else if (each.act === "warm") promises.push(pool.warm().catch(() => {}));
    else if (each.act === "release") {
      const one = pick(lent(), each.which);
      one?.lease?.release();
      if (one) one.over = true;
    } else if (each.act === "abort") pick(asked, each.which)?.stop.abort(new Error("aborted"));
    else if (each.act === "start") pick(engine.alive, each.which)?.start();
    else if (each.act === "fail") pick(engine.alive, each.which)?.fail();
    else if (each.act === "die") pick(engine.alive, each.which)?.die();
    else if (each.act === "fate") Object.assign(engine, { fate: each.fate, broken: each.broken });
    else if (each.act === "drain" || each.act === "dispose") {
      closed = true;
      promises.push(pool[each.act]());
    }
  }

  function check(): void {
    const { running, waiting, idle, starting, started, failed, served } = pool.counts;
    expect(lent().length).toBeLessThanOrEqual(running);
    expect(running).toBeLessThanOrEqual(rules.maxConcurrency);
    expect(waiting).toBeLessThanOrEqual(rules.maxWaiting);
    expect(idle + starting).toBeLessThanOrEqual(rules.size);
    // Nothing is alive besides the stock, what runs, and what was killed a moment ago.
    expect(engine.guests.filter(({ state, killed }) => state === "starting" && !killed).length).toBeGreaterThanOrEqual(
      starting,
    );
    const alive = engine.alive.filter(({ killed }) => !killed).length;
    expect(alive).toBeLessThanOrEqual(rules.size + rules.maxConcurrency);
    expect(failed).toBeLessThanOrEqual(started);
    expect(served).toBe(entered.length);
    if (waiting > 0) expect(running).toBe(rules.maxConcurrency);
  }

  for (const each of steps) {
    perform(each);
    await vi.advanceTimersByTimeAsync(each.act === "pass" ? each.ms : 0);
    check();
  }

  // From here on everything works, and whoever waits must get its turn.
  Object.assign(engine, { fate: "starts", broken: false });
  for (let round = 0; round < asked.length + 2; round++) {
    for (const guest of engine.alive) guest.start();
    await vi.advanceTimersByTimeAsync(20);
    for (const one of lent()) {
      one.lease?.release();
      one.over = true;
    }
    await vi.advanceTimersByTimeAsync(20);
    check();
  }
  await Promise.all(asked.map(({ settled }) => settled));
  expect(pool.counts).toMatchObject({ running: 0, waiting: 0 });
  // Time passes: what is idle is what was asked for, once anything was.
  await vi.advanceTimersByTimeAsync(60_000);
  if (!closed && pool.counts.served > 0) expect(pool.counts).toMatchObject({ idle: rules.size, starting: 0 });
  for (const guest of engine.alive) expect(guest.held).toBe(false);
  const end = pool.dispose();
  await vi.advanceTimersByTimeAsync(10);
  await Promise.all([end, ...promises]);
  expect(engine.alive).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
}

it(`should hold its rules whatever runs and guests do: ${lives.told}`, async () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => {
    unhandled.push(reason);
  };
  process.on("unhandledRejection", note);
  const rules = fc.record({ size: fc.nat(3), maxConcurrency: fc.integer({ min: 1, max: 3 }), maxWaiting: fc.nat(4) });
  const steps = fc.array(step, { maxLength: 60 });
  const end = fc.tuple(fc.option(ending, { nil: undefined }), fc.array(step, { maxLength: 10 }));
  try {
    await fc.assert(
      fc.asyncProperty(rules, steps, end, async (given, before, [last, after]) => {
        await play(given, [...before, ...(last ? [last] : []), ...after]);
      }),
      { numRuns: lives.count },
    );
  } finally {
    vi.useRealTimers();
    process.off("unhandledRejection", note);
  }
  await new Promise((resolve) => setTimeout(resolve, 0));
  expect(unhandled).toEqual([]);
}, 120_000);

it("should serve in the order of asking", async () => {
  const rules = fc.record({ size: fc.nat(3), maxConcurrency: fc.integer({ min: 1, max: 3 }) });
  await fc.assert(
    fc.asyncProperty(rules, fc.array(fc.boolean(), { minLength: 2, maxLength: 20 }), async (given, aborts) => {
      vi.useFakeTimers();
      const engine = new FakeEngine();
      engine.fate = "starts";
      const pool = new GuestPool(engine, { ...given, maxWaiting: 100 });
      const order: number[] = [];
      const stops = aborts.map(() => new AbortController());
      const all = stops.map(async ({ signal }, number) => {
        const lease = await pool.admit(() => pool.acquire(signal));
        order.push(number);
        await new Promise((resolve) => setTimeout(resolve, 50));
        lease.release();
      });
      for (const [number, abort] of aborts.entries()) if (abort && number >= 3) stops[number]?.abort();
      const settled = Promise.allSettled(all);
      await vi.advanceTimersByTimeAsync(5000);
      await settled;
      expect(order).toEqual(aborts.flatMap((abort, number) => (abort && number >= 3 ? [] : [number])));
    }),
    { numRuns: 100 },
  );
});
