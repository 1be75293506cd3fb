import type { PolicyDecision, PolicyEngine, PolicyInput } from "./types.ts";

const refused: Record<"readonly" | "canDelete", PolicyDecision> = {
  readonly: { decision: "deny", rule: "readonly-no-write", reason: "the role readonly may not change anything" },
  canDelete: {
    decision: "deny",
    rule: "critical-needs-can-delete",
    reason: "CRITICAL capabilities are only for principals that may delete",
  },
};

const byRisk: Record<PolicyInput["capability"]["riskTier"], PolicyDecision> = {
  LOW: { decision: "allow", rule: "low-allowed", reason: "LOW risk is allowed" },
  MEDIUM: { decision: "allow", rule: "medium-allowed", reason: "MEDIUM risk is allowed" },
  HIGH: { decision: "approve", rule: "high-needs-approval", reason: "HIGH risk needs somebody's approval" },
  CRITICAL: { decision: "approve", rule: "critical-needs-approval", reason: "CRITICAL risk needs somebody's approval" },
};

for (const decision of [...Object.values(refused), ...Object.values(byRisk)]) Object.freeze(decision);

/**
 * The policy of a router that was given none: LOW and MEDIUM are allowed, HIGH needs an approval, CRITICAL an approval and
 * the principal's `canDelete`; the role `readonly` refuses every WRITE. That MEDIUM and above need a key is the
 * capability's rule (TRP v0.1 draft, 9.1), not the policy's. A risk that is none of the four is denied.
 */
export function defaultPolicy(): PolicyEngine {
  return engine;
}

/** Neither arguments nor time decide. */
function evaluate({ principal, capability }: Pick<PolicyInput, "principal" | "capability">): PolicyDecision {
  if (capability.ioClass !== "READ" && principal.roles.includes("readonly")) return refused.readonly;
  if (capability.riskTier === "CRITICAL" && !principal.canDelete) return refused.canDelete;
  return Object.hasOwn(byRisk, capability.riskTier) ? byRisk[capability.riskTier] : unknownRisk;
}

const engine: PolicyEngine = Object.freeze({ version: "default-1", evaluate, deniesAlways: isAlwaysRefused });

function isAlwaysRefused({ principal, capability }: Pick<PolicyInput, "principal" | "capability">): boolean {
  return evaluate({ principal, capability }).decision === "deny";
}

const unknownRisk: PolicyDecision = Object.freeze({
  decision: "deny",
  rule: "unknown-risk",
  reason: "the capability's risk is not known",
});
