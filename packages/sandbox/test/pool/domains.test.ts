import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { GuestPool, type Lease } from "../../src/pool.ts";
import { NotAtRestError, type ReuseOptions } from "../../src/reuse.ts";
import { FakeEngine, FakeGuest } from "./fake-engine.ts";

// Which interpreter a run gets, and which ones go, where interpreters are used again. Guests are fakes: the rules are the pool's.

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** What a guest runs in, with the domains of its programs. */
interface Place {
  domains: (string | undefined)[];
  comesBack: boolean;
  grownMb: number;
}

class KeptGuest extends FakeGuest {
  readonly place: Place;

  constructor(place: Place = { domains: [], comesBack: true, grownMb: 0 }) {
    super();
    this.place = place;
  }

  get grownMb(): number {
    return this.place.grownMb;
  }

  renew(): KeptGuest {
    this.die();
    const next = new KeptGuest(this.place);
    setTimeout(() => (this.place.comesBack ? next.start() : next.fail(new NotAtRestError("a callback is left"))), 3);
    return next;
  }
}

class KeepingEngine extends FakeEngine {
  readonly places: Place[] = [];

  override spawn(): KeptGuest {
    const guest = new KeptGuest();
    this.places.push(guest.place);
    setTimeout(() => guest.start(), 10);
    return guest;
  }
}

function setUp(size: number, reuse: ReuseOptions = {}) {
  const engine = new KeepingEngine();
  const pool = new GuestPool(engine, { size, maxConcurrency: 4, maxWaiting: 10 }, reuse);
  /** A run that ends at once. Gives what it ran in. */
  const run = async (domain?: string): Promise<Place> => {
    const lease = await lent(pool, domain);
    const { place } = lease.guest as KeptGuest;
    place.domains.push(domain);
    lease.release();
    await vi.advanceTimersByTimeAsync(20);
    return place;
  };
  return { engine, pool, run };
}

async function lent(pool: GuestPool, domain?: string): Promise<Lease> {
  const lease = pool.admit(() => pool.acquire(new AbortController().signal, domain));
  await vi.advanceTimersByTimeAsync(20);
  return await lease;
}

const retired = { programs: 0, age: 0, grown: 0, "not-at-rest": 0, failed: 0 };

it("should use an interpreter again for its domain alone, and never one without a domain", async () => {
  const { engine, run } = setUp(4);
  const order = ["a", "b", undefined, "a", "A", undefined, "b", "a ", "a", undefined, "b"];
  for (const domain of order) await run(domain);
  for (const { domains } of engine.places) {
    expect(new Set(domains).size).toBeLessThanOrEqual(1);
    if (domains[0] === undefined) expect(domains.length).toBeLessThanOrEqual(1);
  }
  const used = (domain: string | undefined): number =>
    engine.places.filter((place) => place.domains[0] === domain && place.domains.length > 0).length;
  expect([used("a"), used("b"), used("A"), used("a "), used(undefined)]).toEqual([1, 1, 1, 1, 3]);
});

it.each([1, 3])("should start none for domains that take turns, one more of them than its size of %i", async (size) => {
  const { pool, run } = setUp(size);
  const domains = ["a", "b", "c", "d"].slice(0, size + 1);
  for (const domain of domains) await run(domain);
  const { started } = pool.counts;
  for (let turn = 0; turn < 40; turn++) await run(domains[(turn * 7) % domains.length]);
  expect(pool.counts).toMatchObject({ started, kept: size + 1, retired });
  // One domain more costs starts until it comes no more.
  await run("other");
  for (let turn = 0; turn < 20; turn++) await run(domains[turn % domains.length]);
  const later = pool.counts.started;
  for (let turn = 0; turn < 20; turn++) await run(domains[turn % domains.length]);
  expect(pool.counts).toMatchObject({ started: later, kept: size + 1 });
});

it("should keep one for a domain and have a new one for those without, while they take turns", async () => {
  const { pool, run } = setUp(1);
  const own = await run("a");
  for (let turn = 0; turn < 10; turn++) {
    await run();
    expect(await run("a")).toBe(own);
    expect(pool.counts).toMatchObject({ idle: 2, kept: 1 });
  }
});

it("should keep a new one ready while more domains take turns, and no more in all than one beyond its size", async () => {
  const { pool, run } = setUp(1);
  for (const domain of ["a", "b", "c", "d", "e"]) {
    await run(domain);
    expect(pool.counts.idle).toBeLessThanOrEqual(2);
  }
  expect(pool.counts).toMatchObject({ idle: 2, kept: 1, retired });
  expect((await lent(pool, "f")).warm).toBe(true);
});

it("should start no other one while one domain is alone", async () => {
  const { pool, run } = setUp(1);
  for (let index = 0; index < 20; index++) await run("a");
  expect(pool.counts).toMatchObject({ started: 1, idle: 1, kept: 1 });
});

it("should end the oldest of another domain for the newest", async () => {
  const { pool, run } = setUp(2);
  const [first] = [await run("a"), await run("b"), await run("c"), await run("d")];
  expect(await run("d")).toMatchObject({ domains: ["d", "d"] });
  expect(await run("a")).not.toBe(first);
  expect(pool.counts.idle).toBeLessThanOrEqual(3);
});

it.each([
  ["programs", { maxPrograms: 2 }],
  ["age", { maxMs: 50 }],
  ["grown", { maxGrownMb: 10 }],
] as const)("should end one for its %s, and count it", async (reason, reuse) => {
  const { engine, pool, run } = setUp(1, reuse);
  const first = await run("a");
  first.grownMb = 11;
  await run("a");
  await run("a");
  expect(first.domains).toHaveLength(2);
  expect(engine.places.length).toBeGreaterThan(1);
  expect(pool.counts.retired).toEqual({ ...retired, [reason]: 1 });
});

it("should give the run another one when its own can't be set back, and call that no failure", async () => {
  const { pool, run } = setUp(1);
  const first = await run("a");
  first.comesBack = false;
  // Asked for while it is still being set back.
  const lease = await lent(pool, "a");
  lease.release();
  const next = await lent(pool, "a");
  expect((next.guest as KeptGuest).place).not.toBe(first);
  expect(next.reused).toBe(0);
  expect(pool.counts).toMatchObject({ failed: 0, retired: { ...retired, "not-at-rest": 1 } });
});

it("should count one that ends while it is kept", async () => {
  const { pool } = setUp(1);
  const lease = await lent(pool, "a");
  const kept: FakeGuest[] = [];
  const renew = vi.spyOn(lease.guest as KeptGuest, "renew");
  lease.release();
  kept.push(...renew.mock.results.map(({ value }) => value as FakeGuest));
  await vi.advanceTimersByTimeAsync(5);
  expect(pool.counts.kept).toBe(1);
  kept[0]?.die();
  await vi.advanceTimersByTimeAsync(5);
  expect(pool.counts).toMatchObject({ kept: 0, failed: 1, retired: { ...retired, failed: 1 } });
});

it("should start nothing when a domain is forgotten of which there was nothing", async () => {
  const { engine, pool, run } = setUp(1);
  pool.forget("a");
  await vi.advanceTimersByTimeAsync(5000);
  expect(engine.places).toEqual([]);
  const place = await run("a");
  await vi.advanceTimersByTimeAsync(5000);
  pool.forget("a");
  await vi.advanceTimersByTimeAsync(5000);
  expect(await run("a")).not.toBe(place);
});
