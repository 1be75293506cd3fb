import { canonicalJson, flat, isThenable, quoteJson, settleWithin, unsettled } from "@toolglot/internal";
import type { MaybePromise } from "@toolglot/schema";
import type { RegisteredCapability } from "../catalog/types.ts";
import { sha256Digest } from "../digest/sha256.ts";
import type { PolicyProof } from "../frames/results.ts";
import type { Principal } from "../identity/types.ts";
import type { RouterStore } from "../store/types.ts";
import type { PolicyDecision, PolicyEngine, PolicyInput } from "./types.ts";

const subjects = new WeakMap<RegisteredCapability, PolicyInput["capability"]>();

/** Returns a capability as policies see it: the same frozen object each time. */
export function policySubject(registered: RegisteredCapability): PolicyInput["capability"] {
  const known = subjects.get(registered);
  if (known !== undefined) return known;
  const { capId, family, definition } = registered;
  const { riskTier, ioClass, effect } = definition;
  const subject = Object.freeze({ capId, family, riskTier, ioClass, effect });
  subjects.set(registered, subject);
  return subject;
}

/** The decision of a policy that fails: the same words for every failure, so that nothing of it gets out. */
export const undecided: PolicyDecision = Object.freeze({
  decision: "deny",
  rule: "policy-error",
  reason: "the policy could not decide",
});

/**
 * Asks a policy, and denies when it fails: when it throws, rejects, takes longer than `timeoutMs` (default 5,000), or
 * returns what is no decision, the answer is `deny` by the rule `policy-error`. Never throws, never rejects; a promise only
 * when the policy returns one. The decision is a copy with nothing but the known fields, its texts cut to 128 (rule) and
 * 500 (reason) characters.
 */
export function decide(
  engine: PolicyEngine,
  input: PolicyInput,
  store?: Pick<RouterStore, "rates">,
  { timeoutMs = 5_000 }: { timeoutMs?: number } = {},
): MaybePromise<PolicyDecision> {
  try {
    const given: unknown = engine.evaluate(input, store);
    if (!isThenable(given)) return checked(given);
    return settleWithin(given, { ms: timeoutMs }).then(
      (settled) => (settled === unsettled ? undecided : checked(settled)),
      () => undecided,
    );
  } catch {
    return undecided;
  }
}

/**
 * Checks whether the policy denies a capability to a principal whatever the arguments, the time and the rate. Such a principal
 * learns nothing of the capability but the policy's reason. A policy that throws here does not deny.
 */
export function deniesAlways(engine: PolicyEngine, principal: Principal, registered: RegisteredCapability): boolean {
  try {
    return engine.deniesAlways?.({ principal, capability: policySubject(registered) }) === true;
  } catch {
    return false;
  }
}

function checked(given: unknown): PolicyDecision {
  try {
    const { decision, rule, reason, retryAfterMs } = given as PolicyDecision;
    if (decision !== "allow" && decision !== "deny" && decision !== "approve") return undecided;
    if (typeof rule !== "string" || rule === "" || typeof reason !== "string") return undecided;
    const copy: PolicyDecision = { decision, rule: cut(rule, 128), reason: cut(reason, 500) };
    if (retryAfterMs === undefined) return copy;
    if (decision !== "deny" || typeof retryAfterMs !== "number" || !(retryAfterMs >= 0)) return undecided;
    copy.retryAfterMs = Math.ceil(Math.min(retryAfterMs, 86_400_000));
    return copy;
  } catch {
    return undecided;
  }
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}

const strictness: Record<PolicyDecision["decision"], number> = { allow: 0, approve: 1, deny: 2 };

/**
 * Returns a policy for principals that a frame's `auth_context` has narrowed. A rule may refuse what has a role, so fewer roles
 * could mean more rights: both the narrowed principal and the one that the transport knows are asked, and the stricter
 * answer holds. `fullOf` returns the latter. Rates are counted once, for the latter.
 */
export function strictForNarrowed(
  engine: PolicyEngine,
  fullOf: (narrowed: Principal) => Principal | undefined,
): PolicyEngine {
  return {
    get version() {
      return engine.version;
    },
    deniesAlways(subject) {
      const full = fullOf(subject.principal);
      const asked = full === undefined ? [subject] : [subject, { ...subject, principal: full }];
      return asked.some((each) => engine.deniesAlways?.(each) === true);
    },
    evaluate(input, store) {
      const full = fullOf(input.principal);
      if (full === undefined) return engine.evaluate(input, store);
      return Promise.all([
        decide(engine, { ...input, principal: full }, store),
        decide(engine, { ...input, phase: "start" }),
      ]).then(([wide, narrow]) => (strictness[narrow.decision] > strictness[wide.decision] ? narrow : wide));
    },
  };
}

/**
 * Returns what proves a decision: the rule, the policy's version, and a digest over who asked, for which capability, with which
 * arguments (by their fingerprint, `sha256:` and hex over capability and args). Time and phase are not in it, so the same
 * call by the same principal has the same digest, and anybody who has the call can make it again. See {@link proofInputs}.
 */
export function policyProof(engine: PolicyEngine, { rule, decision }: PolicyDecision, digest: string): PolicyProof {
  return { digest, rule, policy_version: engine.version, decision };
}

/** Returns the digest of a proof, over {@link proofInputs}. */
export function proofDigest(input: PolicyInput, argsFingerprint: string): string {
  return flat(sha256Digest(proofInputs(input, argsFingerprint)));
}

/**
 * What the digest of a proof covers: the canonical JSON of `{ args, capability: { cap_id, effect, family, io_class,
 * risk_tier }, principal: { can_delete, id, roles, tenant } }`, roles sorted.
 */
export function proofInputs({ capability, principal }: PolicyInput, argsFingerprint: string): string {
  const capabilityText = textOf(
    capability,
    ({ capId: cap_id, effect, family, ioClass: io_class, riskTier: risk_tier }) =>
      canonicalJson({ cap_id, effect, family, io_class, risk_tier }),
  );
  const principalText = textOf(principal, ({ canDelete, id, roles, tenant }) =>
    canonicalJson({ can_delete: canDelete === true, id, roles: [...roles].sort(), tenant }),
  );
  return `{"args":${quoteJson(argsFingerprint)},"capability":${capabilityText},"principal":${principalText}}`;
}

const texts = new WeakMap<object, string>();

/** Returns the text of a thing: made once for what can't change. */
function textOf<Thing extends object>(thing: Thing, make: (thing: Thing) => string): string {
  const known = texts.get(thing);
  if (known !== undefined) return known;
  const made = flat(make(thing));
  if (Object.values(thing).every(Object.isFrozen) && Object.isFrozen(thing)) texts.set(thing, made);
  return made;
}

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
 * Returns the policy of a router that was given none: LOW and MEDIUM are allowed, HIGH needs an approval, CRITICAL an approval and
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
