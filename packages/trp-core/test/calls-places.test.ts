import type { Release } from "@toolglot/internal";
import fc from "fast-check";
import { expect, it } from "vitest";
import { stopOf } from "../src/calls/running/cancel.ts";
import { Places, type Seat } from "../src/calls/running/executor.ts";
import { type Fault, isFault } from "../src/frames/fault.ts";

const seat = (capId: string, maxConcurrency?: number): Seat => ({
  capId,
  definition: maxConcurrency === undefined ? {} : { maxConcurrency },
});
const open = seat("cap.open.v1");
const patient = { timeoutMs: 10_000 };

function taken(given: ReturnType<Places["take"]>): Release {
  if (typeof given !== "function") throw new Error(`no place at once: ${JSON.stringify(given)}`);
  return given;
}

it("gives places at once while there are some, and each back once", () => {
  const places = new Places({ callsInFlight: 2, callsWaiting: 0 });
  const first = taken(places.take(open, patient));
  taken(places.take(open, patient));
  expect(places.running).toBe(2);
  expect(places.take(open, patient)).toMatchObject({ code: "TRP_5003", retryable: true, dispatched: false });
  first();
  first();
  expect(places.running).toBe(1);
  taken(places.take(open, patient));
  expect(isFault(places.take(open, patient))).toBe(true);
});

it("capabilities of one group share their places, and no others", () => {
  const places = new Places({ callsInFlight: 10, callsWaiting: 0 });
  const of = (capId: string, concurrencyGroup: string): Seat => ({
    capId,
    definition: { maxConcurrency: 1, concurrencyGroup },
  });
  const first = taken(places.take(of("cap.a.v1", "one"), patient));
  expect(isFault(places.take(of("cap.b.v1", "one"), patient))).toBe(true);
  taken(places.take(of("cap.a.v1", "two"), patient));
  taken(places.take(seat("cap.one.v1", 1), patient));
  first();
  taken(places.take(of("cap.b.v1", "one"), patient));
});

it("first come, first served", async () => {
  const places = new Places({ callsInFlight: 1, callsWaiting: 10 });
  const order: number[] = [];
  const release = taken(places.take(open, patient));
  const waiting = [1, 2, 3].map(async (number) => {
    const mine = (await places.take(open, patient)) as Release;
    order.push(number);
    mine();
  });
  expect(places.waiting).toBe(3);
  release();
  await Promise.all(waiting);
  expect(order).toEqual([1, 2, 3]);
  expect([places.running, places.waiting]).toEqual([0, 0]);
});

it("a newcomer does not pass those who wait", async () => {
  const places = new Places({ callsInFlight: 1, callsWaiting: 10 });
  const release = taken(places.take(open, patient));
  const first = places.take(open, patient) as Promise<Release>;
  release();
  // The place went to the one who waited, before anybody else could ask.
  const second = places.take(open, patient);
  expect(typeof second).not.toBe("function");
  (await first)();
  (await (second as Promise<Release>))();
});

it("a capability at its own limit waits for itself, and is passed by others", async () => {
  const places = new Places({ callsInFlight: 3, callsWaiting: 10 });
  const narrow = seat("cap.narrow.v1", 1);
  const first = taken(places.take(narrow, patient));
  const second = places.take(narrow, patient) as Promise<Release>;
  const other = taken(places.take(open, patient));
  const otherToo = taken(places.take(open, patient));
  expect([places.running, places.waiting]).toEqual([3, 1]);
  other();
  expect(places.waiting).toBe(1);
  first();
  (await second)();
  otherToo();
  expect([places.running, places.waiting]).toEqual([0, 0]);
});

it("who waits too long gets TRP_3003, and leaves the line", async () => {
  const places = new Places({ callsInFlight: 1, callsWaiting: 1 });
  const release = taken(places.take(open, patient));
  expect(await places.take(open, { timeoutMs: 5 })).toMatchObject({
    code: "TRP_3003",
    errorClass: "TRANSIENT",
    retryable: true,
    dispatched: false,
  });
  expect(places.waiting).toBe(0);
  release();
  expect(places.running).toBe(0);
});

it("who is cancelled gets TRP_3005, before and while it waits", async () => {
  const places = new Places({ callsInFlight: 1, callsWaiting: 1 });
  expect(places.take(open, { ...patient, stop: stopOf(AbortSignal.abort()) })).toMatchObject({ code: "TRP_3005" });
  const release = taken(places.take(open, patient));
  const controller = new AbortController();
  const waiting = places.take(open, { ...patient, stop: stopOf(controller.signal) });
  controller.abort();
  expect(await waiting).toMatchObject({ code: "TRP_3005", dispatched: false });
  expect(places.waiting).toBe(0);
  release();
  taken(places.take(open, patient));
});

it("never more than the limits, nobody forgotten (any order of takes and returns)", async () => {
  const steps = fc.array(fc.record({ what: fc.constantFrom("open", "narrow", "release"), which: fc.nat(20) }), {
    maxLength: 60,
  });
  await fc.assert(
    fc.asyncProperty(steps, async (list) => {
      const places = new Places({ callsInFlight: 4, callsWaiting: 100 });
      const seats = { open, narrow: seat("cap.narrow.v1", 2) };
      const held: { capId: string; release: Release }[] = [];
      const pending: Promise<void>[] = [];
      const hold = (capId: string) => (given: Release | Fault) => {
        if (isFault(given)) throw new Error(given.message);
        held.push({ capId, release: given });
        expect(held.length).toBeLessThanOrEqual(4);
        expect(held.filter((one) => one.capId === "cap.narrow.v1").length).toBeLessThanOrEqual(2);
      };
      const letGo = async (at: number): Promise<void> => {
        held.splice(at, 1)[0]?.release();
        await new Promise((resolve) => setImmediate(resolve));
      };
      for (const { what, which } of list) {
        if (what === "release") {
          if (held.length > 0) await letGo(which % held.length);
          continue;
        }
        const wanted = seats[what as "open" | "narrow"];
        const given = places.take(wanted, patient);
        if (given instanceof Promise) pending.push(given.then(hold(wanted.capId)));
        else hold(wanted.capId)(given);
      }
      while (held.length > 0) await letGo(0);
      await Promise.all(pending);
      expect([places.running, places.waiting]).toEqual([0, 0]);
    }),
    { numRuns: 50 },
  );
});
