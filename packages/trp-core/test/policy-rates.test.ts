import fc from "fast-check";
import { expect, it, vi } from "vitest";
import { decide } from "../src/policy/decide.ts";
import { createPolicy } from "../src/policy/rules.ts";
import type { PolicyDecision, PolicyEngine, PolicyRule } from "../src/policy/types.ts";
import { createRouter } from "../src/router/create-router.ts";
import { MemoryStore } from "../src/store/memory-store.ts";
import type { RateStore } from "../src/store/types.ts";
import { ledger, openSession } from "./router-rig.ts";
import { policyInput } from "./rules-rig.ts";

type Asked = Parameters<typeof policyInput>[0];

const realTime = Date.parse("2026-11-30T12:00:00Z");
const rateOf = (more: object = {}): PolicyRule[] => [
  { id: "rate", decision: "deny", rate: { limit: 2, windowMs: 60_000, shared: true, ...more } },
];
const policyOf = (rules: PolicyRule[]): PolicyEngine => createPolicy({ version: "1", rules });
const ask = async (policy: PolicyEngine, store?: { rates?: RateStore }, given?: Asked): Promise<string> =>
  (await policy.evaluate(policyInput(given), store)).rule;

it("lets through as many at once as the limit says, whatever it is and whatever the time", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 3_600_000 }), (limit, windowMs) => {
      const policy = policyOf([{ id: "rate", decision: "deny", rate: { limit, windowMs } }]);
      const rules = Array.from({ length: limit + 1 }, () => policy.evaluate(policyInput({ now: realTime })));
      const passed = (rules as PolicyDecision[]).filter(({ rule }) => rule !== "rate");
      expect(passed).toHaveLength(limit);
    }),
    { numRuns: 200 },
  );
});

it("answers at once unless it counts in the store", () => {
  expect(policyOf(rateOf({ shared: false })).evaluate(policyInput(), new MemoryStore())).not.toBeInstanceOf(Promise);
  expect(policyOf(rateOf()).evaluate(policyInput(), new MemoryStore())).toBeInstanceOf(Promise);
});

it("counts a shared rate once for all policies on a store, also when its numbers change, and others apart", async () => {
  const store = new MemoryStore();
  const [one, other] = [policyOf(rateOf()), policyOf(rateOf({ limit: 4 }))];
  expect([await ask(one, store), await ask(other, store), await ask(other, store)]).toEqual([
    "low-allowed",
    "low-allowed",
    "low-allowed",
  ]);
  expect([await ask(one, store), await ask(other, store)]).toEqual(["rate", "rate"]);
  expect(await ask(one, store, { principal: { id: "bob" } })).toBe("low-allowed");
  expect(await ask(one, store, { principal: { tenant: "other" } })).toBe("low-allowed");
  const otherId: PolicyRule[] = rateOf().map((rule) => ({ ...rule, id: "another" }));
  expect(await ask(policyOf(otherId), store)).toBe("low-allowed");
});

it("goes on with the rules after a shared rate that is not used up, and counts at admission alone", async () => {
  const store = new MemoryStore();
  const policy = policyOf([
    ...rateOf({ limit: 1 }),
    { id: "none", decision: "deny", who: { tenants: ["none"] } },
    { id: "second", decision: "approve", rate: { limit: 1, windowMs: 60_000, shared: true, per: [] } },
    { id: "last", decision: "allow" },
  ]);
  expect(await ask(policy, store, { phase: "start" })).toBe("last");
  expect(await ask(policy, store)).toBe("last");
  expect(await ask(policy, store, { principal: { id: "bob" } })).toBe("second");
  expect(await policy.evaluate(policyInput(), store)).toMatchObject({ rule: "rate", retryAfterMs: expect.any(Number) });
});

it("asks the store with keys of one length, whatever the names", async () => {
  const keys = new Set<string>();
  const rates: RateStore = {
    async take(key) {
      keys.add(key);
      return { ok: true };
    },
  };
  const policy = policyOf(rateOf({ per: ["principal", "capability"] }));
  for (const id of ["a", "x".repeat(5_000), "\ud800", "\ud801", '"', "\0"])
    await ask(policy, { rates }, { principal: { id } });
  expect(keys.size).toBe(6);
  for (const key of keys) expect(key).toMatch(/^sha256:[0-9a-f]{64}$/);
});

it("denies for now what the store can't count, and for good where there is no store", async () => {
  const policy = policyOf(rateOf());
  const rates: RateStore = { take: async () => Promise.reject(new Error("secret")) };
  const failed = await decide(policy, policyInput(), { rates });
  expect(failed).toMatchObject({ decision: "deny", rule: "rate", retryAfterMs: 1_000 });
  expect(JSON.stringify(failed)).not.toContain("secret");
  expect(await decide(policy, policyInput())).toMatchObject({ decision: "deny", rule: "policy-error" });
});

it("is not taken by a router whose store counts no rates, also as a fallback", () => {
  const store = Object.assign(new MemoryStore(), { rates: undefined }) as unknown as MemoryStore;
  const inner = policyOf(rateOf());
  for (const policy of [inner, createPolicy({ version: "1", rules: [], fallback: inner })]) {
    expect(policy.sharedRates).toBe(true);
    expect(() => createRouter({ policy, store })).toThrow(
      /rate\.shared, and the store \(memory\) counts no rates: take/,
    );
  }
  expect(() => createRouter({ policy: policyOf(rateOf({ shared: false })), store })).not.toThrow();
});

it("is counted by two routers on one store together", async () => {
  const store = new MemoryStore();
  const { capabilities } = ledger();
  const take = vi.spyOn(store.rates, "take");
  const routers = [1, 2].map(() => createRouter({ policy: policyOf(rateOf()), store, capabilities }));
  const sessions = await Promise.all(routers.map((router) => openSession(router)));
  const answers: unknown[] = [];
  for (const session of [...sessions, ...sessions])
    answers.push(await session.call({ cap_id: "cap.test.read.v1", args: { text: "x" } }));
  expect(take).toHaveBeenCalledTimes(4);
  expect(answers).toMatchObject([
    { frame_type: "RESULT" },
    { frame_type: "RESULT" },
    { frame_type: "NACK", payload: { error_code: "TRP_4006", retry_hint: { backoff_ms: expect.any(Number) } } },
    { frame_type: "NACK", payload: { error_code: "TRP_4006" } },
  ]);
  await Promise.all(routers.map((router) => router.close()));
});
