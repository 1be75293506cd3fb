import type { PolicyDecision, PolicyEngine, PolicyInput } from "@toolglot/trp-core";

/** A role that a principal has while it asks for something to be done once more. */
export const againRole = "toolglot/again";

/** The role of the person at the client program who answers its question about an approval. */
export const elicitationRole = "toolglot/elicitation";

/** The only rule that may allow a repetition without a person. */
const againRule = "again";

/** A policy in which a person is asked about each repetition, unless the rule `again` allows it. */
export function askAgain(policy: PolicyEngine): PolicyEngine {
  return withDecision(policy, "again", (decided, { principal }) => {
    if (!principal.roles.includes(againRole) || decided.decision !== "allow" || decided.rule === againRule) {
      return decided;
    }
    return { decision: "approve", rule: decided.rule, reason: "the caller wants it done once more" };
  });
}

/** What a policy that only observes calls the decision that it did not apply: before the rule's name. */
export const observed = { deny: "would-deny:", approve: "would-approve:" } as const;

/** A policy whose decisions are written down and not applied: the rule's name is what it would have been. */
export function observePolicy(policy: PolicyEngine): PolicyEngine {
  const watching = withDecision(policy, "observe", (decided) =>
    decided.decision === "allow"
      ? decided
      : { decision: "allow", rule: observed[decided.decision] + decided.rule, reason: decided.reason },
  );
  // What would always be refused is shown and can be called.
  const { deniesAlways: _, ...rest } = watching;
  return rest;
}

function withDecision(
  policy: PolicyEngine,
  name: string,
  change: (decided: PolicyDecision, input: PolicyInput) => PolicyDecision,
): PolicyEngine {
  return {
    version: `${policy.version}+${name}`,
    evaluate(input, store) {
      const decided = policy.evaluate(input, store);
      return decided instanceof Promise ? decided.then((late) => change(late, input)) : change(decided, input);
    },
    sharedRates: policy.sharedRates === true,
    ...(policy.deniesAlways && { deniesAlways: (subject) => policy.deniesAlways?.(subject) ?? false }),
  };
}
