import { canonicalJson } from "@toolglot/internal";
import fc from "fast-check";
import { expect, it } from "vitest";
import { sha256Digest } from "../src/digest/sha256.ts";
import { decide, defaultPolicy, policyProof, proofDigest, proofInputs } from "../src/policy/decide.ts";
import type { PolicyDecision } from "../src/policy/types.ts";
import { policyInput } from "./rules-rig.ts";

const ask = (given: Parameters<typeof policyInput>[0]): PolicyDecision =>
  defaultPolicy().evaluate(policyInput(given)) as PolicyDecision;

it.each([
  ["LOW", "READ", false, [], "allow", "low-allowed"],
  ["LOW", "WRITE", false, [], "allow", "low-allowed"],
  ["MEDIUM", "READ", false, [], "allow", "medium-allowed"],
  ["MEDIUM", "WRITE", false, [], "allow", "medium-allowed"],
  ["HIGH", "READ", false, [], "approve", "high-needs-approval"],
  ["HIGH", "WRITE", true, [], "approve", "high-needs-approval"],
  ["CRITICAL", "WRITE", true, [], "approve", "critical-needs-approval"],
  ["CRITICAL", "WRITE", false, [], "deny", "critical-needs-can-delete"],
  ["CRITICAL", "READ", false, ["approver"], "deny", "critical-needs-can-delete"],
  ["LOW", "READ", false, ["readonly"], "allow", "low-allowed"],
  ["LOW", "WRITE", false, ["readonly"], "deny", "readonly-no-write"],
  ["HIGH", "WRITE", true, ["approver", "readonly"], "deny", "readonly-no-write"],
  ["CRITICAL", "WRITE", true, ["readonly"], "deny", "readonly-no-write"],
] as const)(
  "default policy (TRP v0.1 draft, 11.1): %s %s, can_delete %s, roles %j: %s by %s",
  (riskTier, ioClass, canDelete, roles, decision, rule) => {
    expect(ask({ capability: { riskTier, ioClass }, principal: { canDelete, roles } })).toMatchObject({
      decision,
      rule,
    });
  },
);

it("denies a risk that it does not know", () => {
  expect(ask({ capability: { riskTier: "NONE" as never } })).toMatchObject({ decision: "deny", rule: "unknown-risk" });
  expect(ask({ capability: { riskTier: "toString" as never } })).toMatchObject({ decision: "deny" });
});

// Linters fear the word in a definition.
const thenName = "then";
const failing: [string, () => unknown][] = [
  [
    "throws",
    () => {
      throw new Error("secret: /etc/passwd");
    },
  ],
  [
    "throws nothing",
    () => {
      throw undefined;
    },
  ],
  ["rejects", () => Promise.reject(new Error("secret"))],
  ["gives nothing", () => undefined],
  ["gives null", () => null],
  ["gives a word", () => "allow"],
  ["gives a promise of nonsense", async () => ({ decision: "yes", rule: "r", reason: "because" })],
  ["gives another decision", () => ({ decision: "ALLOW", rule: "r", reason: "because" })],
  ["names no rule", () => ({ decision: "allow", rule: "", reason: "because" })],
  ["gives no reason", () => ({ decision: "allow", rule: "r" })],
  ["allows with a wait", () => ({ decision: "allow", rule: "r", reason: "because", retryAfterMs: 5 })],
  ["waits for NaN", () => ({ decision: "deny", rule: "r", reason: "because", retryAfterMs: Number.NaN })],
  [
    "has a hostile getter",
    () => ({
      get decision(): string {
        throw new Error("secret");
      },
    }),
  ],
  [
    "has a hostile then",
    () =>
      Object.defineProperty({}, thenName, {
        get() {
          throw new Error("secret");
        },
      }),
  ],
  ["never answers", () => new Promise(() => {})],
];

it.each(failing)("denies, and tells nothing, when a policy %s", async (_name, evaluate) => {
  const engine = { version: "1", evaluate: evaluate as never };
  const decision = await decide(engine, policyInput(), undefined, { timeoutMs: 5 });
  expect(decision).toEqual({ decision: "deny", rule: "policy-error", reason: "the policy could not decide" });
});

it("takes a decision's known fields only, cut to what fits a frame", async () => {
  const given = { decision: "deny", rule: "r".repeat(500), reason: "x".repeat(5_000), retryAfterMs: 1.2, extra: 1 };
  const decision = await decide({ version: "1", evaluate: async () => given as never }, policyInput());
  expect(Object.keys(decision).sort()).toEqual(["decision", "reason", "retryAfterMs", "rule"]);
  expect([decision.rule.length, decision.reason.length, decision.retryAfterMs]).toEqual([128, 500, 2]);
});

it("decides at once when the policy does", () => {
  expect(decide(defaultPolicy(), policyInput())).toMatchObject({ decision: "allow" });
});

it("proves a decision by rule, version and a digest over who, what and which arguments", () => {
  const input = policyInput({ principal: { roles: ["b", "a"] } });
  const decision = ask({});
  const proof = policyProof(defaultPolicy(), decision, proofDigest(input, "sha256:00"));
  const covered = {
    args: "sha256:00",
    capability: {
      cap_id: "cap.test.read.v1",
      effect: "pure",
      family: "cap.test.read",
      io_class: "READ",
      risk_tier: "LOW",
    },
    principal: { can_delete: false, id: "alice", roles: ["a", "b"], tenant: "acme" },
  };
  expect(proof).toEqual({
    digest: sha256Digest(canonicalJson(covered)),
    rule: "low-allowed",
    policy_version: defaultPolicy().version,
    decision: "allow",
  });
});

it("proof: the same for the same call at another time, another for other arguments, principal or capability", () => {
  const digest = (given: Parameters<typeof policyInput>[0], fingerprint = "sha256:00"): string => {
    const input = policyInput(given);
    return proofDigest(input, fingerprint);
  };
  const first = digest({});
  expect(digest({ now: 5, phase: "start" })).toBe(first);
  const others = [
    digest({}, "sha256:01"),
    digest({ principal: { id: "bob" } }),
    digest({ principal: { tenant: "other" } }),
    digest({ principal: { roles: ["readonly"] } }),
    digest({ principal: { canDelete: true } }),
    digest({ capability: { capId: "cap.test.read.v2" } }),
    digest({ capability: { riskTier: "HIGH" } }),
    digest({ capability: { ioClass: "WRITE" } }),
    digest({ capability: { effect: "opaque" } }),
  ];
  expect(new Set([first, ...others]).size).toBe(10);
});

it("what a proof covers is canonical JSON, whatever the names hold", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.array(fc.string({ unit: "binary" })), (id, roles) => {
      const text = proofInputs(policyInput({ principal: { id, roles, tenant: id }, capability: { capId: id } }), id);
      expect(canonicalJson(JSON.parse(text))).toBe(text);
    }),
  );
});
