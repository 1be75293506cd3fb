import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { writeFileSync } from "node:fs";
import type { Worker } from "node:worker_threads";
import { ToolglotError } from "@toolglot/core";
import { isJson } from "@toolglot/internal";
import { rounds } from "@toolglot/internal/testing";
import { createRouter } from "@toolglot/trp-core";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { openSqlite } from "../src/index.ts";
import { errorFacts, errorOf } from "../src/thread/messages.ts";
import { packOutcomes, unpackOutcomes } from "../src/thread/shared-outcomes.ts";
import { newFile } from "./files.ts";

const request = { scope: "s", fingerprint: "f", owner: "o", leaseMs: 60_000 };
const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** A store, and the thread that it has started. */
async function opened(file: string) {
  const workers: Worker[] = [];
  const note = (message: unknown): void => void workers.push((message as { worker: Worker }).worker);
  subscribe("worker_threads", note);
  const store = await openSqlite({ file });
  unsubscribe("worker_threads", note);
  ends.push(() => store.close());
  expect(workers).toHaveLength(1);
  return { store, worker: workers[0] as Worker };
}

describe("what goes to the thread", () => {
  it("should be what it was when the method was called", async () => {
    const { store } = await opened(newFile());
    const data = { list: [1] };
    const bytes = Uint8Array.of(1, 2);
    const started = store.operations.start({ ...request, key: "k" }, { data });
    const mine = { tenant: "t", principal: "p" };
    const put = store.artifacts.put({ id: "a", ...mine, mediaType: "x/y", sha256: "", ttlMs: 1e6, bytes });
    data.list.push(2);
    bytes[0] = 9;
    expect(await started).toMatchObject({ status: "claimed", record: { data: { list: [1] } } });
    await put;
    expect((await store.artifacts.read("a", mine))?.bytes).toEqual(Uint8Array.of(1, 2));
  });

  it("should be taken in the order of the calls, whatever it holds", async () => {
    const { store } = await opened(newFile());
    // The second one JSON can't say.
    const results = [1e6, Number.POSITIVE_INFINITY, 1].map((leaseMs) =>
      store.operations.claim({ ...request, key: "k", owner: `lease ${leaseMs}`, leaseMs }),
    );
    const [first, second, third] = await Promise.all(results);
    expect([first?.status, second?.status, third?.status]).toEqual(["claimed", "busy", "busy"]);
    const endless = await store.operations.claim({ ...request, key: "l", leaseMs: Number.POSITIVE_INFINITY });
    expect(endless.record.leaseUntil).toBeGreaterThan(Date.now() + 1e14);
  });

  it("should keep texts and names of every kind", async () => {
    const { store } = await opened(newFile());
    const data = JSON.parse('{"__proto__":{"a":1},"\\ud800":"\\u0000\\udfff","":[null,-1e-9]}');
    await store.operations.start({ ...request, key: "\ud800" }, { data });
    const record = await store.operations.read({ scope: "s", key: "\ud800" });
    expect(JSON.stringify(record?.data)).toBe(JSON.stringify(data));
    expect(await store.operations.read({ scope: "s", key: "\ufffd" })).toBeUndefined();
  });

  it("should name an outcome that is the reply, and bring it over as one object", () => {
    const payload = { status: "SUCCESS" };
    const reply = { frame_type: "RESULT", payload };
    const other = { type: "NACK", payload: { code: "x" } };
    const outcome = { type: "RESULT", payload };
    const outcomes = [
      ["__proto__", outcome],
      ["b", outcome],
      ["c", other],
    ];
    const answer = { sessionId: "s", frameId: "f", reply, outcomes };
    for (const given of [[answer], [1, {}, { audit: [], answer }], [{ answer: undefined }, null, "x"]]) {
      const before = JSON.stringify(given);
      const over = JSON.parse(JSON.stringify(packOutcomes(given)));
      unpackOutcomes(over);
      expect(JSON.stringify([given, over])).toBe(`[${before},${before}]`);
      const found = over[0]?.reply === undefined ? over[2]?.answer : over[0];
      if (found) for (const at of [0, 1]) expect(found.outcomes[at][1].payload).toBe(found.reply.payload);
    }
    expect(JSON.stringify(packOutcomes([answer])).match(/SUCCESS/g)).toHaveLength(1);
  });

  it("should be refused when it is no data, and the store goes on", async () => {
    const { store } = await opened(newFile());
    const wrong = { ...request, key: "k", owner: () => "o" } as never;
    await expect(store.operations.claim(wrong)).rejects.toThrow(TypeError);
    expect((await store.operations.claim({ ...request, key: "k" })).status).toBe("claimed");
  });

  it("should be refused alone, with whatever it was sent", async () => {
    const { store } = await opened(newFile());
    const options = { data: { a: 1 } };
    const effectId = (() => "no data") as never;
    const found = await Promise.allSettled([
      store.operations.start({ ...request, key: "a" }, options),
      store.operations.start({ ...request, key: "b" }, { ...options, effectId }),
      store.operations.start({ ...request, key: "c" }, options),
    ]);
    expect(found.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(found[1]).toMatchObject({ reason: expect.any(TypeError) });
    expect(await store.operations.read({ scope: "s", key: "b" })).toBeUndefined();
    expect((await store.operations.read({ scope: "s", key: "c" }))?.data).toEqual({ a: 1 });
  });

  it("should come back as the store has it, though it doesn't come back", async () => {
    const { store } = await opened(newFile());
    const key = { scope: "s", key: "k" };
    const started = await store.operations.start({ ...request, ...key, leaseMs: Infinity }, { data: { a: [1] } });
    const read = await store.operations.read(key);
    expect(started).toEqual({ status: "claimed", claim: { ...key, fence: read?.fence }, record: read });
    await store.operations.start({ ...request, key: "no data" }, {});
    expect(await store.operations.read({ scope: "s", key: "no data" })).not.toHaveProperty("data");
  });

  it("should be answered to each of many callers, in the order of their calls", async () => {
    const { store } = await opened(newFile());
    const told: number[] = [];
    const calls = Array.from({ length: 100 }, async (_, n) => {
      const found = await store.operations.start({ ...request, key: `k${n}` }, {});
      told.push(n);
      if (found.status !== "claimed") throw new Error(found.status);
      return await store.operations.finish(found.claim, { state: "done", outcome: n });
    });
    expect(new Set(await Promise.all(calls))).toEqual(new Set([true]));
    expect(told).toEqual(Array.from({ length: 100 }, (_, n) => n));
    expect((await store.operations.read({ scope: "s", key: "k99" }))?.outcome).toBe(99);
  });

  it("should be JSON only where JSON says all of it", () => {
    const anything = fc.anything({ withTypedArray: true, withBigInt: true, withNullPrototype: true, withDate: true });
    fc.assert(
      fc.property(anything, (value) => {
        if (isJson(value)) expect(JSON.parse(JSON.stringify(value))).toEqual(value);
      }),
      { numRuns: rounds(200, 500) },
    );
    for (const value of [undefined, Number.NaN, [undefined], { a: 1n }, Uint8Array.of(1), new Date(0), new Map()]) {
      expect(isJson(value)).toBe(false);
    }
  });
});

it("should bring errors over as they are", () => {
  const because = Object.assign(new Error("disk I/O error"), { errcode: 10, code: "ERR_SQLITE_ERROR" });
  const ours = new ToolglotError("trp/store-failed", "failed", { data: { file: "f" }, cause: because });
  const over = (error: unknown): Error => errorOf(JSON.parse(JSON.stringify(errorFacts(error))));
  expect(ToolglotError.isInstance(over(ours))).toBe(true);
  expect(over(ours)).toMatchObject({ code: "trp/store-failed", message: "failed", data: { file: "f" } });
  expect(over(ours).cause).toMatchObject({ errcode: 10, code: "ERR_SQLITE_ERROR", message: "disk I/O error" });
  expect(over(new TypeError("x"))).toBeInstanceOf(TypeError);
  expect(over(Object.create(RangeError.prototype)).name).toBe("RangeError");
  expect(over("text")).toMatchObject({ message: "text" });
});

describe("a thread that has ended", () => {
  it("should reject what was asked for and what is asked for, and keep what was answered", async () => {
    const file = newFile();
    const { store, worker } = await opened(file);
    const { store: other } = await opened(newFile());
    await store.operations.claim({ ...request, key: "kept" });
    const asked = Promise.allSettled([1, 2].map((n) => store.operations.claim({ ...request, key: `k${n}` })));
    const gone = worker.terminate();
    for (const result of await asked) {
      expect(result).toMatchObject({ status: "rejected", reason: { code: "trp/store-thread", data: { file } } });
    }
    await gone;
    await expect(store.ping()).rejects.toMatchObject({ code: "trp/store-thread" });
    const router = createRouter({ store, capabilities: [] });
    expect(await router.ready()).toBe("the store's thread has ended");
    await router.close();
    expect((await other.operations.claim({ ...request, key: "k" })).status).toBe("claimed");
    await store.close();
    await expect(store.ping()).rejects.toMatchObject({ code: "trp/store-closed" });
    const again = await opened(file);
    expect((await again.store.operations.claim({ ...request, key: "kept" })).status).toBe("busy");
  });

  it("should leave none behind when the file can't be opened", async () => {
    const ended: Promise<unknown>[] = [];
    const note = (message: unknown): void => {
      const { worker } = message as { worker: Worker };
      ended.push(new Promise((resolve) => worker.once("exit", resolve)));
    };
    subscribe("worker_threads", note);
    const file = newFile();
    const first = await openSqlite({ file });
    await first.close();
    const text = newFile();
    writeFileSync(text, "no database".repeat(99));
    await expect(openSqlite({ file: text })).rejects.toMatchObject({ code: "trp/store-open" });
    unsubscribe("worker_threads", note);
    await Promise.all(ended);
    expect(ended).toHaveLength(2);
  });
});
