import { flat, sha256Digest } from "../digest/sha256.ts";
import type { PolicyProof } from "../frames/types.ts";
import type { PolicyDecision, PolicyEngine, PolicyInput } from "./types.ts";

/**
 * What proves a decision: the rule, the policy's version, and a digest over who asked, for which capability, with which
 * arguments (by their fingerprint, `sha256:` and hex over capability and args). Time and phase are not in it, so the same
 * call by the same principal has the same digest, and whoever has the call can make it again. See {@link proofInputs}.
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
  // Written out, keys in canonical order: it is made for every call.
  const { canDelete, id, roles, tenant } = principal;
  const sorted = roles.length > 1 ? [...roles].sort() : roles;
  const list = sorted.length === 0 ? "[]" : `[${sorted.map(quote).join(",")}]`;
  return (
    `{"args":${quote(argsFingerprint)},"capability":${capabilityText(capability)},` +
    `"principal":{"can_delete":${canDelete === true},"id":${quote(id)},"roles":${list},"tenant":${quote(tenant)}}}`
  );
}

function capabilityText({ capId, effect, family, ioClass, riskTier }: PolicyInput["capability"]): string {
  return (
    `{"cap_id":${quote(capId)},"effect":${quote(effect)},` +
    `"family":${quote(family)},"io_class":${quote(ioClass)},"risk_tier":${quote(riskTier)}}`
  );
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: what JSON writes differently from how it is.
const needsEscape = /[\u0000-\u001f"\\\ud800-\udfff]/;

function quote(text: string): string {
  return needsEscape.test(text) ? JSON.stringify(text) : `"${text}"`;
}
