import type { MaybePromise } from "@toolglot/schema";
import { isThenable } from "../execution/thenable.ts";
import type { PolicyDecision, PolicyEngine, PolicyInput } from "./types.ts";

/** What a policy that fails says: the same words for every failure, so that nothing of it gets out. */
const failed: PolicyDecision = Object.freeze({
  decision: "deny",
  rule: "policy-error",
  reason: "the policy could not decide",
});

/**
 * Asks a policy, and denies when it fails: when it throws, rejects, takes longer than `timeoutMs` (default 5,000), or
 * gives what is no decision, the answer is `deny` by the rule `policy-error`. Never throws, never rejects; a promise only
 * when the policy gives one. The decision is a copy with nothing but the known fields, its texts cut to 128 (rule) and
 * 500 (reason) characters.
 */
export function decide(
  engine: PolicyEngine,
  input: PolicyInput,
  { timeoutMs = 5_000 }: { timeoutMs?: number } = {},
): MaybePromise<PolicyDecision> {
  try {
    const given: unknown = engine.evaluate(input);
    if (!isThenable(given)) return checked(given);
    return inTime(Promise.resolve(given), timeoutMs).then(checked, () => failed);
  } catch {
    return failed;
  }
}

function inTime(promise: Promise<unknown>, timeoutMs: number): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(reject, timeoutMs);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

function checked(given: unknown): PolicyDecision {
  try {
    const { decision, rule, reason, retryAfterMs } = given as PolicyDecision;
    if (decision !== "allow" && decision !== "deny" && decision !== "approve") return failed;
    if (typeof rule !== "string" || rule === "" || typeof reason !== "string") return failed;
    const copy: PolicyDecision = { decision, rule: cut(rule, 128), reason: cut(reason, 500) };
    if (retryAfterMs === undefined) return copy;
    if (decision !== "deny" || typeof retryAfterMs !== "number" || !(retryAfterMs >= 0)) return failed;
    copy.retryAfterMs = Math.ceil(Math.min(retryAfterMs, 86_400_000));
    return copy;
  } catch {
    return failed;
  }
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}
