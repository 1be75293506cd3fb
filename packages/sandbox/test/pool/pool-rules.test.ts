import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { GuestPool, type Lease } from "../../src/pool.ts";
import { FakeEngine, type FakeGuest } from "./fake-engine.ts";

const never = new AbortController().signal;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function setUp(rules: { size?: number; maxConcurrency?: number; maxWaiting?: number } = {}) {
  const engine = new FakeEngine();
  engine.fate = "starts";
  const pool = new GuestPool(engine, { size: 1, maxConcurrency: 1, maxWaiting: 2, ...rules });
  return { engine, pool };
}

const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);

/** A run that does nothing but hold its guest. */
const admitted = (pool: GuestPool, signal: AbortSignal): Promise<Lease> => pool.admit(() => pool.acquire(signal));

/** Starts to acquire, and lets time pass until it has. */
async function acquired(pool: GuestPool): Promise<Lease> {
  const lease = admitted(pool, never);
  await pass(10);
  return await lease;
}

it("should refuse who finds the line full, and take who comes when it is shorter", async () => {
  const { pool } = setUp({ size: 0 });
  const first = await acquired(pool);
  const waiting = [admitted(pool, never), admitted(pool, never)];
  await expect(admitted(pool, never)).rejects.toMatchObject({ code: "sandbox/busy", data: { running: 1, waiting: 2 } });
  expect(pool.counts).toMatchObject({ running: 1, waiting: 2 });
  first.release();
  const later = admitted(pool, never);
  await pass(10);
  (await waiting[0])?.release();
  await pass(10);
  (await waiting[1])?.release();
  await pass(10);
  (await later).release();
  expect(pool.counts).toMatchObject({ running: 0, waiting: 0, served: 4, started: 4, failed: 0 });
});

it("should let nobody wait when maxWaiting is 0", async () => {
  const { pool } = setUp({ maxWaiting: 0 });
  const lease = await acquired(pool);
  await expect(admitted(pool, never)).rejects.toMatchObject({ code: "sandbox/busy" });
  lease.release();
  (await acquired(pool)).release();
});

it("should leave no trace of who stopped waiting", async () => {
  const { pool, engine } = setUp({ size: 0 });
  const lease = await acquired(pool);
  const stop = new AbortController();
  const waiting = admitted(pool, stop.signal);
  const after = admitted(pool, never);
  stop.abort(new Error("no more"));
  await expect(waiting).rejects.toThrow("no more");
  expect(pool.counts).toMatchObject({ running: 1, waiting: 1 });
  lease.release();
  await pass(10);
  (await after).release();
  await pass(10);
  expect(pool.counts).toMatchObject({ running: 0, waiting: 0, started: 2, served: 2 });
  expect(engine.alive).toEqual([]);
});

it("should keep the guest of a run that was aborted while it started", async () => {
  const { pool, engine } = setUp();
  const stop = new AbortController();
  const starting = admitted(pool, stop.signal);
  await pass(5);
  stop.abort(new Error("no more"));
  await expect(starting).rejects.toThrow("no more");
  expect(pool.counts).toMatchObject({ starting: 1, running: 0 });
  expect(engine.guests[0]?.held).toBe(false);
  await pass(5);
  const lease = await acquired(pool);
  expect(lease).toMatchObject({ guest: engine.guests[0], warm: true });
  expect(engine.guests[0]?.held).toBe(true);
});

it("should not keep a guest that died at the moment of the abort", async () => {
  const { pool, engine } = setUp();
  const stop = new AbortController();
  const starting = expect(admitted(pool, stop.signal)).rejects.toThrow();
  await pass(5);
  engine.guests[0]?.die();
  stop.abort(new Error("no more"));
  await starting;
  expect(pool.counts).toMatchObject({ idle: 0, starting: 0 });
});

it("should end a guest that failed to start, and count it no more", async () => {
  const { pool, engine } = setUp({ maxConcurrency: 2 });
  const lease = await acquired(pool);
  engine.fate = "waits";
  await pass(100);
  expect(pool.counts).toMatchObject({ starting: 1, failed: 0 });
  engine.guests[1]?.fail();
  await pass(0);
  expect(pool.counts).toMatchObject({ starting: 0, failed: 1 });
  expect(engine.guests[1]?.killed).toBe(true);
  const end = pool.dispose();
  await pass(5);
  await end;
  lease.release();
  await pass(0);
  // Nothing is left that would start the next one.
  expect(vi.getTimerCount()).toBe(0);
});

it("should start the next guest after the run has begun, or at its end", async () => {
  const { pool, engine } = setUp({ maxConcurrency: 2 });
  const long = await acquired(pool);
  await pass(99);
  expect(engine.guests.length).toBe(1);
  await pass(1);
  expect(engine.guests.length).toBe(2);
  await pass(10);
  const short = await acquired(pool);
  expect(short.warm).toBe(true);
  short.release();
  await pass(1);
  expect(engine.guests.length).toBe(3);
  long.release();
  await pass(100);
  expect(engine.alive.map(({ held }) => held)).toEqual([false]);
});

it("should replace guests that die while they are idle, ever more slowly until one is used", async () => {
  const { pool, engine } = setUp();
  await Promise.all([pool.warm(), pass(10)]);
  const pauses: number[] = [];
  for (let death = 0; death < 12; death++) {
    engine.alive[0]?.die();
    const before = engine.guests.length;
    const started = Date.now();
    while (engine.guests.length === before) await pass(50);
    pauses.push(Date.now() - started);
    await pass(10);
  }
  expect(pauses).toEqual([100, 200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000, 30_000]);
  expect(pool.counts).toMatchObject({ idle: 1, started: 13, failed: 12 });
  const lease = await acquired(pool);
  lease.release();
  await pass(20);
  expect(pool.counts).toMatchObject({ idle: 1, started: 14 });
  engine.alive[0]?.die();
  await pass(120);
  expect(pool.counts).toMatchObject({ idle: 1, started: 15, failed: 13 });
});

it("should try a start that fails ever more rarely, one at a time, and fill up at the first success", async () => {
  const { pool, engine } = setUp({ size: 3 });
  const lease = await acquired(pool);
  engine.fate = "dies";
  await pass(60_000);
  const tries = engine.guests.length;
  expect(tries).toBeLessThan(15);
  engine.fate = "starts";
  await pass(30_020);
  expect(pool.counts).toMatchObject({ idle: 3, starting: 0 });
  lease.release();
});

it("should end the pause when a run's own start succeeds", async () => {
  const { pool, engine } = setUp({ maxConcurrency: 2 });
  const lease = await acquired(pool);
  engine.fate = "dies";
  await pass(40_000);
  engine.fate = "starts";
  (await acquired(pool)).release();
  await pass(20);
  expect(pool.counts).toMatchObject({ idle: 1 });
  lease.release();
});

it("should try a second start, told to the engine, before a run fails", async () => {
  const { pool, engine } = setUp({ size: 2 });
  engine.fate = "dies";
  const failing = expect(admitted(pool, never)).rejects.toThrow("the guest died");
  await pass(20);
  await failing;
  expect(pool.counts).toMatchObject({ running: 0, started: 2, failed: 2 });
  engine.fate = "waits";
  const lease = admitted(pool, never);
  await pass(1);
  engine.guests.at(-1)?.die();
  await pass(1);
  engine.guests.at(-1)?.start();
  await pass(1);
  (await lease).release();
});

it("should fail a run, and keep trying quietly, when the engine can't even try", async () => {
  const { pool, engine } = setUp();
  engine.broken = true;
  await expect(admitted(pool, never)).rejects.toThrow("the engine is broken");
  await expect(pool.warm()).rejects.toThrow("the engine is broken");
  expect(pool.counts).toMatchObject({ running: 0, idle: 0, started: 4, failed: 4 });
  engine.broken = false;
  await Promise.all([pool.warm(), pass(10)]);
  expect(pool.counts).toMatchObject({ idle: 1 });
});

it("should warm once for all that ask, and let a run go on that took what was warmed", async () => {
  const { pool, engine } = setUp({ size: 2, maxConcurrency: 2 });
  const warming = Promise.all([pool.warm(), pool.warm()]);
  await pass(1);
  const lease = admitted(pool, never);
  await pass(10);
  await warming;
  expect(engine.guests.length).toBe(2);
  const used = (await lease).guest as FakeGuest;
  // The host must not end while a program runs.
  expect(engine.guests.map((guest) => guest.held)).toEqual(engine.guests.map((guest) => guest === used));
  await Promise.all([pool.warm(), pass(10)]);
  expect(pool.counts).toMatchObject({ idle: 2, running: 1 });
});

it("should warm a second time after a failed start, then reject with its cause", async () => {
  const { pool, engine } = setUp({ size: 2 });
  engine.fate = "dies";
  const failing = expect(pool.warm()).rejects.toThrow("the guest died");
  await pass(20);
  await failing;
});

it("should drain: take no more, let who is there finish, then end everything", async () => {
  const { pool, engine } = setUp({ size: 2 });
  const first = await acquired(pool);
  const second = admitted(pool, never);
  await pass(120);
  let over = false;
  const drained = pool.drain().then(() => {
    over = true;
  });
  expect(pool.drain()).toBe(pool.drain());
  // One for who waits; the other one is not needed any more.
  expect(pool.counts).toMatchObject({ running: 1, waiting: 1, idle: 1 });
  await expect(admitted(pool, never)).rejects.toMatchObject({ code: "sandbox/disposed", message: /drain/ });
  await expect(pool.warm()).rejects.toMatchObject({ code: "sandbox/disposed" });
  first.release();
  await pass(100);
  expect(over).toBe(false);
  expect(pool.counts).toMatchObject({ running: 1, waiting: 0, idle: 0, starting: 0 });
  (await second).release();
  await pass(10);
  await drained;
  expect(engine.alive).toEqual([]);
  expect(engine.guests.length).toBe(3);
  await pool.drain();
});

it("should wait in a drain for a run that is between two guests", async () => {
  const { pool, engine } = setUp();
  let goOn: () => void = () => {};
  const run = pool.admit(async () => {
    (await pool.acquire(never)).release();
    await new Promise<void>((resolve) => {
      goOn = resolve;
    });
    // Let in once: neither the drain nor a full line can stop it half way.
    (await pool.acquire(never)).release();
  });
  await pass(20);
  let over = false;
  const drained = pool.drain().then(() => {
    over = true;
  });
  await pass(1000);
  expect(over).toBe(false);
  expect(engine.alive).toEqual([]);
  goOn();
  await pass(20);
  await Promise.all([run, drained]);
  expect(pool.counts).toMatchObject({ served: 2, running: 0 });
});

it("should end a drain that is disposed of", async () => {
  const { pool, engine } = setUp();
  const lease = await acquired(pool);
  const waiting = expect(admitted(pool, never)).rejects.toMatchObject({ code: "sandbox/disposed" });
  const both = Promise.all([pool.drain(), pool.dispose()]);
  await pass(10);
  await both;
  await waiting;
  expect((lease.guest as FakeGuest).killed).toBe(true);
  lease.release();
  lease.release();
  expect(pool.counts).toMatchObject({ running: 0, waiting: 0 });
  expect(engine.alive).toEqual([]);
});

it("should hold a guest for the host only while somebody needs it", async () => {
  const { pool, engine } = setUp();
  const lease = admitted(pool, never);
  await pass(5);
  expect(engine.guests[0]?.held).toBe(true);
  await pass(5);
  await lease;
  await pass(100);
  expect(engine.guests.map(({ held }) => held)).toEqual([true, false]);
});
