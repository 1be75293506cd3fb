import { wildcardTest } from "@toolglot/internal";
import fc from "fast-check";
import { expect, it } from "vitest";
import { policyRuleProblems } from "../src/policy/check-rules.ts";
import { defaultPolicy } from "../src/policy/decide.ts";
import { createPolicy } from "../src/policy/rules.ts";
import type { ArgumentCondition, PolicyDecision, PolicyRule } from "../src/policy/types.ts";
import { policyInput } from "./rules-rig.ts";

type Asked = Parameters<typeof policyInput>[0];

const policy = (rules: PolicyRule[]): ((given?: Asked) => PolicyDecision) => {
  const engine = createPolicy({ version: "1", rules, fallback: "deny" });
  return (given) => engine.evaluate(policyInput(given)) as PolicyDecision;
};

/** Whether a rule with this one part holds. */
const holds = (part: Partial<PolicyRule>, given?: Asked): boolean =>
  policy([{ id: "it", decision: "allow", ...part }])(given).rule === "it";

it("the first rule that holds decides, and is named", () => {
  const ask = policy([
    { id: "no-mail", decision: "deny", reason: "mail is off", which: { families: ["cap.mail.*"] } },
    { id: "mail-of-bots", decision: "approve", which: { families: ["cap.mail.*"] }, who: { roles: ["bot"] } },
    { id: "rest", decision: "allow" },
  ]);
  expect(ask({ capability: { family: "cap.mail.send" }, principal: { roles: ["bot"] } })).toEqual({
    decision: "deny",
    rule: "no-mail",
    reason: "mail is off",
  });
  expect(ask()).toEqual({ decision: "allow", rule: "rest", reason: "the rule rest allows this call" });
});

it("without a rule that holds, the fallback decides: the default policy, another, or deny", () => {
  const rules: PolicyRule[] = [{ id: "x", decision: "allow", who: { tenants: ["nobody"] } }];
  const input = policyInput({ capability: { riskTier: "HIGH" } });
  expect(createPolicy({ version: "1", rules }).evaluate(input)).toEqual(defaultPolicy().evaluate(input));
  expect(createPolicy({ version: "1", rules, fallback: "deny" }).evaluate(input)).toMatchObject({
    decision: "deny",
    rule: "no-rule",
  });
  const broken = {
    version: "1",
    evaluate() {
      throw new Error("secret");
    },
  };
  expect(createPolicy({ version: "1", rules, fallback: broken }).evaluate(input)).toMatchObject({
    decision: "deny",
    rule: "policy-error",
  });
});

it.each<[string, Partial<PolicyRule>, Asked, boolean]>([
  ["tenant", { who: { tenants: ["acme", "other"] } }, {}, true],
  ["other tenant", { who: { tenants: ["other"] } }, {}, false],
  ["principal", { who: { principals: ["alice"] } }, {}, true],
  ["other principal", { who: { principals: ["bob"] } }, {}, false],
  ["one of the roles", { who: { roles: ["a", "b"] } }, { principal: { roles: ["b"] } }, true],
  ["none of the roles", { who: { roles: ["a", "b"] } }, { principal: { roles: ["c"] } }, false],
  ["without a role", { who: { withoutRoles: ["a"] } }, { principal: { roles: ["b"] } }, true],
  ["not without a role", { who: { withoutRoles: ["a", "b"] } }, { principal: { roles: ["b"] } }, false],
  ["can_delete", { who: { canDelete: true } }, { principal: { canDelete: true } }, true],
  ["not can_delete", { who: { canDelete: true } }, {}, false],
  ["cap_id", { which: { capIds: ["cap.*.read.v?"] } }, {}, true],
  ["other cap_id", { which: { capIds: ["cap.test.read"] } }, {}, false],
  ["family", { which: { families: ["cap.test.*"] } }, {}, true],
  ["other family", { which: { families: ["cap.test"] } }, {}, false],
  ["risk", { which: { riskTiers: ["MEDIUM", "LOW"] } }, {}, true],
  ["other risk", { which: { riskTiers: ["HIGH"] } }, {}, false],
  ["io class", { which: { ioClass: "READ" } }, {}, true],
  ["other io class", { which: { ioClass: "WRITE" } }, {}, false],
  ["effect", { which: { effects: ["pure"] } }, {}, true],
  ["other effect", { which: { effects: ["opaque", "keyed"] } }, {}, false],
  ["all parts", { who: { tenants: ["acme"] }, which: { ioClass: "READ" } }, {}, true],
  ["not all parts", { who: { tenants: ["acme"] }, which: { ioClass: "WRITE" } }, {}, false],
])("who and which: %s", (_name, part, given, expected) => {
  expect(holds(part, given)).toBe(expected);
});

const args = {
  n: 5,
  s: "hello",
  b: null,
  list: [1, "two", { to: "a@x.org" }],
  "a/b": { "~": true },
  o: { x: 1, y: 2 },
};

it.each<[ArgumentCondition, boolean]>([
  [{ at: "/n", equals: 5 }, true],
  [{ at: "/n", equals: "5" }, false],
  [{ at: "/o", equals: { y: 2, x: 1 } }, true],
  [{ at: "", exists: true }, true],
  [{ at: "/n", in: [1, 5] }, true],
  [{ at: "/n", in: [1, "5"] }, false],
  [{ at: "/n", greaterThan: 4 }, true],
  [{ at: "/n", greaterThan: 5 }, false],
  [{ at: "/n", lessThan: 6 }, true],
  [{ at: "/n", lessThan: 5 }, false],
  [{ at: "/s", greaterThan: 0 }, false],
  [{ at: "/s", matches: ["h*o", "x"] }, true],
  [{ at: "/s", matches: ["ell"] }, false],
  [{ at: "/s", matches: ["HELLO"] }, false],
  [{ at: "/n", matches: ["*"] }, false],
  [{ at: "/b", exists: true }, true],
  [{ at: "/b", equals: null }, true],
  [{ at: "/none", exists: false }, true],
  [{ at: "/none", exists: true }, false],
  [{ at: "/n", exists: false }, false],
  [{ at: "/n", not: true, exists: false }, true],
  [{ at: "/none", not: true, equals: 1 }, false],
  [{ at: "/s", not: true, equals: "bye" }, true],
  [{ at: "/s", maxLength: 5 }, true],
  [{ at: "/s", maxLength: 4 }, false],
  [{ at: "/s", not: true, maxLength: 4 }, true],
  [{ at: "/list", maxLength: 3 }, true],
  [{ at: "/o", maxLength: 1 }, false],
  [{ at: "/n", maxLength: 100 }, false],
  [{ at: "/list/1", equals: "two" }, true],
  [{ at: "/list/9", exists: false }, true],
  [{ at: "/list/01", exists: false }, true],
  [{ at: "/list/length", exists: false }, true],
  [{ at: "/list/2/to", matches: ["*@x.org"] }, true],
  [{ at: "/list/*", equals: "two" }, true],
  [{ at: "/list/*", not: true, equals: "two" }, true],
  [{ at: "/list/*", in: [7] }, false],
  [{ at: "/list/*/to", exists: true }, true],
  [{ at: "/a~1b/~0", equals: true }, true],
  [{ at: "/__proto__", exists: true }, false],
  [{ at: "/toString", exists: true }, false],
  [{ at: "/n", greaterThan: 4, lessThan: 5 }, false],
  [{ at: "/n", greaterThan: 4, lessThan: 6, in: [5] }, true],
])("arguments: %j holds: %s", (condition, expected) => {
  expect(holds({ args: [condition] }, { args })).toBe(expected);
});

it("arguments: all conditions must hold", () => {
  expect(
    holds(
      {
        args: [
          { at: "/n", equals: 5 },
          { at: "/s", equals: "hello" },
        ],
      },
      { args },
    ),
  ).toBe(true);
  expect(
    holds(
      {
        args: [
          { at: "/n", equals: 5 },
          { at: "/s", equals: "x" },
        ],
      },
      { args },
    ),
  ).toBe(false);
});

it("a text too long to be matched denies by that rule, also where it would have been allowed", () => {
  const ask = policy([{ id: "only-short", decision: "allow", args: [{ at: "/s", matches: ["a*"] }] }]);
  expect(ask({ args: { s: "a".repeat(65_536) } }).decision).toBe("allow");
  expect(ask({ args: { s: "a".repeat(65_537) } })).toMatchObject({ decision: "deny", rule: "only-short" });
});

it.each<[NonNullable<PolicyRule["when"]>, string, boolean]>([
  [{ weekdays: ["sat"] }, "2026-11-21T00:00:00Z", true],
  [{ weekdays: ["sat"] }, "2026-11-21T23:59:59Z", true],
  [{ weekdays: ["sat"] }, "2026-11-22T00:00:00Z", false],
  [{ hours: { from: 9, to: 17 } }, "2026-11-21T09:00:00Z", true],
  [{ hours: { from: 9, to: 17 } }, "2026-11-21T16:59:59Z", true],
  [{ hours: { from: 9, to: 17 } }, "2026-11-21T17:00:00Z", false],
  [{ hours: { from: 22, to: 6 } }, "2026-11-21T23:00:00Z", true],
  [{ hours: { from: 22, to: 6 } }, "2026-11-21T05:59:00Z", true],
  [{ hours: { from: 22, to: 6 } }, "2026-11-21T06:00:00Z", false],
  [{ hours: { from: 0, to: 24 } }, "2026-11-21T23:59:00Z", true],
  [{ notBefore: "2026-11-21T13:00:00+01:00" }, "2026-11-21T12:00:00Z", true],
  [{ notBefore: "2026-11-21T13:00:00+01:00" }, "2026-11-21T11:59:59.999Z", false],
  [{ notAfter: "2026-11-21T12:00:00Z" }, "2026-11-21T11:59:59.999Z", true],
  [{ notAfter: "2026-11-21T12:00:00Z" }, "2026-11-21T12:00:00Z", false],
])("time: %j at %s: %s", (when, now, expected) => {
  expect(holds({ when }, { now: Date.parse(now) })).toBe(expected);
});

it("a rate lets through its limit at once, then one each windowMs / limit, and says when", () => {
  const ask = policy([
    { id: "rate", decision: "deny", reason: "slow down", rate: { limit: 3, windowMs: 3_000 } },
    { id: "ok", decision: "allow" },
  ]);
  const at = (now: number): string => {
    const { rule, retryAfterMs } = ask({ now });
    return retryAfterMs === undefined ? rule : `${rule} ${retryAfterMs}`;
  };
  expect([at(0), at(0), at(0), at(0), at(400), at(999), at(1_000), at(1_000)]).toEqual([
    "ok",
    "ok",
    "ok",
    "rate 1000",
    "rate 600",
    "rate 1",
    "ok",
    "rate 1000",
  ]);
  // Never more than the limit, however long the pause.
  expect([1, 2, 3, 4].map(() => at(100_000))).toEqual(["ok", "ok", "ok", "rate 1000"]);
});

it("a rate is counted at admission only, and holds at the start of no call", () => {
  const ask = policy([
    { id: "rate", decision: "deny", rate: { limit: 1, windowMs: 1_000 } },
    { id: "ok", decision: "allow" },
  ]);
  for (let index = 0; index < 5; index++) expect(ask({ phase: "start" }).rule).toBe("ok");
  expect(ask().rule).toBe("ok");
  expect(ask().rule).toBe("rate");
  expect(ask({ phase: "start" }).rule).toBe("ok");
});

it("a rate counts only calls for which the rest of the rule holds", () => {
  const ask = policy([
    { id: "rate", decision: "approve", which: { riskTiers: ["LOW"] }, rate: { limit: 1, windowMs: 1_000 } },
    { id: "ok", decision: "allow" },
  ]);
  for (let index = 0; index < 3; index++) expect(ask({ capability: { riskTier: "MEDIUM" } }).rule).toBe("ok");
  expect(ask().rule).toBe("ok");
  expect(ask()).toEqual({
    decision: "approve",
    rule: "rate",
    reason: "the rule rate asks for an approval of this call",
  });
});

it.each<[("tenant" | "principal" | "capability")[] | undefined, string]>([
  [undefined, "own shared own own"],
  [["principal"], "own shared own own"],
  [["tenant"], "shared shared own own"],
  [["capability"], "shared own shared shared"],
  [["principal", "capability"], "own own own own"],
  [[], "shared shared shared shared"],
])("a rate per %j: buckets of another principal, capability, tenant, and tenant's alice: %s", (per, expected) => {
  const rate = { limit: 1, windowMs: 1_000, ...(per === undefined ? {} : { per }) };
  const others: Asked[] = [
    { principal: { id: "bob" } },
    { capability: { capId: "cap.other.v1" } },
    { principal: { tenant: "other", id: "bob" } },
    { principal: { tenant: "other" } },
  ];
  const buckets = others.map((other) => {
    const ask = policy([
      { id: "rate", decision: "deny", rate },
      { id: "ok", decision: "allow" },
    ]);
    ask();
    return ask(other).rule === "ok" ? "own" : "shared";
  });
  expect(buckets.join(" ")).toBe(expected);
});

it("a clock that is set back makes nobody wait longer than a window", () => {
  const ask = policy([
    { id: "rate", decision: "deny", rate: { limit: 1, windowMs: 1_000 } },
    { id: "ok", decision: "allow" },
  ]);
  expect([10_000, 0, 500, 1_000, 1_500].map((now) => ask({ now }).rule)).toEqual(["ok", "rate", "rate", "ok", "rate"]);
});

it("never lets through more than limit + time · limit / window (any times)", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 10 }),
      fc.integer({ min: 1, max: 10_000 }),
      fc.array(fc.nat(500), { minLength: 1, maxLength: 60 }),
      (limit, windowMs, pauses) => {
        const ask = policy([
          { id: "rate", decision: "deny", rate: { limit, windowMs } },
          { id: "ok", decision: "allow" },
        ]);
        let now = 0;
        let passed = 0;
        for (const pause of pauses) {
          now += pause;
          const { rule, retryAfterMs = 0 } = ask({ now });
          if (rule === "ok") passed++;
          else expect(retryAfterMs).toBeGreaterThan(0);
        }
        expect(passed).toBeLessThanOrEqual(limit + (now * limit) / windowMs + 1e-6);
      },
    ),
  );
});

it("rules are plain JSON, and copied", () => {
  const rules: PolicyRule[] = [{ id: "r", decision: "deny", which: { capIds: ["cap.test.*"] } }];
  const engine = createPolicy({ version: "1", rules: JSON.parse(JSON.stringify(rules)) });
  const kept = createPolicy({ version: "1", rules });
  (rules[0] as { decision: string }).decision = "allow";
  (rules[0] as unknown as { which: { capIds: string[] } }).which.capIds[0] = "nothing";
  expect(kept.evaluate(policyInput())).toEqual(engine.evaluate(policyInput()));
  expect(kept.evaluate(policyInput())).toMatchObject({ decision: "deny", rule: "r" });
});

it.each<[unknown, RegExp]>([
  ["rules", /rules must be an array/],
  [[null], /rules\[0\] must be an object/],
  [[{ decision: "deny" }], /rules\[0\] needs id/],
  [[{ id: "a b", decision: "deny" }], /rule "a b"\.id must be 1 to 64 letters/],
  [[{ id: "r" }], /rule "r" needs decision/],
  [[{ id: "r", decision: "refuse" }], /\.decision must be one of allow, deny, approve, not "refuse"/],
  [[{ id: "r", decision: "deny", whom: {} }], /has "whom", which it can't have/],
  [[{ id: "r", decision: "deny", who: { role: ["a"] } }], /\.who has "role", .*did you mean roles\?/],
  [[{ id: "r", decision: "deny", who: { roles: [] } }], /\.who\.roles is empty/],
  [[{ id: "r", decision: "deny", who: { roles: "admin" } }], /\.who\.roles must be an array/],
  [[{ id: "r", decision: "deny", which: { riskTiers: ["low"] } }], /\.which\.riskTiers\[0\] must be one of LOW/],
  [[{ id: "r", decision: "deny", which: { ioClass: "EXEC" } }], /\.which\.ioClass must be one of READ, WRITE/],
  [[{ id: "r", decision: "deny", args: [{ equals: 1 }] }], /\.args\[0\] needs at/],
  [[{ id: "r", decision: "deny", args: [{ at: "limit", equals: 1 }] }], /\.args\[0\]\.at must be a JSON pointer/],
  [[{ id: "r", decision: "deny", args: [{ at: "/limit" }] }], /says nothing about "\/limit"/],
  [[{ id: "r", decision: "deny", args: [{ at: "/a", exists: false, equals: 1 }] }], /nothing can be both/],
  [[{ id: "r", decision: "deny", args: [{ at: "/a", greaterThan: "3" }] }], /greaterThan must be a number/],
  [[{ id: "r", decision: "deny", args: [{ at: "/a", matches: ["x".repeat(257)] }] }], /more than 256/],
  [[{ id: "r", decision: "deny", when: { weekdays: ["monday"] } }], /\.when\.weekdays\[0\] must be one of mon/],
  [[{ id: "r", decision: "deny", when: { hours: { from: 9, to: 25 } } }], /\.when\.hours\.to must be a whole hour/],
  [[{ id: "r", decision: "deny", when: { hours: { from: 9, to: 9 } } }], /the same hour/],
  [[{ id: "r", decision: "deny", when: { notBefore: "2026-12-24" } }], /must be a time with its zone/],
  [
    [{ id: "r", decision: "deny", when: { notBefore: "2026-12-24T00:00:00Z", notAfter: "2026-12-23T00:00:00Z" } }],
    /ends before it begins/,
  ],
  [[{ id: "r", decision: "deny", rate: { limit: 0, windowMs: 1 } }], /\.rate\.limit must be a whole number from 1/],
  [[{ id: "r", decision: "deny", rate: { limit: 1, windowMs: 1, shared: "yes" } }], /\.rate\.shared must be true or/],
  [[{ id: "r", decision: "deny", rate: { limit: 1 } }], /\.rate needs windowMs/],
  [[{ id: "r", decision: "allow", rate: { limit: 1, windowMs: 1 } }], /a rate and decision: "allow"/],
  [
    [
      { id: "r", decision: "deny" },
      { id: "r", decision: "allow" },
    ],
    /is there twice/,
  ],
])("rules %j: TypeError with the cure", (rules, message) => {
  expect(() => createPolicy({ version: "1", rules: rules as PolicyRule[] })).toThrow(TypeError);
  expect(() => createPolicy({ version: "1", rules: rules as PolicyRule[] })).toThrow(message);
});

it("all that can't be meant is told with its place, in order", () => {
  const rules = [
    { id: "a", decision: "deny", which: { riskTiers: ["LOW", "low"], famlies: [] } },
    { id: "a", decision: "refuse", args: [{ at: "/x" }] },
    3,
  ];
  expect(policyRuleProblems(rules).map(({ path, key }) => [path.join("/"), key])).toEqual([
    ["0/which/riskTiers/1", undefined],
    ["0/which", "famlies"],
    ["1/decision", undefined],
    ["1/args/0", undefined],
    ["1/id", undefined],
    ["2", undefined],
  ]);
  expect(policyRuleProblems({})).toEqual([{ path: [], message: "must be an array of rules" }]);
  expect(policyRuleProblems([{ id: "a", decision: "deny" }])).toEqual([]);
});

it("a policy needs a version, and a fallback that can decide", () => {
  expect(() => createPolicy({ rules: [] } as never)).toThrow(/needs a version/);
  expect(() => createPolicy({ version: "1", rules: [], fallback: "allow" as never })).toThrow(
    /fallback must be a policy/,
  );
  expect(createPolicy({ version: "2026-11", rules: [] }).version).toBe("2026-11");
});

it("a glob means what its regular expression would", () => {
  const letters = fc.string({ unit: fc.constantFrom("a", "b", ".", "*", "?"), maxLength: 8 });
  fc.assert(
    fc.property(letters, fc.string({ unit: fc.constantFrom("a", "b", "."), maxLength: 12 }), (glob, text) => {
      const source = glob.replace(/[.*?]/g, (found) => (found === "*" ? "[^]*" : found === "?" ? "[^]" : "\\."));
      expect(wildcardTest(glob)(text)).toBe(new RegExp(`^${source}$`).test(text));
    }),
    { numRuns: 2_000 },
  );
});

it("a glob made to be slow is answered all the same", () => {
  expect(wildcardTest(`${"*a".repeat(100)}b`)("a".repeat(20_000))).toBe(false);
});
