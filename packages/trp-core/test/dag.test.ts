import type { JsonObject, JsonSchemaObject } from "@toolglot/core";
import { describe, expect, it } from "vitest";
import { defineCapability } from "../src/catalog/define-capability.ts";
import type { AnyCapability } from "../src/catalog/types.ts";
import type { CallItem } from "../src/frames/types.ts";
import { createRouter } from "../src/router/create-router.ts";
import { MemoryStore } from "../src/store/memory-store.ts";
import { nackOf, openSession } from "./router-rig.ts";

async function rig(more: AnyCapability[] = [], options: object = {}) {
  const runs: string[] = [];
  const output: JsonSchemaObject = {
    type: "object",
    properties: { items: { type: "array", items: { type: "object", properties: { id: { type: "integer" } } } } },
    additionalProperties: false,
  };
  const capabilities = [
    defineCapability({
      ...{ capId: "cap.test.find.v1", name: "find", description: "Finds.", riskTier: "LOW", ioClass: "READ" },
      ...{ effect: "pure", args: { text: "string" }, output },
      execute: ({ text }) => {
        runs.push(`find ${text}`);
        return { items: [{ id: text.length }, { id: 7 }] };
      },
    }),
    defineCapability({
      ...{ capId: "cap.test.open.v1", name: "open", description: "Opens.", riskTier: "LOW", ioClass: "READ" },
      ...{ effect: "pure", args: { id: "integer", "note?": "string" } },
      execute: ({ id, note }) => {
        runs.push(`open ${id}`);
        if (id === 0) throw new Error("nothing there");
        return { title: `no. ${id}`, note };
      },
    }),
    defineCapability({
      ...{ capId: "cap.test.save.v1", name: "save", description: "Saves.", riskTier: "MEDIUM", ioClass: "WRITE" },
      ...{
        effect: "opaque",
        args: { type: "object", properties: { what: { type: "object", properties: { any: {} } } }, required: ["what"] },
      },
      execute: (args) => {
        runs.push(`save ${JSON.stringify(args)}`);
        return "saved";
      },
    }),
    ...more,
  ];
  const router = createRouter({ store: new MemoryStore(), allowVolatile: true, capabilities, ...options });
  const session = await openSession(router, { features: ["CALL_DAG"] });
  const numbers = new Map((await session.sync()).map(({ name, cap_id, idx }) => [name, { cap_id, idx }]));
  const node = (call_id: string, name: string, args: JsonObject, rest: Partial<CallItem> = {}) => ({
    ...{ call_id, args, timeout_ms: 5_000, ...(numbers.get(name) ?? { cap_id: `cap.test.${name}.v1`, idx: 99 }) },
    ...rest,
  });
  const send = (calls: object[], rest: object = {}) =>
    session.send("CALL_DAG_REQ", { dag_id: "d", max_concurrency: 4, calls }, rest);
  const run = async (calls: object[]) => {
    const reply = await send(calls);
    if (reply.frame_type !== "CALL_DAG_RES") throw new Error(JSON.stringify(reply.payload));
    return reply.payload;
  };
  return { runs, router, session, node, send, run };
}

const from = ($from: string, path?: string) => (path === undefined ? { $from } : { $from, path });

describe("CALL_DAG (TRP v0.1 draft, 18.2)", () => {
  it("gives parts of results to the calls that refer to them, each when they are there", async () => {
    const { run, node, runs } = await rig();
    const payload = await run([
      node("c", "save", { what: { any: [from("b", "/data/title"), { deep: from("b") }] } }, { idempotency_key: "k" }),
      node("b", "open", { id: from("a", "/data/items/0/id"), note: from("a", "/summary") }),
      node("a", "find", { text: "four" }),
    ]);
    expect(payload).toMatchObject({ dag_id: "d", status: "SUCCESS" });
    expect(payload.results.map(({ call_id }) => call_id)).toEqual(["c", "b", "a"]);
    expect(runs.slice(0, 2)).toEqual(["find four", "open 4"]);
    const saved = JSON.parse((runs[2] as string).slice(5)) as { what: { any: [string, { deep: JsonObject }] } };
    expect(saved.what.any[0]).toBe("no. 4");
    expect(saved.what.any[1].deep).toMatchObject({ data: { title: "no. 4" }, artifacts: [], warnings: [] });
  });

  it.each<[string, (node: Awaited<ReturnType<typeof rig>>["node"]) => object[], string, string]>([
    [
      "a cycle",
      (n) => [n("a", "open", { id: from("b", "/data") }), n("b", "open", { id: from("a", "/data") })],
      "TRP_1005",
      "a, b",
    ],
    ["a call that refers to itself", (n) => [n("a", "open", { id: from("a", "/data") })], "TRP_1005", "a"],
    [
      "a cycle through depends_on",
      (n) => [
        n("a", "find", { text: "x" }, { depends_on: ["b"] }),
        n("b", "open", { id: from("a", "/data/items/0/id") }),
      ],
      "TRP_1005",
      "b",
    ],
    [
      "a missing call",
      (n) => [n("a", "find", { text: "x" }), n("b", "open", { id: from("z", "/data") })],
      "TRP_2003",
      '"z"',
    ],
    [
      "a type that can't fit",
      (n) => [n("a", "find", { text: "x" }), n("b", "open", { id: from("a", "/summary") })],
      "TRP_2001",
      "expected integer",
    ],
    [
      "a place that a result never has",
      (n) => [n("a", "find", { text: "x" }), n("b", "open", { id: from("a", "/data/rows") })],
      "TRP_2001",
      "nothing at /data/rows",
    ],
    [
      "an argument that there isn't",
      (n) => [n("a", "find", { text: "x" }), n("b", "open", { id: 1, size: from("a", "/data") })],
      "TRP_2001",
      "no such argument",
    ],
    [
      "wrong arguments in a later call",
      (n) => [n("a", "find", { text: "x" }), n("b", "open", { id: "seven", note: from("a", "/summary") })],
      "TRP_2001",
      "id",
    ],
    [
      "a missing argument",
      (n) => [n("a", "find", { text: "x" }), n("b", "open", { note: from("a", "/summary") })],
      "TRP_2001",
      "id",
    ],
    [
      "a pointer that is none",
      (n) => [n("a", "find", { text: "x" }), n("b", "open", { id: from("a", "data") })],
      "TRP_2001",
      "JSON pointer",
    ],
    [
      "a reference with more in it",
      (n) => [n("a", "find", { text: "x" }), n("b", "open", { id: { $from: "a", else: 1 } })],
      "TRP_2001",
      "nothing else",
    ],
    [
      "arguments that are a reference",
      (n) => [n("a", "find", { text: "x" }), n("b", "open", from("a"))],
      "TRP_2001",
      "as a whole",
    ],
    ["an id twice", (n) => [n("a", "find", { text: "x" }), n("a", "find", { text: "y" })], "TRP_2004", "twice"],
    [
      "an unknown capability",
      (n) => [n("a", "find", { text: "x" }), n("b", "nothing", {})],
      "TRP_1003",
      "cap.test.nothing",
    ],
    [
      "too many calls",
      (n) => Array.from({ length: 65 }, (_, i) => n(`c${i}`, "find", { text: "x" })),
      "TRP_2004",
      "64",
    ],
  ])("runs nothing of a graph with %s", async (_, make, code, text) => {
    const { send, node, runs } = await rig();
    expect(nackOf(await send(make(node)))).toMatchObject({
      error_code: code,
      message: expect.stringContaining(text),
      dispatched: false,
    });
    expect(runs).toEqual([]);
  });

  it("skips what depends on a call that failed, and says why; the rest runs", async () => {
    const { run, node, runs } = await rig();
    const payload = await run([
      node("a", "open", { id: 0 }),
      node("b", "open", { id: 1, note: from("a", "/summary") }),
      node("c", "open", { id: 2 }, { depends_on: ["b"] }),
      node("d", "open", { id: 3 }),
      node("e", "open", { id: from("f", "/data/items/5/id") }),
      node("f", "find", { text: "x" }),
    ]);
    expect(payload.status).toBe("PARTIAL_SUCCESS");
    expect(payload.results.map(({ error_code = "ok" }) => error_code)).toEqual([
      "TRP_3002",
      "TRP_1006",
      "TRP_1006",
      "ok",
      "TRP_2001",
      "ok",
    ]);
    expect(payload.results[4]).toMatchObject({
      message: expect.stringContaining("nothing at /data/items/5/id"),
      dispatched: false,
    });
    expect([...runs].sort()).toEqual(["find x", "open 0", "open 3"]);
  });

  it("checks what a reference gave, as any argument", async () => {
    const loose = defineCapability({
      ...{ capId: "cap.test.loose.v1", name: "loose", description: "Gives.", riskTier: "LOW", ioClass: "READ" },
      ...{ effect: "pure", args: {} },
      execute: () => ({ id: "no number", path: "../../etc/passwd" }),
    });
    const { run, node, runs } = await rig([loose]);
    const payload = await run([node("a", "loose", {}), node("b", "open", { id: from("a", "/data/id") })]);
    expect(payload.results[1]).toMatchObject({
      status: "FAILED",
      error_code: "TRP_2001",
      message: expect.stringContaining("id"),
    });
    expect(runs).toEqual([]);
  });

  it("gives the whole of a result that was cut for the model", async () => {
    const big = defineCapability({
      ...{ capId: "cap.test.big.v1", name: "big", description: "Gives much.", riskTier: "LOW", ioClass: "READ" },
      ...{ effect: "pure", args: {} },
      execute: () => ({ rows: Array.from({ length: 5_000 }, (_, n) => ({ n })), text: "long ".repeat(9_000) }),
    });
    const { run, node, runs } = await rig([big], { maxResultTokens: 400 });
    const last = { any: [from("a", "/data/rows/4999/n"), from("a", "/data/text")] };
    const payload = await run([node("a", "big", {}), node("b", "save", { what: last }, { idempotency_key: "k" })]);
    expect(payload.status).toBe("SUCCESS");
    expect(payload.results[0]?.result?.warnings.length).toBeGreaterThan(0);
    const { what } = JSON.parse((runs[0] as string).slice(5)) as { what: { any: [number, string] } };
    expect(what.any[0]).toBe(4_999);
    expect(what.any[1]).toBe("long ".repeat(9_000));
  });

  it("is part of the protocol only in a session that asked for it, and repeats its answer", async () => {
    const { router, session, node, runs } = await rig();
    const plain = await openSession(router);
    const calls = [
      node("a", "find", { text: "x" }),
      node("b", "save", { what: { any: from("a") } }, { idempotency_key: "k" }),
    ];
    const refused = nackOf(await plain.send("CALL_DAG_REQ", { dag_id: "d", max_concurrency: 1, calls }));
    expect(refused).toMatchObject({ error_code: "TRP_5000", message: expect.stringContaining("CALL_DAG") });
    const frame = session.frame("CALL_DAG_REQ", { dag_id: "d", max_concurrency: 1, calls });
    const first = await router.handle(structuredClone(frame), { principal: session.who });
    expect(await router.handle(structuredClone(frame), { principal: session.who })).toEqual(first);
    // The same calls in a new frame: the effect is not repeated.
    const again = await session.send("CALL_DAG_REQ", { dag_id: "d", max_concurrency: 1, calls });
    expect(again.payload).toMatchObject({ status: "SUCCESS", results: [{}, { replayed_from: "b" }] });
    expect((await session.query("b")).status).toBe("SUCCESS");
    expect(runs.filter((text) => text.startsWith("save"))).toHaveLength(1);
  });
});
