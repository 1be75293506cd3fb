import { canonicalJson } from "@toolglot/internal";
import { flat, sha256Digest } from "../digest/sha256.ts";
import type { PolicyProof } from "../frames/types.ts";
import type { PolicyDecision, PolicyEngine, PolicyInput } from "./types.ts";

/**
 * What proves a decision: the rule, the policy's version, and a digest over who asked, for which capability, with which
 * arguments (by their fingerprint, `sha256:` and hex over capability and args). Time and phase are not in it, so the same
 * call by the same principal has the same digest, and anybody who has the call can make it again. See {@link proofInputs}.
 */
export function policyProof(
  engine: PolicyEngine,
  input: PolicyInput,
  decision: PolicyDecision,
  argsFingerprint: string,
): PolicyProof {
  return {
    digest: flat(sha256Digest(proofInputs(input, argsFingerprint))),
    rule: decision.rule,
    policy_version: engine.version,
    decision: decision.decision,
  };
}

/**
 * What the digest of a proof covers: the canonical JSON of `{ args, capability: { cap_id, effect, family, io_class,
 * risk_tier }, principal: { can_delete, id, roles, tenant } }`, roles sorted.
 */
export function proofInputs({ capability, principal }: PolicyInput, argsFingerprint: string): string {
  const { capId: cap_id, effect, family, ioClass: io_class, riskTier: risk_tier } = capability;
  const { canDelete, id, roles, tenant } = principal;
  return canonicalJson({
    args: argsFingerprint,
    capability: { cap_id, effect, family, io_class, risk_tier },
    principal: { can_delete: canDelete === true, id, roles: [...roles].sort(), tenant },
  });
}
