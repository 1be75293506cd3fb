import type { JsonObject } from "@toolglot/core";
import { fault, isFault } from "../errors/fault.ts";
import type { Fault } from "../errors/types.ts";
import { decide } from "../policy/decide.ts";
import { policyProof } from "../policy/proof.ts";
import type { PolicyDecision, PolicyInput } from "../policy/types.ts";
import type { CallDependencies } from "./dependencies.ts";
import { factsOf, type Passage } from "./ending.ts";
import { denied, keyMissing, volatile } from "./faults.ts";
import { operationFingerprint } from "./keys.ts";
import type { IncomingCall } from "./types.ts";

/** What was found out about a call before its key is looked at. */
export interface Checked {
  /** After defaults. */
  args: JsonObject;
  fingerprint: string;
  /** Never a denial. */
  decision: PolicyDecision;
}

const defaultMaxTimeoutMs = 60_000;

/** Arguments, key, policy; the first that has something against the call refuses it. */
export async function checkCall(dependencies: CallDependencies, passage: Passage): Promise<Checked | Fault> {
  const { checkArguments, store, allowVolatile } = dependencies;
  const { capability, item, principal } = passage.call;
  const found = await checkArguments(capability, item.args, principal);
  if (isFault(found)) return found;
  const { args } = found;
  const hasKey = typeof item.idempotency_key === "string";
  if (capability.keyRequired && !hasKey) return keyMissing(capability.capId);
  if (store.durability === "none" && !allowVolatile && capability.definition.effect !== "pure") {
    return volatile(store.name);
  }
  const fingerprint = operationFingerprint(capability.capId, args);
  const decision = await decideCall(dependencies, passage, { args, fingerprint, phase: "admission" });
  if (isFault(decision)) return decision;
  if (decision.decision === "approve" && !hasKey) return keyForApproval(capability.capId);
  return { args, fingerprint, decision };
}

/** What the policy says, its proof noted; a denial as its fault. */
export async function decideCall(
  { policy, store, emitter }: CallDependencies,
  passage: Passage,
  { args, fingerprint, phase }: { args: JsonObject; fingerprint: string; phase: PolicyInput["phase"] },
): Promise<PolicyDecision | Fault> {
  const { capability, principal } = passage.call;
  const { capId, family, definition } = capability;
  const { riskTier, ioClass, effect } = definition;
  const subject = { capId, family, riskTier, ioClass, effect };
  const input: PolicyInput = { principal, capability: subject, args, now: store.now(), phase };
  const decision = await decide(policy, input);
  passage.proof = policyProof(policy, input, decision, fingerprint);
  if (decision.decision !== "deny") return decision;
  const refusal = denied(decision);
  if (emitter.active) {
    const { rule } = decision;
    emitter.emit({ type: "call.policy_denied", at: store.now(), rule, code: refusal.code, ...factsOf(passage) });
  }
  return refusal;
}

/** Native arguments, the time it took noted. */
export function adaptCall(
  { adapters }: CallDependencies,
  passage: Passage,
  args: JsonObject,
): { native: unknown } | Fault {
  const before = performance.now();
  const adapted = adapters.adapt(passage.call.capability, args);
  passage.adapterMs = performance.now() - before;
  return adapted;
}

/** How long a call may take: as long as it says, and no longer than its capability does. */
export function timeoutOf({ item, capability }: IncomingCall): number {
  return Math.min(item.timeout_ms, capability.definition.maxTimeoutMs ?? defaultMaxTimeoutMs);
}

/** An approval is bound to an operation, and that to a key. */
export function keyForApproval(capId: string): Fault {
  return fault("TRP_4003", `${capId} needs approval here, and an approval needs an idempotency_key.`);
}
