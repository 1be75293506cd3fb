import { ToolError } from "@toolglot/core";
import { expect, it } from "vitest";
import { CapabilityError } from "../src/catalog/capability-error.ts";
import { defineCapability } from "../src/catalog/define-capability.ts";
import { registerCapability } from "../src/catalog/register.ts";
import type { Adapter, AnyCapability, Effect, ExecuteContext } from "../src/catalog/types.ts";
import { principal } from "../src/identity/principal.ts";
import { MemoryStore } from "../src/store/memory-store.ts";
import { outcomes, type Rig, type RigOptions, rig } from "./calls-rig.ts";

// Several tools behind one capability (TRP v0.1 draft, 10.1).

const lease = 10_000;
const search = { cap_id: "cap.web.search.v1", args: { query: "trp" } };
const pay = { cap_id: "cap.bank.pay.v1", args: { query: "trp" }, idempotency_key: "k" };

type Tool = Partial<Adapter> & { name: string };

/** What was asked, by name. */
const asked: string[] = [];

function capability(effect: Effect, adapters: readonly Tool[], more: Partial<AnyCapability> = {}): AnyCapability {
  const isRead = effect === "pure";
  return defineCapability({
    capId: isRead ? search.cap_id : pay.cap_id,
    name: "tool",
    description: "Does it.",
    riskTier: isRead ? "LOW" : "MEDIUM",
    ioClass: isRead ? "READ" : "WRITE",
    effect,
    args: { query: "string", "top_k?": "integer = 5" },
    adapters: adapters.map((adapter) => ({ execute: () => adapter.name, ...noted(adapter) })),
    ...more,
  } as AnyCapability);
}

function noted({ execute, ...adapter }: Tool): Partial<Adapter> {
  return {
    ...adapter,
    execute: (native: never, context: ExecuteContext) => {
      asked.push(adapter.name);
      return execute === undefined ? adapter.name : execute(native, context);
    },
  } as Partial<Adapter>;
}

interface Stage extends Rig {
  pass(ms: number): void;
  store: MemoryStore;
}

function stage(of: AnyCapability, more: Partial<RigOptions> = {}): Stage {
  asked.length = 0;
  let now = 1_800_000_000_000;
  const store = (more.store as MemoryStore | undefined) ?? new MemoryStore({ now: () => now });
  return Object.assign(rig({ store, capabilities: [of], ...more }), {
    store,
    pass: (ms: number) => {
      now += ms;
    },
  });
}

const broken = (): never => {
  throw new Error("ECONNREFUSED");
};
const notApplied = (): never => {
  throw new CapabilityError("The door is shut.", { outcome: "not-applied" });
};
const refuses = (): never => {
  throw new ToolError("No such thing.");
};

it("maps the canonical arguments to each tool's own, and asks the cheapest", async () => {
  const got: unknown[] = [];
  const keep = (native: unknown): string => {
    got.push(native);
    return "found";
  };
  const on = stage(
    capability("pure", [
      { name: "b", cost: 5, adapt: ({ query, top_k }) => ({ keyword: query, page_size: top_k }), execute: keep },
      { name: "a", cost: 1, adapt: ({ query, top_k }) => ({ q: query, limit: top_k }), execute: keep },
      { name: "plain", cost: 5, execute: keep },
    ] as Tool[]),
  );
  expect(await on.run(search)).toMatchObject({ kind: "success", usage: { adapter: "a" } });
  expect(got).toEqual([{ q: "trp", limit: 5 }]);
  expect(asked).toEqual(["a"]);
});

it("tells adapters' types from those of the arguments", async () => {
  const typed = defineCapability({
    ...capability("pure", [{ name: "x" }]),
    args: { query: "string", "top_k?": "integer = 5" },
    adapters: [
      { name: "a", when: ({ args }) => args.query.length > 100, execute: ({ query }) => query.toUpperCase() },
      { name: "b", execute: ({ query, top_k }) => `${query.toUpperCase()} ${top_k.toFixed()}` },
    ],
  });
  expect(await stage(typed).run(search)).toMatchObject({ result: { data: "TRP 5" }, usage: { adapter: "b" } });
});

it("goes on with the next tool after a failure, and names who failed in result, audit row and events", async () => {
  const on = stage(
    capability("pure", [{ name: "a", execute: broken }, { name: "b", execute: notApplied }, { name: "c" }]),
  );
  const names = { adapter: "c", failed_adapters: ["a", "b"] };
  expect(await on.run(search)).toMatchObject({ kind: "success", result: { data: "c" }, usage: names });
  expect(asked).toEqual(["a", "b", "c"]);
  expect(await on.audit()).toMatchObject([{ kind: "outcome", result_status: "SUCCESS", ...names }]);
  const handed = on.events.filter(({ type }) => type === "call.adapter_failed");
  expect(handed).toMatchObject([
    { adapter: "a", next: "b", capId: search.cap_id },
    { adapter: "b", next: "c" },
  ]);
  expect(on.events).toContainEqual(expect.objectContaining({ type: "call.executed", adapter: "c" }));
});

it("says nothing of adapters where there is only one tool", async () => {
  const { adapters: _, ...more } = capability("pure", [{ name: "a" }]);
  const on = stage({ ...more, execute: () => 1 });
  const settled = await on.run(search);
  expect(settled).toMatchObject({ kind: "success" });
  expect(JSON.stringify([settled, await on.audit(), on.events])).not.toMatch(/adapter(?!_ms)/);
});

it.each<[Effect, string, () => never, string[]]>([
  ["pure", "an exception", broken, ["a", "b"]],
  ["pure", "a definite failure", refuses, ["a"]],
  ["idempotent", "an exception", broken, ["a", "b"]],
  ["idempotent", "a definite failure", refuses, ["a"]],
  ["keyed", "an exception", broken, ["a"]],
  ["keyed", "what had no effect", notApplied, ["a", "b"]],
  ["opaque", "an exception", broken, ["a"]],
  ["opaque", "what had no effect", notApplied, ["a", "b"]],
  ["opaque", "a definite failure", refuses, ["a"]],
])("%s, after %s: runs %s", async (effect, _, execute, expected) => {
  const on = stage(capability(effect, [{ name: "a", execute }, { name: "b" }]));
  await on.run(effect === "pure" ? search : pay);
  expect(asked).toEqual(expected);
  const failed = expected.length > 1 ? { adapter: "b", failed_adapters: ["a"] } : { adapter: "a" };
  expect((await on.audit()).at(-1)).toMatchObject(failed);
});

it("a keyed effect goes on only in the system that knows its key", async () => {
  const tools = [
    { name: "a", system: "acme", execute: broken },
    { name: "other", system: "zeta" },
    { name: "c", cost: 3, system: "acme" },
  ];
  const keys: unknown[] = [];
  const withKeys = tools.map((tool) => ({
    ...tool,
    execute: (_: unknown, { operationKey }: ExecuteContext) => {
      keys.push(operationKey);
      return tool.execute === undefined ? tool.name : tool.execute();
    },
  }));
  const on = stage(capability("keyed", withKeys));
  expect(await on.run(pay)).toMatchObject({ kind: "success", usage: { adapter: "c", failed_adapters: ["a"] } });
  expect(asked).toEqual(["a", "c"]);
  expect(keys[0]).toBe(keys[1]);
});

it("a probe effect goes on when the probe says that nothing happened, and is in doubt when it can't tell", async () => {
  const probed = (state: string) => ({ name: "a", execute: broken, probe: () => ({ state }) });
  const nothing = { name: "b", probe: () => ({ state: "unknown" }) };
  const one = stage(capability("probe", [probed("not-applied"), nothing] as Tool[]));
  expect(await one.run(pay)).toMatchObject({ kind: "success", usage: { adapter: "b", failed_adapters: ["a"] } });
  const two = stage(capability("probe", [probed("unknown"), nothing] as Tool[]));
  expect(await two.run(pay)).toMatchObject({ kind: "unknown", fault: { code: "TRP_3004" } });
  expect(asked).toEqual(["a"]);
});

it("leaves the key free when every tool says that it did nothing", async () => {
  const on = stage(
    capability("opaque", [
      { name: "a", execute: notApplied },
      { name: "b", execute: notApplied },
    ]),
  );
  const fault = { code: "TRP_3002", errorClass: "TRANSIENT", retryable: true };
  expect(await on.run(pay)).toMatchObject({ kind: "failed", fault });
  expect(asked).toEqual(["a", "b"]);
  expect(await on.run({ ...pay, args: { query: "other" } })).toMatchObject({ kind: "failed" });
});

it("asks one that failed after the others, leaves it out after three failures, and then tries it once", async () => {
  let isBroken = true;
  const on = stage(capability("pure", [{ name: "a", execute: () => (isBroken ? broken() : "back") }, { name: "b" }]));
  const run = async (): Promise<string> => {
    asked.length = 0;
    await on.run(search);
    return asked.join(" ");
  };
  expect(await run()).toBe("a b");
  expect(await run()).toBe("b");
  on.pass(30_000);
  expect(await run()).toBe("a b");
  on.pass(30_000);
  expect(await run()).toBe("a b");
  // Three in a row.
  on.pass(29_999);
  expect(await run()).toBe("b");
  on.pass(1);
  expect(await run()).toBe("a b");
  on.pass(30_000);
  isBroken = false;
  expect(await run()).toBe("a");
  expect(await run()).toBe("a");
});

it("tries one that was left out with one call at a time", async () => {
  let open = (): void => {};
  let fails = true;
  const waiting = (): unknown => (fails ? broken() : new Promise((resolve) => (open = () => resolve("back"))));
  const on = stage(
    capability("pure", [{ name: "a", maxFailures: 1, coolDownMs: 1_000, execute: waiting }, { name: "b" }]),
  );
  await on.run(search);
  fails = false;
  on.pass(1_000);
  asked.length = 0;
  const trial = on.run(search);
  expect(await on.run(search)).toMatchObject({ usage: { adapter: "b" } });
  open();
  expect(await trial).toMatchObject({ result: { data: "back" } });
  expect(asked).toEqual(["a", "b"]);
});

it("refuses while no tool can be asked, and says when one can", async () => {
  const on = stage(
    capability("idempotent", [
      { name: "a", maxFailures: 1, execute: broken },
      { name: "b", health: () => "down" },
    ]),
  );
  await on.run(pay);
  on.pass(10_000);
  const refusal = { code: "TRP_5003", retryable: true, dispatched: false, retryHint: { backoff_ms: 20_000 } };
  expect(await on.run(pay)).toMatchObject({ kind: "refused", fault: refusal });
  expect(asked).toEqual(["a"]);
  on.pass(20_000);
  await on.run(pay);
  expect(asked).toEqual(["a", "a"]);
});

it("asks those that the host says are well first, and those that are for the call", async () => {
  let health: unknown = "degraded";
  const on = stage(
    capability("pure", [
      { name: "guests", when: ({ principal: { id } }) => id === "guest" },
      { name: "long", when: ({ args }) => (args.query as string).length > 10 },
      { name: "throws", when: broken },
      { name: "a", health: () => (health === "throws" ? broken() : (health as "ok")) },
      { name: "b", cost: 9 },
    ]),
  );
  const first = async (item: typeof search, who = principal({ id: "alice" })): Promise<unknown> => {
    const settled = await on.run(item, { who });
    return settled.kind === "success" ? settled.usage.adapter : settled.kind;
  };
  expect(await first(search)).toBe("b");
  health = "throws";
  expect(await first(search)).toBe("b");
  health = "ok";
  expect(await first(search)).toBe("a");
  expect(await first(search, principal({ id: "guest" }))).toBe("guests");
  expect(await first({ ...search, args: { query: "a long question" } })).toBe("long");
});

it("refuses a call that no tool is for, or whose arguments none can be given", async () => {
  const nobody = stage(capability("pure", [{ name: "a", when: () => false }]));
  expect(await nobody.run(search)).toMatchObject({ kind: "refused", fault: { code: "TRP_4001" } });
  const adapt = (): never => {
    throw new ToolError("query: too short");
  };
  const on = stage(capability("opaque", [{ name: "a", adapt }, { name: "b" }]));
  expect(await on.run(pay)).toMatchObject({ kind: "success", usage: { adapter: "b" } });
  const none = stage(capability("opaque", [{ name: "a", adapt }]));
  expect(await none.run(pay)).toMatchObject({
    kind: "refused",
    fault: { code: "TRP_2001", message: "query: too short" },
  });
  expect(await outcomes(none)).toEqual(["REFUSED TRP_2001"]);
});

it("gives a slow tool no more than its own time, and the next one the rest", async () => {
  const never = (): Promise<never> => new Promise(() => {});
  const on = stage(capability("pure", [{ name: "a", maxTimeoutMs: 5, execute: never }, { name: "b" }]));
  expect(await on.run({ ...search, timeout_ms: 60_000 })).toMatchObject({ result: { data: "b" } });
  const last = stage(capability("pure", [{ name: "a", execute: never }, { name: "b" }]));
  expect(await last.run({ ...search, timeout_ms: 5 })).toMatchObject({ kind: "failed", fault: { code: "TRP_3001" } });
  expect(asked).toEqual(["a"]);
});

// A router dies after STARTED; another one takes the operation over.
it.each<[Effect, Tool[], string[], string]>([
  ["idempotent", [{ name: "a", health: () => "down" }, { name: "b" }], ["b"], "done"],
  ["keyed", [{ name: "a", health: () => "down" }, { name: "b" }], [], "started"],
  ["keyed", [{ name: "b" }], [], "in-doubt"],
  ["keyed", [{ name: "b" }, { name: "a" }], ["a"], "done"],
  ["keyed", [{ name: "b", system: "acme" }], ["b"], "done"],
  ["opaque", [{ name: "b" }, { name: "a" }], [], "in-doubt"],
])("%s, taken over where the tools are %j: runs %j", async (effect, tools, expected, state) => {
  let now = 1_800_000_000_000;
  const store = new MemoryStore({ now: () => now });
  const hang = { failpoint: (name: string) => (name === "after-start" ? new Promise<void>(() => {}) : undefined) };
  const first = stage(capability(effect, [{ name: "a", system: "acme" }, { name: "b" }]), { store, overrides: hang });
  const lost = first.run(pay);
  await new Promise((resolve) => setImmediate(resolve));
  const [record] = await store.operations.list({ states: ["started"] });
  expect(record?.data).toMatchObject({ adapter: "a", system: "acme" });
  expect((await store.audit.read()).at(-1)?.entry).toMatchObject({ kind: "decision", adapter: "a" });
  now += lease + 1;
  const of = capability(effect, tools);
  const [byRecovery, byCall] = [stage(of, { store }), stage(of, { store })];
  await byRecovery.recover();
  const settled = await byCall.run(pay);
  expect(asked).toEqual(expected);
  const [after] = await store.operations.list({ states: ["started", "done", "in-doubt"] });
  expect(after?.state).toBe(state);
  expect(settled.kind).toBe(state === "done" ? "success" : state === "started" ? "refused" : "unknown");
  void lost;
});

it("asks the tool that was started, in a probe after a crash, and then whoever is first", async () => {
  let now = 1_800_000_000_000;
  const store = new MemoryStore({ now: () => now });
  const asks: string[] = [];
  const probe = (name: string) => () => {
    asks.push(name);
    return { state: "not-applied" };
  };
  const tools = (down: string[]) =>
    ["a", "b"].map((name) => ({ name, probe: probe(name), health: () => (down.includes(name) ? "down" : "ok") }));
  const hang = { failpoint: (name: string) => (name === "after-start" ? new Promise<void>(() => {}) : undefined) };
  void stage(capability("probe", tools([]) as Tool[]), { store, overrides: hang }).run(pay);
  await new Promise((resolve) => setImmediate(resolve));
  now += lease + 1;
  const second = stage(capability("probe", tools(["a"]) as Tool[]), { store });
  expect(await second.recover()).toMatchObject({ probed: 1, inDoubt: 0 });
  expect([asks, asked]).toEqual([["a"], ["b"]]);
  expect(await second.run(pay)).toMatchObject({
    kind: "success",
    usage: { adapter: "b" },
    replayedFrom: expect.any(String),
  });
});

it("keeps the name of the next tool before it is started", async () => {
  let now = 1_800_000_000_000;
  const store = new MemoryStore({ now: () => now });
  let points = 0;
  const failpoint = (name: string) =>
    name === "after-start" && ++points === 2 ? new Promise<void>(() => {}) : undefined;
  const tools: Tool[] = [{ name: "a", execute: notApplied }, { name: "b" }, { name: "c" }];
  void stage(capability("keyed", tools), { store, overrides: { failpoint } }).run(pay);
  await new Promise((resolve) => setImmediate(resolve));
  const [record] = await store.operations.list({ states: ["started"] });
  expect(record?.data).toMatchObject({ adapter: "b", earlier: [{ adapter: "a", outcome: "not-applied" }] });
  now += lease + 1;
  const second = stage(capability("keyed", [{ name: "c" }, { name: "b" }]), { store });
  await second.recover();
  expect(asked).toEqual(["b"]);
});

it("a start that is decided on what was read stands back from what another router began since", async () => {
  let now = 1_800_000_000_000;
  const store = new MemoryStore({ now: () => now });
  // The other router starts, fails and gives up between this one's read and its start.
  const other = rig({ store, capabilities: [capability("keyed", [{ name: "a", execute: broken }])] });
  let isFirst = true;
  const failpoint = async (name: string): Promise<void> => {
    if (name !== "before-start" || !isFirst) return;
    isFirst = false;
    await other.run(pay);
  };
  const on = stage(capability("keyed", [{ name: "b" }, { name: "a", cost: 2 }]), { store, overrides: { failpoint } });
  asked.length = 0;
  expect(await on.run(pay)).toMatchObject({ kind: "success", usage: { adapter: "a" } });
  expect(asked).toEqual(["a", "a"]);
  now += 1;
});

it("covers names and versions of all adapters in the digest, not their order, cost or health", () => {
  const digest = (adapters: readonly Tool[]): string => registerCapability(capability("pure", adapters)).schemaDigest;
  const base = digest([{ name: "a" }, { name: "b" }]);
  expect(
    digest([
      { name: "b", cost: 3, health: () => "down" },
      { name: "a", version: "1" },
    ]),
  ).toBe(base);
  expect(digest([{ name: "a" }, { name: "b", version: "2" }])).not.toBe(base);
  expect(digest([{ name: "a" }])).not.toBe(base);
});

it.each<[string, unknown, RegExp]>([
  ["no adapter", [], /adapters must be a list/],
  ["none that is one", [5], /adapters must be a list/],
  ["a name twice", [{ name: "a" }, { name: "a" }], /adapter a: the name is taken/],
  ["a name that is none", [{ name: "a b" }], /name of an adapter/],
  ["no execute", [{ name: "a", execute: undefined }], /adapter a: execute must be a function/],
  ["a cost that is none", [{ name: "a", cost: "1" }], /adapter a: cost must be a number/],
  ["a misspelt time", [{ name: "a", coolDownMs: 0 }], /coolDownMs must be a whole number above 0/],
  ["an empty system", [{ name: "a", system: "" }], /system must be text/],
  ["a condition that is none", [{ name: "a", when: true }], /when must be a function/],
  [
    "a probe that nobody asks",
    [{ name: "a", probe: () => ({ state: "unknown" }) }],
    /adapter a: a probe function is never asked/,
  ],
])("refuses %s", (_, adapters, message) => {
  const plain = capability("pure", [{ name: "a" }]);
  const list = (adapters as Tool[]).map((each) => (typeof each === "object" ? { execute: () => 1, ...each } : each));
  expect(() => registerCapability({ ...plain, adapters: list } as AnyCapability)).toThrow(message);
});

it("refuses adapters beside execute, a probe effect without probes, and words that no adapter has", () => {
  const plain = capability("pure", [{ name: "a" }]);
  expect(() => registerCapability({ ...plain, execute: () => 1 })).toThrow(/both execute and adapters/);
  expect(() => registerCapability({ ...plain, adapterVersion: "2" })).toThrow(/both adapterVersion and adapters/);
  expect(() => registerCapability(capability("probe", [{ name: "a" }]))).toThrow(/adapter a: effect "probe" needs/);
  expect(() => capability("pure", [{ name: "a", costs: 1 } as Tool])).toThrow(/an adapter has no option "costs"/);
});
