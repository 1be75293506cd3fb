import type { JsonObject, OperationKey } from "@toolglot/core";
import { canonicalJson } from "@toolglot/internal";
import { type Fault, isFault } from "../frames/fault.ts";
import { decide, deniesAlways, policyProof, policySubject, proofDigest } from "../policy/decide.ts";
import type { PolicyDecision, PolicyInput } from "../policy/types.ts";
import type { CallDependencies } from "./dependencies.ts";
import { emit } from "./events.ts";
import { asyncKeyMissing, denied, keyForApproval, keyMissing, volatile } from "./faults.ts";
import { effectOperation } from "./keyed/effect-key.ts";
import { isKeyOfAsync, operationFingerprint } from "./keyed/keys.ts";
import type { CallContext } from "./types.ts";

/** What was found out about a call before the operation of its key is read. */
export interface Checked {
  /** After defaults. */
  args: JsonObject;
  /** Their canonical JSON. */
  argsText: string;
  fingerprint: string;
  /** Never a denial. */
  decision: PolicyDecision;
  /** Of a capability whose arguments name the effect. */
  effectOperation?: OperationKey;
}

/**
 * Arguments, key, policy; the first that has something against the call refuses it. Who may never have the capability
 * gets the denial, whatever else is wrong: the other answers describe its arguments and rules.
 */
export async function checkCall(dependencies: CallDependencies, context: CallContext): Promise<Checked | Fault> {
  const checked = await checkInTurn(dependencies, context);
  const { capability, item, principal } = context.call;
  const isRefusedUnasked = isFault(checked) && context.proof === undefined;
  if (!isRefusedUnasked || !deniesAlways(dependencies.policy, principal, capability)) return checked;
  const { args } = item;
  const fingerprint = operationFingerprint(capability.capId, canonicalJson(args));
  const decision = await decideCall(dependencies, context, { args, fingerprint, phase: "admission" });
  return isFault(decision) ? decision : checked;
}

async function checkInTurn(dependencies: CallDependencies, context: CallContext): Promise<Checked | Fault> {
  const { store, allowVolatile } = dependencies;
  const { capability, item, principal } = context.call;
  const found = await dependencies.checkArguments(capability, item.args, principal);
  if (isFault(found)) return found;
  const { args } = found;
  const { effectKey, effect } = capability.definition;
  const named = effectKey === undefined ? undefined : effectOperation(capability, args, principal);
  if (isFault(named)) return named;
  const { idempotency_key: key } = item;
  const isUnnamed = isKeyOfAsync(key, context.call.session.id, item.call_id);
  const hasKey = named !== undefined || (typeof key === "string" && !isUnnamed);
  if (capability.keyRequired && !hasKey) return keyMissing(capability.capId);
  if (isUnnamed && !hasKey && effect !== "pure") return asyncKeyMissing(capability.capId);
  if (store.durability === "none" && !allowVolatile && effect !== "pure") {
    return volatile(store.name);
  }
  const argsText = (found.isAsSent ? context.call.argsText : undefined) ?? canonicalJson(args);
  const fingerprint = operationFingerprint(capability.capId, argsText);
  const decision = await decideCall(dependencies, context, { args, fingerprint, phase: "admission" });
  if (isFault(decision)) return decision;
  if (decision.decision === "approve" && !hasKey) return keyForApproval(capability.capId);
  return { args, argsText, fingerprint, decision, ...(named !== undefined && { effectOperation: named }) };
}

/** Asks the policy, notes the proof in the context, and returns a denial as its fault. */
export async function decideCall(
  dependencies: CallDependencies,
  context: CallContext,
  { args, fingerprint, phase }: { args: JsonObject; fingerprint: string; phase: PolicyInput["phase"] },
): Promise<PolicyDecision | Fault> {
  const { policy, store } = dependencies;
  const { capability, principal } = context.call;
  const input: PolicyInput = { principal, capability: policySubject(capability), args, now: store.now(), phase };
  const decision = await decide(policy, input);
  // Neither who asks nor what for changes within a call, so the digest stays.
  const digest = context.proof?.digest ?? proofDigest(input, fingerprint);
  context.proof = policyProof(policy, decision, digest);
  if (decision.decision !== "deny") return decision;
  const refusal = denied(decision);
  await context.call.admission?.confirm();
  emit(dependencies, context, { type: "call.policy_denied", rule: decision.rule, code: refusal.code });
  return refusal;
}
