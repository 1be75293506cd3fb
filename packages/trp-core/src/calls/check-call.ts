import type { JsonObject, OperationKey } from "@toolglot/core";
import { andThen, canonicalJson } from "@toolglot/internal";
import type { MaybePromise } from "@toolglot/schema";
import type { CheckedArguments } from "../arguments/check.ts";
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
  effectOperation: OperationKey | undefined;
}

/**
 * Arguments, key, policy; the first that has something against the call refuses it. Who may never have the capability
 * gets the denial, whatever else is wrong: the other answers describe its arguments and rules. A promise only when the
 * schema library or the policy answers with one.
 */
export function checkCall(dependencies: CallDependencies, context: CallContext): MaybePromise<Checked | Fault> {
  const { capability, item, principal } = context.call;
  const found = dependencies.checkArguments(capability, item.args, principal);
  return andThen(found, (args) =>
    andThen(checkInTurn(dependencies, context, args), (checked) => {
      const isRefusedUnasked = isFault(checked) && context.proof === undefined;
      if (!isRefusedUnasked || !deniesAlways(dependencies.policy, principal, capability)) return checked;
      const fingerprint = operationFingerprint(capability.capId, canonicalJson(item.args));
      const decided = decideCall(dependencies, context, { args: item.args, fingerprint, phase: "admission" });
      return andThen(decided, (decision) => (isFault(decision) ? decision : checked));
    }),
  );
}

function checkInTurn(
  dependencies: CallDependencies,
  context: CallContext,
  found: CheckedArguments | Fault,
): MaybePromise<Checked | Fault> {
  const { store, allowVolatile } = dependencies;
  const { capability, item, principal } = context.call;
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
  return andThen(decideCall(dependencies, context, { args, fingerprint, phase: "admission" }), (decision) => {
    if (isFault(decision)) return decision;
    if (decision.decision === "approve" && !hasKey) return keyForApproval(capability.capId);
    return { args, argsText, fingerprint, decision, effectOperation: named };
  });
}

/** Asks the policy, notes the proof in the context, and returns a denial as its fault. */
export function decideCall(
  dependencies: CallDependencies,
  context: CallContext,
  { args, fingerprint, phase }: { args: JsonObject; fingerprint: string; phase: PolicyInput["phase"] },
): MaybePromise<PolicyDecision | Fault> {
  const { policy, store, spans } = dependencies;
  const { capability, principal } = context.call;
  const input: PolicyInput = { principal, capability: policySubject(capability), args, now: store.now(), phase };
  const ask = (): MaybePromise<PolicyDecision> => decide(policy, input, store);
  return andThen(spans === undefined ? ask() : spans.policy({ capability, phase }, ask), (decision) => {
    // Neither who asks nor what for changes within a call, so the digest stays.
    const digest = context.proof?.digest ?? proofDigest(input, fingerprint);
    context.proof = policyProof(policy, decision, digest);
    if (decision.decision !== "deny") return decision;
    const refusal = denied(decision);
    return andThen(context.call.admission?.confirm(), () => {
      emit(dependencies, context, { type: "call.policy_denied", rule: decision.rule, code: refusal.code });
      return refusal;
    });
  });
}
