import type { JsonObject } from "@toolglot/core";
import type { MaybePromise } from "@toolglot/schema";
import { fault, isFault } from "../errors/fault.ts";
import type { Fault } from "../errors/types.ts";
import { decide } from "../policy/decide.ts";
import { policyProof } from "../policy/proof.ts";
import { policySubject } from "../policy/subject.ts";
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
export function checkCall(dependencies: CallDependencies, passage: Passage): MaybePromise<Checked | Fault> {
  const { capability, item, principal } = passage.call;
  const found = dependencies.checkArguments(capability, item.args, principal);
  return found instanceof Promise
    ? found.then((settled) => checkRest(dependencies, passage, settled))
    : checkRest(dependencies, passage, found);
}

function checkRest(
  dependencies: CallDependencies,
  passage: Passage,
  found: { args: JsonObject } | Fault,
): MaybePromise<Checked | Fault> {
  if (isFault(found)) return found;
  const { store, allowVolatile } = dependencies;
  const { capability, item } = passage.call;
  const { args } = found;
  const hasKey = typeof item.idempotency_key === "string";
  if (capability.keyRequired && !hasKey) return keyMissing(capability.capId);
  if (store.durability === "none" && !allowVolatile && capability.definition.effect !== "pure") {
    return volatile(store.name);
  }
  const fingerprint = operationFingerprint(capability.capId, args);
  const conclude = (decision: PolicyDecision | Fault): Checked | Fault => {
    if (isFault(decision)) return decision;
    if (decision.decision === "approve" && !hasKey) return keyForApproval(capability.capId);
    return { args, fingerprint, decision };
  };
  const decision = decideCall(dependencies, passage, { args, fingerprint, phase: "admission" });
  return decision instanceof Promise ? decision.then(conclude) : conclude(decision);
}

/** What the policy says, its proof noted; a denial as its fault. */
export function decideCall(
  { policy, store, emitter }: CallDependencies,
  passage: Passage,
  { args, fingerprint, phase }: { args: JsonObject; fingerprint: string; phase: PolicyInput["phase"] },
): MaybePromise<PolicyDecision | Fault> {
  const { capability, principal } = passage.call;
  const input: PolicyInput = { principal, capability: policySubject(capability), args, now: store.now(), phase };
  const conclude = (decision: PolicyDecision): PolicyDecision | Fault => {
    passage.proof = policyProof(policy, input, decision, fingerprint);
    if (decision.decision !== "deny") return decision;
    const refusal = denied(decision);
    if (emitter.active) {
      const { rule } = decision;
      emitter.emit({ type: "call.policy_denied", at: store.now(), rule, code: refusal.code, ...factsOf(passage) });
    }
    return refusal;
  };
  const decision = decide(policy, input);
  return decision instanceof Promise ? decision.then(conclude) : conclude(decision);
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
