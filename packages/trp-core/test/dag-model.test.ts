import type { JsonObject, JsonValue } from "@toolglot/core";
import { rounds } from "@toolglot/internal/testing";
import fc from "fast-check";
import { expect, it } from "vitest";
import { defineCapability } from "../src/catalog/define-capability.ts";
import type { CallItem } from "../src/frames/types.ts";
import { createRouter } from "../src/router/create-router.ts";
import { MemoryStore } from "../src/store/memory-store.ts";
import { nackOf, openSession } from "./router-rig.ts";

// Random graphs of calls (TRP v0.1 draft, 18.2) beside a plain evaluator, which goes through their calls in a hidden order.

const own = { riskTier: "LOW", ioClass: "READ", effect: "pure" } as const;
const write = { riskTier: "MEDIUM", ioClass: "WRITE", effect: "opaque" } as const;
const isUnlucky = (sum: number): boolean => ((sum % 7) + 7) % 7 === 3;
const added = (of: number[]) => {
  const sum = of.reduce((one, other) => one + other, 0);
  return { sum, list: of, odd: { "a/b": { "~": sum } } };
};

async function rig() {
  const effects: string[] = [];
  const capabilities = [
    defineCapability({
      ...{ ...own, capId: "cap.test.add.v1", name: "add", description: "Adds.", args: { of: "number[]" } },
      execute({ of }) {
        const result = added(of as number[]);
        if (isUnlucky(result.sum)) throw new Error("unlucky");
        return result;
      },
    }),
    defineCapability({
      ...{ ...write, capId: "cap.test.save.v1", name: "save", description: "Saves." },
      args: { type: "object", properties: { what: {} }, required: ["what"], additionalProperties: false },
      execute({ what }: { what: JsonValue }) {
        effects.push(JSON.stringify(what));
        return { saved: what };
      },
    }),
  ];
  const router = createRouter({ store: new MemoryStore(), allowVolatile: true, capabilities });
  const session = await openSession(router, { features: ["CALL_DAG"] });
  const numbers = new Map((await session.sync()).map(({ name, cap_id, idx }) => [name, { cap_id, idx }]));
  const send = (calls: object[], max_concurrency: number) =>
    session.send("CALL_DAG_REQ", { dag_id: "d", max_concurrency, calls });
  return { effects, numbers, send };
}

const term = fc.record({
  back: fc.nat(4),
  way: fc.constantFrom(
    "/data/sum",
    "/data/list/0",
    "/data/list/9",
    "/data/list",
    "/data/odd/a~1b/~0",
    "/data/saved",
    "",
  ),
});
const graphs = fc.record({
  nodes: fc.array(
    fc.record({
      own: fc.integer({ min: -9, max: 9 }),
      saves: fc.boolean(),
      terms: fc.array(term, { maxLength: 2 }),
      after: fc.array(fc.nat(4), { maxLength: 2 }),
      order: fc.integer(),
    }),
    { minLength: 1, maxLength: 8 },
  ),
  concurrency: fc.integer({ min: 1, max: 5 }),
});
type Plan = typeof graphs extends fc.Arbitrary<infer Value> ? Value : never;

/** How a call ends: its data, or a code. */
type End = { data: JsonObject } | string;
const steps = (path: string): string[] =>
  path
    .split("/")
    .slice(1)
    .map((step) => step.replace("~1", "/").replace("~0", "~"));

/** The calls of a plan, and how each must end. */
function evaluate(
  { nodes }: Plan,
  name: (n: number) => string,
  numbers: Map<string, Pick<CallItem, "cap_id" | "idx">>,
) {
  const ends: End[] = [];
  const effects: string[] = [];
  const calls = nodes.map(({ own: number, saves, terms, after }, n) => {
    const before = (back: number): number => n - 1 - back;
    // That a whole result is no number is known before anything runs.
    const refs = terms.filter(({ back, way }) => before(back) >= 0 && (saves || way !== ""));
    const dependsOn = [...new Set(after.map(before).filter((index) => index >= 0))];
    const values: JsonValue[] = [number];
    let fault: string | undefined;
    for (const index of [...dependsOn, ...refs.map(({ back }) => before(back))]) {
      if (typeof ends[index] === "string") fault = "TRP_1006";
    }
    for (const { back, way } of refs) {
      if (fault !== undefined) break;
      const { data } = ends[before(back)] as { data: JsonObject };
      // The whole of a result has more in it than its data; what it is, the data alone tells here.
      let value: JsonValue | undefined = way === "" ? { $data: data } : { data };
      if (way !== "") for (const step of steps(way)) value = (value as Record<string, JsonValue> | undefined)?.[step];
      if (value === undefined) fault = "TRP_2001";
      else values.push(value);
    }
    const isNumbers = values.every((value) => typeof value === "number");
    if (saves) {
      if (fault === undefined) effects.push(JSON.stringify(values));
      ends.push(fault ?? { data: { saved: values } });
    } else if (fault === undefined && !isNumbers) ends.push("TRP_2001");
    else {
      const result = added(values as number[]);
      ends.push(fault ?? (isUnlucky(result.sum) ? "TRP_3002" : { data: result }));
    }
    const filled = [
      number,
      ...refs.map(({ back, way }) => ({ $from: name(before(back)), ...(way !== "" && { path: way }) })),
    ];
    return {
      ...{
        call_id: name(n),
        timeout_ms: 5_000,
        depends_on: dependsOn.map(name),
        ...numbers.get(saves ? "save" : "add"),
      },
      ...(saves ? { idempotency_key: `key-${name(n)}`, args: { what: filled } } : { args: { of: filled } }),
    };
  });
  return { calls, ends, effects };
}

/** A whole result as the evaluator has it. */
const plain = (value: JsonValue | undefined): JsonValue | undefined => {
  if (Array.isArray(value)) return value.map((item) => plain(item) as JsonValue);
  if (typeof value !== "object" || value === null) return value;
  if ("warnings" in value) return { $data: plain(value.data) as JsonValue };
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, plain(member) as JsonValue]));
};

const inOrder = ({ nodes }: Plan): number[] =>
  nodes
    .map(({ order }, n) => ({ order, n }))
    .sort((one, other) => one.order - other.order || one.n - other.n)
    .map(({ n }) => n);

it("gives random graphs the values, faults and effects of a plain evaluator, and a second time no effect", async () => {
  const { effects, numbers, send } = await rig();
  let round = 0;
  await fc.assert(
    fc.asyncProperty(graphs, async (plan) => {
      const prefix = `r${round++}n`;
      const { calls, ends, effects: expected } = evaluate(plan, (n) => `${prefix}${n}`, numbers);
      const order = inOrder(plan);
      effects.length = 0;
      for (let time = 0; time < 2; time++) {
        const reply = await send(
          order.map((n) => structuredClone(calls[n] as object)),
          plan.concurrency,
        );
        if (reply.frame_type !== "CALL_DAG_RES") throw new Error(JSON.stringify(reply.payload));
        const found = reply.payload.results.map(({ status, result, error_code }): End | undefined =>
          status === "SUCCESS" ? { data: plain(result?.data) as JsonObject } : error_code,
        );
        expect(found).toEqual(order.map((n) => ends[n]));
        expect(effects.map((text) => JSON.stringify(plain(JSON.parse(text)))).sort()).toEqual(expected.sort());
      }
    }),
    { numRuns: rounds(300, 10_000) },
  );
});

/** What is wrong with a graph, somewhere in it. */
const hostile: Record<string, (calls: CallItem[], at: number, other: number) => void> = {
  "a call that refers to itself"(calls, at) {
    const { call_id, args } = calls[at] as CallItem;
    Object.assign(args, { [Object.keys(args)[0] as string]: [{ $from: call_id, path: "/data/sum" }] });
  },
  "a circle"(calls, at, other) {
    (calls[at] as CallItem).depends_on = [(calls[other] as CallItem).call_id];
    (calls[other] as CallItem).depends_on = [(calls[at] as CallItem).call_id];
  },
  "a call that is not there"(calls, at) {
    const { args } = calls[at] as CallItem;
    Object.assign(args, { [Object.keys(args)[0] as string]: [{ $from: "nobody", path: "/data/sum" }] });
  },
  "a pointer that is none"(calls, at, other) {
    const { args } = calls[at] as CallItem;
    const $from = (calls[other] as CallItem).call_id;
    Object.assign(args, { [Object.keys(args)[0] as string]: [{ $from, path: "data" }] });
  },
  "a reference with more in it"(calls, at, other) {
    const { args } = calls[at] as CallItem;
    const $from = (calls[other] as CallItem).call_id;
    Object.assign(args, { [Object.keys(args)[0] as string]: [{ $from, path: "/data", eval: "1" }] });
  },
  "an id twice"(calls, at, other) {
    if (at === other) calls.push(structuredClone(calls[at] as CallItem));
    else (calls[at] as CallItem).call_id = (calls[other] as CallItem).call_id;
  },
  "an argument that there isn't"(calls, at) {
    Object.assign((calls[at] as CallItem).args, { more: 1 });
  },
  "another number than its capability's"(calls, at) {
    (calls[at] as CallItem).idx += 1_000;
  },
};

it("runs nothing of a random graph in which something is wrong", async () => {
  const { effects, numbers, send } = await rig();
  let round = 0;
  await fc.assert(
    fc.asyncProperty(
      graphs,
      fc.constantFrom(...Object.keys(hostile)),
      fc.nat(),
      fc.nat(),
      async (plan, what, first, second) => {
        const prefix = `h${round++}n`;
        const { calls } = evaluate(plan, (n) => `${prefix}${n}`, numbers);
        const given = inOrder(plan).map((n) => structuredClone(calls[n]) as unknown as CallItem);
        const [at, other] = [first % given.length, second % given.length];
        hostile[what]?.(given, at, other);
        const nack = nackOf(await send(given, plan.concurrency));
        expect(nack.dispatched, what).toBe(false);
        expect(effects).toEqual([]);
      },
    ),
    { numRuns: rounds(200, 2_000) },
  );
});
