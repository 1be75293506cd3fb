import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { defineCapability } from "../src/catalog/define-capability.ts";
import type { AnyCapability } from "../src/catalog/types.ts";
import { createFetchHandler } from "../src/http/fetch-handler.ts";
import { createRouter } from "../src/router/create-router.ts";
import { ada, callItem, helloFrame, openSession } from "./router-rig.ts";

// Functions that other people wrote give back whatever they have, and throw whatever they like; clients know HTTP and JSON, no more.

class Money {
  constructor(readonly cents: number) {}
  toJSON(): string {
    return `${this.cents} ct`;
  }
}
const circular: Record<string, unknown> = { name: "a" };
circular.self = circular;

/** What functions give back. */
const given: [what: string, value: () => unknown][] = [
  ["nothing", () => undefined],
  ["numbers that JSON has not", () => [Number.NaN, Number.POSITIVE_INFINITY, -0, 5n]],
  ["dates, maps and sets", () => ({ at: new Date(0), bad: new Date(Number.NaN), map: new Map([["a", 1]]), set: new Set([1]) })],
  ["a class with toJSON", () => ({ price: new Money(5) })],
  ["a toJSON that throws", () => ({ toJSON: () => JSON.parse("{") })],
  ["a getter that throws", () => ({ get a() { throw new Error("no"); } })],
  ["a circle", () => circular],
  ["functions and symbols", () => ({ f: () => 1, s: Symbol("s"), [Symbol("k")]: 1 })],
  ["a promise of a promise", () => Promise.resolve(Promise.resolve({ a: 1 }))],
  ["bytes", () => new Uint8Array([1, 2, 3])],
  ["an error", () => new Error("as a value")],
  ["half of a character", () => ({ "\ud83d": "\udc00" })],
  ["an object without prototype", () => Object.assign(Object.create(null), { a: 1 })],
  ["own __proto__", () => JSON.parse('{"__proto__":{"a":1},"constructor":2}')],
  ["a revoked proxy", () => { const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return { proxy }; }],
  ["a response of fetch", () => Response.json({ a: 1 })],
  ["a URL", () => new URL("https://example.org/a")],
  ["an iterator", () => new Set([1, 2]).values()],
  ["depth", () => Array.from({ length: 5_000 }).reduce((inner) => ({ inner }), {})],
]; // biome-ignore format: one line each

/** What functions throw. */
const thrown: [what: string, value: unknown][] = [
  ["nothing", undefined],
  ["a text", "broken"],
  ["null", null],
  ["a number", 7],
  ["a plain object", { code: 5, message: { nested: true } }],
  ["a frozen error", Object.freeze(new Error("frozen"))],
  ["an error whose message throws", Object.defineProperty(new Error("x"), "message", { get: () => JSON.parse("{") })],
  ["an error of DOM", new DOMException("gone", "AbortError")],
  ["several errors", new AggregateError([new Error("a"), "b"], "many")],
  ["a circle", Object.assign(new Error("round"), { cause: circular })],
];

function world(execute: () => unknown) {
  const odd = defineCapability({
    ...{ capId: "cap.p.odd.v1", name: "odd", description: "Odd.", riskTier: "LOW", ioClass: "READ", effect: "pure" },
    args: {},
    execute,
  } as never) as AnyCapability;
  return createRouter({ capabilities: [odd], allowVolatile: true });
}

async function called(execute: () => unknown) {
  const session = await openSession(world(execute));
  const item = callItem({ cap_id: "cap.p.odd.v1", args: {} });
  const first = await session.send("CALL_REQ", item);
  // The session goes on.
  expect((await session.send("CALL_REQ", callItem({ cap_id: "cap.p.odd.v1", args: {} }))).frame_type).toBe(
    first.frame_type,
  );
  return first;
}

describe("a function that gives back", () => {
  it.each(given)("%s has a result, in JSON", async (_what, value) => {
    const reply = await called(value);
    expect(reply.frame_type, inspect(reply.payload)).toBe("RESULT");
    expect(JSON.parse(JSON.stringify(reply))).toEqual(reply);
    expect(reply.payload).toMatchObject({
      status: "SUCCESS",
      result: { summary: expect.any(String), warnings: expect.any(Array) },
    });
  });
});

describe("a function that throws", () => {
  it.each(thrown)("%s has a failure with a code, in JSON", async (_what, value) => {
    for (const execute of [() => { throw value; }, () => Promise.reject(value)]) {
      const reply = await called(execute);
      expect(JSON.parse(JSON.stringify(reply))).toEqual(reply);
      expect(JSON.stringify(reply.payload)).toMatch(/TRP_\d{4}/);
    }
  });
}); // biome-ignore format: one line each

it("a client that knows fetch and JSON calls a function, and reads what went wrong", async () => {
  const router = world(() => ({ a: 1 }));
  const handle = createFetchHandler(router, { authenticate: () => ada });
  const send = async (frame: object): Promise<{ frame_type: string; payload: Record<string, unknown> }> => {
    const request = new Request("http://router.example/trp/frame", {
      ...{ method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(frame) },
    });
    return (await handle(request)).json();
  };
  const hello = await send(helloFrame());
  const { session_id, catalog_epoch, seq_start } = hello.payload as {
    session_id: string;
    catalog_epoch: number;
    seq_start: number;
  };
  const frame = (frame_type: string, seq: number, payload: object): object => ({
    ...{ trp_version: "0.1", frame_type, session_id, frame_id: `f${seq}`, trace_id: "t", timestamp_ms: Date.now() },
    ...{ catalog_epoch, seq, payload },
  });
  const catalog = await send(frame("CATALOG_SYNC_REQ", seq_start, { mode: "FULL", known_epoch: null }));
  const [row] = (catalog.payload.alias_table as { name: string; idx: number; cap_id: string }[]).filter(
    ({ name }) => name === "odd",
  );
  const call = { ...callItem({ cap_id: "cap.p.odd.v1", args: {} }), idx: row?.idx };
  expect(await send(frame("CALL_REQ", seq_start + 1, call))).toMatchObject({
    frame_type: "RESULT",
    payload: { result: { data: { a: 1 } } },
  });
  // Mistakes of such a client are told in the same way.
  for (const wrong of [
    {},
    [],
    { frame_type: "CALL_REQ" },
    frame("CALL_REQ", seq_start + 2, {}),
    frame("NO_SUCH", seq_start + 3, {}),
  ])
    expect(await send(wrong)).toMatchObject({
      frame_type: "NACK",
      payload: { error_code: expect.stringMatching(/^TRP_/) },
    });
});
