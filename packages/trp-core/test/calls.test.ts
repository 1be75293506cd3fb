import { ToolError, ToolglotError } from "@toolglot/core";
import { expect, it } from "vitest";
import type { CallFrame } from "../src/calls/types.ts";
import { CapabilityError } from "../src/catalog/capability-error.ts";
import { uuidV7 } from "../src/digest/ids.ts";
import { fault } from "../src/frames/fault.ts";
import { emptyHead } from "../src/frames/replies.ts";
import { principal } from "../src/identity/principal.ts";
import { createPolicy } from "../src/policy/rules.ts";
import type { PolicyEngine } from "../src/policy/types.ts";
import { MemoryStore } from "../src/store/memory-store.ts";
import { add, look, note, read, World } from "./calls-capabilities.ts";
import { alice, gate, outcomes, rig } from "./calls-rig.ts";

const code = (settled: { kind: string }): string =>
  (settled as { fault?: { code: string } }).fault?.code ?? settled.kind;

it("runs a call without a key and without an operation", async () => {
  const router = rig({ capabilities: [look()] });
  const settled = await router.run(read({ args: { about: "tea" } }));
  expect(settled).toMatchObject({
    kind: "success",
    result: { data: { about: "tea" } },
    proof: { decision: "allow", rule: "low-allowed" },
    usage: { router_ms: expect.any(Number), adapter_ms: expect.any(Number), executor_ms: expect.any(Number) },
  });
  expect(await router.audit()).toMatchObject([
    { kind: "outcome", result_status: "SUCCESS", policy_decision: "allow", idempotency_key: null },
  ]);
  expect(router.events.map((event) => event.type)).toEqual(["call.accepted", "call.executed", "call.succeeded"]);
  expect(await router.store.operations.list({ states: ["started", "done", "failed", "in-doubt"] })).toEqual([]);
});

it("runs a call with a key, and repeats its outcome", async () => {
  const world = new World();
  const router = rig({ capabilities: [note(world)] });
  const first = await router.run(add("hi", { idempotency_key: "k1", call_id: "c1" }));
  expect(first).toMatchObject({ kind: "success", result: { data: { text: "hi", attempt: 1 } } });
  expect(first).not.toHaveProperty("replayedFrom");
  const again = await router.run(add("hi", { idempotency_key: "k1", call_id: "c2" }), { sessionId: "sess_2" });
  expect(again).toMatchObject({ kind: "success", result: { data: { text: "hi", attempt: 1 } }, replayedFrom: "c1" });
  expect(world.ledger).toHaveLength(1);
  expect((await router.audit()).map((row) => `${row.kind} ${row.result_status} ${row.call_id}`)).toEqual([
    "decision STARTED c1",
    "outcome SUCCESS c1",
    "outcome SUCCESS c2",
  ]);
  expect(router.events.at(-1)).toMatchObject({ type: "call.succeeded", replayed: true, callId: "c2" });
});

it("refuses a WRITE without a key, and a MEDIUM READ (9.1)", async () => {
  const world = new World();
  const router = rig({ capabilities: [note(world), look({ riskTier: "MEDIUM" })] });
  for (const item of [add(), add("x", { idempotency_key: null }), read()]) {
    expect(await router.run(item)).toMatchObject({
      kind: "refused",
      fault: { code: "TRP_4003", errorClass: "NON_IDEMPOTENT_BLOCKED", retryable: false, dispatched: false },
    });
  }
  expect(world.executions).toBe(0);
  expect(await outcomes(router)).toEqual(["REFUSED TRP_4003", "REFUSED TRP_4003", "REFUSED TRP_4003"]);
});

it("looks at arguments before the key, at the key before the policy, at the policy before the operation", async () => {
  const world = new World();
  const policy: PolicyEngine = {
    version: "1",
    evaluate: () => ({ decision: "deny", rule: "today", reason: "not today" }),
  };
  const router = rig({ capabilities: [note(world)], overrides: { policy } });
  expect(code(await router.run(add("x", { args: { wrong: 1 } })))).toBe("TRP_2001");
  expect(code(await router.run(add("x")))).toBe("TRP_4003");
  expect(code(await router.run(add("x", { idempotency_key: "k" })))).toBe("TRP_4001");
  expect(await router.store.operations.list({ states: ["claimed", "started"] })).toEqual([]);
  expect(router.events.filter((event) => event.type === "call.policy_denied")).toHaveLength(1);
});

it("is refused by rate as TRP_4006 with when to come again", async () => {
  const router = rig({
    capabilities: [look()],
    overrides: {
      policy: {
        version: "1",
        evaluate: () => ({ decision: "deny", rule: "rate", reason: "too many", retryAfterMs: 700 }),
      },
    },
  });
  expect(await router.run(read())).toMatchObject({
    kind: "refused",
    fault: { code: "TRP_4006", errorClass: "TRANSIENT", retryable: true, retryHint: { backoff_ms: 700 } },
  });
  expect(router.events.at(-1)).toMatchObject({ type: "call.retry_suggested", code: "TRP_4006", backoffMs: 700 });
});

it("tells the same key with other arguments or another version as a conflict", async () => {
  const world = new World();
  const router = rig({ capabilities: [note(world), note(world, { more: { capId: "cap.note.add.v2" } })] });
  expect(code(await router.run(add("a", { idempotency_key: "k" })))).toBe("success");
  expect(code(await router.run(add("b", { idempotency_key: "k" })))).toBe("TRP_4004");
  expect(code(await router.run({ ...add("a", { idempotency_key: "k" }), cap_id: "cap.note.add.v2" }))).toBe("TRP_4004");
  expect(world.ledger).toHaveLength(1);
});

it("keeps keys of tenants, principals and families apart", async () => {
  const world = new World();
  const router = rig({ capabilities: [note(world), note(world, { more: { capId: "cap.other.add.v1" } })] });
  const key = { idempotency_key: "same" };
  await router.run(add("a", key));
  await router.run(add("a", key), { who: principal({ id: "carol" }) });
  await router.run(add("a", key), { who: principal({ id: "alice", tenant: "elsewhere" }) });
  await router.run({ ...add("a", key), cap_id: "cap.other.add.v1" });
  expect(new Set(world.ledger).size).toBe(4);
});

it("passes the same key downstream at every attempt, and another for another operation", async () => {
  const keys: string[] = [];
  let failures = 1;
  const world = new World();
  const flaky = note(world, {
    effect: "keyed",
    before: (context) => {
      keys.push(`${context.operationKey} ${context.attempt} ${context.fence !== undefined}`);
      if (failures-- > 0) throw new Error("cut");
    },
  });
  const router = rig({ capabilities: [flaky], overrides: { downstreamSecret: "s" } });
  await router.run(add("a", { idempotency_key: "k" }));
  await router.run(add("a", { idempotency_key: "k" }));
  await router.run(add("a", { idempotency_key: "other" }));
  const [first, second, third] = keys.map((line) => line.split(" "));
  expect(first?.[0]).toBe(second?.[0]);
  expect(first?.[0]).not.toBe(third?.[0]);
  expect([first?.[1], second?.[1], third?.[1]]).toEqual(["1", "2", "1"]);
  expect(first?.[2]).toBe("true");
  expect(first?.[0]).toMatch(/^[\w-]{43}$/);
});

it("replays a definite failure, whether told by ToolError or CapabilityError", async () => {
  const world = new World();
  const errors = [new ToolError("no such note"), new CapabilityError("box is full", { outcome: "failed" })];
  for (const [index, error] of errors.entries()) {
    const failing = note(world, {
      before: () => {
        throw error;
      },
    });
    const router = rig({ capabilities: [failing] });
    const expected = {
      kind: "failed",
      fault: { code: "TRP_3002", message: error.message, dispatched: true, retryable: false },
    };
    expect(await router.run(add("a", { idempotency_key: "k", call_id: "c1" }))).toMatchObject(expected);
    expect(await router.run(add("a", { idempotency_key: "k" }))).toMatchObject({ ...expected, replayedFrom: "c1" });
    expect(world.executions).toBe(index + 1);
  }
  expect(world.ledger).toEqual([]);
});

it("sets the key free when it is proven that nothing was applied", async () => {
  const world = new World();
  let first = true;
  const router = rig({
    capabilities: [
      note(world, {
        before: () => {
          if (!first) return;
          first = false;
          throw new CapabilityError("connection refused", { outcome: "not-applied" });
        },
      }),
    ],
  });
  expect(await router.run(add("a", { idempotency_key: "k" }))).toMatchObject({
    kind: "failed",
    fault: { code: "TRP_3002", errorClass: "TRANSIENT", retryable: true, dispatched: true },
  });
  expect(await router.run(add("a", { idempotency_key: "k" }))).toMatchObject({ kind: "success" });
  expect(world.ledger).toHaveLength(1);
});

it("tells a transient definite failure as one that a new key may mend", async () => {
  const failing = (more = {}) =>
    note(new World(), {
      before: () => {
        throw new CapabilityError("quota", { outcome: "failed", transient: true });
      },
      more,
    });
  const keyed = rig({ capabilities: [failing()] });
  expect(await keyed.run(add("a", { idempotency_key: "k" }))).toMatchObject({
    kind: "failed",
    fault: { errorClass: "TRANSIENT", retryable: false, fix: expect.stringContaining("new idempotency_key") },
  });
  const unkeyed = rig({
    capabilities: [
      look({
        execute: () => {
          throw new CapabilityError("quota", { outcome: "failed", transient: true });
        },
      }),
    ],
  });
  expect(await unkeyed.run(read())).toMatchObject({ fault: { errorClass: "TRANSIENT", retryable: true } });
});

it("never lets an exception's text out", async () => {
  for (const effect of ["pure", "idempotent", "keyed", "probe", "opaque"] as const) {
    const router = rig({
      capabilities: [
        note(new World(), {
          effect,
          before: () => {
            throw new Error("password=hunter2 at /srv/app");
          },
        }),
      ],
    });
    const settled = await router.run(add("a", { idempotency_key: "k" }));
    expect(JSON.stringify(settled)).not.toMatch(/hunter2|srv/);
    expect(JSON.stringify(await router.audit())).not.toMatch(/hunter2|srv/);
  }
});

it("answers a timeout after dispatch by effect: retryable only when it may run again", async () => {
  const slow = { before: () => new Promise<never>(() => {}) };
  for (const effect of ["pure", "idempotent", "keyed"] as const) {
    const router = rig({ capabilities: [note(new World(), { effect, ...slow })] });
    const settled = await router.run(add("a", { idempotency_key: "k", timeout_ms: 20 }));
    expect(settled).toMatchObject({
      kind: "failed",
      fault: { code: "TRP_3001", errorClass: "TRANSIENT", retryable: true, dispatched: true },
    });
    expect(await outcomes(router)).toEqual(["FAILED TRP_3001"]);
  }
  const router = rig({ capabilities: [note(new World(), { effect: "opaque", ...slow })] });
  expect(await router.run(add("a", { idempotency_key: "k", timeout_ms: 20 }))).toMatchObject({
    kind: "unknown",
    fault: { code: "TRP_3004", retryable: false, dispatched: true },
  });
  expect(router.events.map((event) => event.type)).toContain("call.in_doubt");
  expect(await router.run(add("a", { idempotency_key: "k" }))).toMatchObject({ kind: "unknown" });
});

it("asks a probe after a timeout, and goes by what it says", async () => {
  for (const [happened, expected] of [
    [true, { kind: "success", result: { data: { probed: true } } }],
    [false, { kind: "failed", fault: { code: "TRP_3002", errorClass: "TRANSIENT", retryable: true } }],
  ] as const) {
    const world = new World();
    const hang = () => new Promise<never>(() => {});
    const router = rig({
      capabilities: [note(world, { effect: "probe", ...(happened ? { after: hang } : { before: hang }) })],
    });
    expect(await router.run(add("a", { idempotency_key: "k", timeout_ms: 20 }))).toMatchObject(expected);
  }
});

it("is in doubt when the probe can't tell, throws, hangs or answers nonsense", async () => {
  const probes = [
    () => ({ state: "unknown" }),
    () => {
      throw new Error("down");
    },
    () => new Promise(() => {}),
    () => "yes",
    () => undefined,
  ];
  for (const probe of probes) {
    const router = rig({
      capabilities: [
        note(new World(), {
          effect: "probe",
          before: () => {
            throw new Error("cut");
          },
          more: { probe } as never,
        }),
      ],
    });
    expect(code(await router.run(add("a", { idempotency_key: "k", timeout_ms: 20 })))).toBe("TRP_3004");
    expect(await router.store.operations.list({ states: ["in-doubt"] })).toHaveLength(1);
  }
});

it("runs an abandoned attempt again at the next call, with the next fence", async () => {
  const fences: number[] = [];
  let fail = true;
  const router = rig({
    capabilities: [
      note(new World(), {
        effect: "idempotent",
        before: ({ fence }) => {
          fences.push(fence ?? 0);
          if (!fail) return;
          fail = false;
          throw new Error("cut");
        },
      }),
    ],
  });
  expect(code(await router.run(add("a", { idempotency_key: "k" })))).toBe("TRP_3002");
  expect(await router.run(add("a", { idempotency_key: "k" }))).toMatchObject({
    kind: "success",
    result: { data: { attempt: 2 } },
  });
  expect(fences[1]).toBeGreaterThan(fences[0] as number);
});

it("refuses effects on a store that forgets, unless told otherwise", async () => {
  const world = new World();
  const router = rig({ capabilities: [note(world), look()], overrides: { allowVolatile: false } });
  expect(await router.run(add("a", { idempotency_key: "k" }))).toMatchObject({
    kind: "refused",
    fault: { code: "TRP_4001", message: expect.stringContaining("memory") },
  });
  expect(await router.run(read())).toMatchObject({ kind: "success" });
  expect(world.executions).toBe(0);
});

it("refuses a key that is older than outcomes are remembered", async () => {
  let now = 1_800_000_000_000;
  const day = 86_400_000;
  const world = new World();
  const router = rig({ store: new MemoryStore({ now: () => now }), capabilities: [note(world)] });
  const key = uuidV7(now);
  expect(code(await router.run(add("a", { idempotency_key: key })))).toBe("success");
  now += day + 1;
  // Forgotten, and known to be too old; a key that says nothing of its age is remembered by the store.
  expect(code(await router.run(add("a", { idempotency_key: key })))).toBe("TRP_4005");
  expect(code(await router.run(add("a", { idempotency_key: uuidV7(now - day - 1) })))).toBe("TRP_4005");
  expect(code(await router.run(add("a", { idempotency_key: uuidV7(now - day + 1) })))).toBe("success");
  await router.run(add("a", { idempotency_key: "ageless" }));
  now += day + 1;
  expect(code(await router.run(add("a", { idempotency_key: "ageless" })))).toBe("TRP_4005");
  now += 31 * day;
  expect(code(await router.run(add("a", { idempotency_key: "ageless" })))).toBe("success");
  expect(world.ledger).toHaveLength(4);
});

it("refuses what its adapter can't take before anything is claimed or asked for", async () => {
  const world = new World();
  const router = rig({
    capabilities: [
      note(world, {
        more: {
          riskTier: "HIGH",
          adapt: () => {
            throw new Error("broken adapter");
          },
        },
      }),
    ],
  });
  expect(code(await router.run(add("a", { idempotency_key: "k" })))).toBe("TRP_5001");
  expect(await router.store.operations.list({ states: ["claimed", "started", "in-doubt"] })).toEqual([]);
  expect(await router.store.approvals.list({ tenant: "default" })).toEqual([]);
});

it("gives no replay to who lost the right", async () => {
  const world = new World();
  const router = rig({ capabilities: [note(world)] });
  await router.run(add("a", { idempotency_key: "k" }));
  const readonly = principal({ id: "alice", roles: ["readonly"] });
  expect(code(await router.run(add("a", { idempotency_key: "k" }), { who: readonly }))).toBe("TRP_4001");
});

it("asks the policy again right before the start", async () => {
  const world = new World();
  const phases: string[] = [];
  const router = rig({
    capabilities: [note(world)],
    overrides: {
      policy: {
        version: "1",
        evaluate: ({ phase }) => {
          phases.push(phase);
          return { decision: phase === "start" ? "deny" : "allow", rule: "late", reason: "not any more" };
        },
      },
    },
  });
  expect(code(await router.run(add("a", { idempotency_key: "k" })))).toBe("TRP_4001");
  expect(phases).toEqual(["admission", "start"]);
  expect(world.executions).toBe(0);
  expect(await router.store.operations.list({ states: ["claimed", "started"] })).toEqual([]);
});

it("needs an approval that the policy asks for only at the start", async () => {
  const world = new World();
  const router = rig({
    capabilities: [note(world)],
    overrides: {
      policy: {
        version: "1",
        evaluate: ({ phase }) => ({
          decision: phase === "start" ? "approve" : "allow",
          rule: "late",
          reason: "by now",
        }),
      },
    },
  });
  expect(code(await router.run(add("a", { idempotency_key: "k" })))).toBe("TRP_4002");
  expect(world.executions).toBe(0);
});

it("needs a key where an approval is asked for", async () => {
  const ask = createPolicy({ version: "1", rules: [{ id: "ask", decision: "approve", reason: "ask first" }] });
  const router = rig({ capabilities: [look()], overrides: { policy: ask } });
  expect(code(await router.run(read()))).toBe("TRP_4003");
  expect(code(await router.run(read({ idempotency_key: "k" })))).toBe("TRP_4002");
});

it("gives the place back whatever happens", async () => {
  let taken = 0;
  const world = new World();
  const places = {
    take: () => {
      taken += 1;
      return () => {
        taken -= 1;
      };
    },
  };
  const failing = note(world, {
    before: () => {
      throw new Error("cut");
    },
  });
  const router = rig({ capabilities: [failing, look()], overrides: { places } });
  await router.run(add("a", { idempotency_key: "k" }));
  await router.run(add("a", { idempotency_key: "k" }));
  await router.run(read());
  expect(taken).toBe(0);
});

it("is refused without a place, and leaves the key free", async () => {
  const world = new World();
  const full = { take: () => fault("TRP_5003") };
  const store = new MemoryStore();
  const router = rig({ store, capabilities: [note(world), look()], overrides: { places: full } });
  expect(code(await router.run(add("a", { idempotency_key: "k" })))).toBe("TRP_5003");
  expect(code(await router.run(read()))).toBe("TRP_5003");
  const other = rig({ store, capabilities: [note(world)] });
  expect(code(await other.run(add("a", { idempotency_key: "k" })))).toBe("success");
});

it("is refused as retryable when the store fails before the start", async () => {
  const world = new World();
  for (const broken of ["read", "start"] as const) {
    const store = new MemoryStore();
    const router = rig({ store, capabilities: [note(world)] });
    // Only a key that is known is looked up.
    if (broken === "read") expect(code(await router.run(add("a", { idempotency_key: "k" })))).toBe("success");
    const original = store.operations[broken].bind(store.operations);
    Object.assign(store.operations, {
      [broken]: async () => {
        throw new ToolglotError("trp/store-locked", "busy");
      },
    });
    expect(await router.run(add("a", { idempotency_key: "k" }))).toMatchObject({
      kind: "refused",
      fault: { code: "TRP_5003", retryable: true, dispatched: false },
    });
    Object.assign(store.operations, { [broken]: original });
    expect(code(await router.run(add("a", { idempotency_key: "k" })))).toBe("success");
  }
  expect(world.ledger).toHaveLength(2);
});

it("tells what ran without a key and could not be recorded as retryable", async () => {
  const store = new MemoryStore();
  const router = rig({ store, capabilities: [look()] });
  Object.assign(store.audit, {
    append: async () => {
      throw new ToolglotError("trp/store-locked", "busy");
    },
  });
  expect(await router.run(read())).toMatchObject({
    kind: "failed",
    fault: { code: "TRP_5001", retryable: true, dispatched: true },
  });
});

it("never rejects, whatever part is broken", async () => {
  const broken = (): never => {
    throw new Error("broken part");
  };
  const keyed = { idempotency_key: "k" };
  const parts = [
    ["checkArguments", broken],
    ["executor", { run: broken }],
    ["shaper", { shape: broken }],
    ["places", { take: broken }],
    ["policy", { version: "1", evaluate: broken }],
  ] as const;
  for (const [name, part] of parts) {
    const world = new World();
    const router = rig({ capabilities: [note(world), look()], overrides: { [name]: part } });
    for (const item of [add("a", keyed), read()]) {
      const settled = await router.run(item);
      expect(JSON.stringify(settled)).not.toContain("broken part");
      if (name !== "shaper") expect(settled.kind).not.toBe("success");
    }
    expect(world.ledger.length).toBeLessThanOrEqual(1);
  }
});

const frame: CallFrame = { head: { ...emptyHead, frameId: "frm_1" }, known: undefined };

it("commits the frame's answer with the end of the operation", async () => {
  const world = new World();
  const store = new MemoryStore();
  const router = rig({ store, capabilities: [note(world)] });
  const finished: unknown[] = [];
  const finish = store.operations.finish.bind(store.operations);
  Object.assign(store.operations, {
    finish: async (...parameters: Parameters<typeof finish>) => {
      finished.push(parameters[2]?.answer);
      return finish(...parameters);
    },
  });
  const call = router.call(add("a", { idempotency_key: "k", call_id: "c1" }), { frameId: "frm_1" });
  const { reply } = await router.pipeline.run(call, { frame });
  expect(reply).toMatchObject({ frame_type: "RESULT", frame_id: "res_frm_1", payload: { call_id: "c1" } });
  const outcomes = [["c1", { type: "RESULT", payload: reply?.payload }]];
  expect(finished).toEqual([{ sessionId: "sess_1", frameId: "frm_1", reply, outcomes }]);
});

it("records the answer of what needed no operation, and none while it is in progress", async () => {
  const store = new MemoryStore();
  const world = new World();
  const { passed, open } = gate();
  const router = rig({ store, capabilities: [look(), note(world, { before: () => passed })] });
  const answered: string[] = [];
  Object.assign(store.sessions, { answer: async ({ frameId }: { frameId: string }) => void answered.push(frameId) });
  await router.run(read(), { frame, frameId: "success" });
  await router.run(add(), { frame, frameId: "refused" });
  const running = router.run(add("a", { idempotency_key: "k" }));
  const again = router.call(add("a", { idempotency_key: "k" }), { frameId: "in-progress" });
  expect((await router.pipeline.run(again, { frame })).reply?.frame_type).toBe("ACK");
  expect(answered).toEqual(["success", "refused"]);
  open();
  await running;
});

it("writes one outcome row for every call, all fields of 14.1 in it", async () => {
  const router = rig({ capabilities: [note(new World()), look()] });
  await router.run(read());
  await router.run(add());
  await router.run(add("a", { idempotency_key: "k" }));
  await router.run(add("a", { idempotency_key: "k" }));
  await router.run(add("b", { idempotency_key: "k", attempt: 3 }));
  expect(await outcomes(router)).toEqual(["SUCCESS", "REFUSED TRP_4003", "SUCCESS", "SUCCESS", "REFUSED TRP_4004"]);
  const row = (await router.audit()).at(-1);
  expect(row).toMatchObject({
    trace_id: "trc_1",
    session_id: "sess_1",
    catalog_epoch: 1,
    seq: 1,
    call_id: expect.any(String),
    idx: 0,
    cap_id: "cap.note.add.v1",
    idempotency_key: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    policy_decision: "allow",
    attempt: 3,
    latency_ms: expect.any(Number),
    result_status: "REFUSED",
    error_class: "NON_IDEMPOTENT_BLOCKED",
    error_code: "TRP_4004",
  });
  expect(JSON.stringify(await router.audit())).not.toContain('"k"');
});

it("tells the state of an operation without running it", async () => {
  const world = new World();
  const router = rig({ capabilities: [note(world)] });
  const key = { scope: JSON.stringify(["trp", alice.tenant, alice.id, "cap.note.add"]), key: "k" };
  expect(await router.pipeline.inspect(key)).toBeUndefined();
  await router.run(add("a", { idempotency_key: "k", call_id: "c1" }));
  expect(await router.pipeline.inspect(key)).toMatchObject({ kind: "success", replayedFrom: "c1" });
  expect(world.executions).toBe(1);
});
