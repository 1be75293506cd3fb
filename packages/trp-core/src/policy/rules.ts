import { checkKeys } from "@toolglot/internal";
import type { MaybePromise } from "@toolglot/schema";
import type { RateTaken, RouterStore } from "../store/types.ts";
import { checkRules } from "./check-rules.ts";
import {
  type Condition,
  otherConditionsOf,
  type SubjectCondition,
  subjectConditionsOf,
  TooLongError,
} from "./conditions.ts";
import { decide, defaultPolicy, undecided } from "./decide.ts";
import { createRate, type TakeRate } from "./rates.ts";
import type { PolicyDecision, PolicyEngine, PolicyInput, PolicyRule } from "./types.ts";

/** Options of {@link createPolicy}. */
export interface PolicyOptions {
  /** Yours to raise whenever a rule or the fallback changes. 1 to 64 characters. It stands in proofs and audit rows. */
  version: string;
  /** The first that holds decides. */
  rules: readonly PolicyRule[];
  /** Who decides when no rule holds. Default: `defaultPolicy()`. `deny` denies by the rule `no-rule`. */
  fallback?: PolicyEngine | "deny";
}

interface Compiled {
  readonly subject: readonly SubjectCondition[];
  readonly conditions: readonly Condition[];
  readonly rate: TakeRate | undefined;
  readonly decision: PolicyDecision;
}

type Decided = MaybePromise<PolicyDecision>;

const notCounted = "the store could not count the calls of its rate";

const noRule: PolicyDecision = Object.freeze({ decision: "deny", rule: "no-rule", reason: "no rule allows it" });

/**
 * Creates a policy from rules as data, in order: the first that holds decides, and is named in the decision. The rules are copied:
 * changing them later changes nothing. `TypeError`, with the cure, for rules that can't be meant. When a rule can't be
 * evaluated, the call is denied by `policy-error`; a text that is too long for a rule's globs is denied by that rule.
 *
 * @example
 * ```ts
 * createPolicy({
 *   version: "2026-11-21",
 *   rules: [
 *     { id: "mail-stays-here", decision: "deny", which: { families: ["cap.mail.*"] },
 *       args: [{ at: "/to", not: true, matches: ["*@example.com"] }] },
 *     { id: "search-rate", decision: "deny", which: { capIds: ["cap.search.*"] }, rate: { limit: 30, windowMs: 60_000 } },
 *   ],
 * });
 * ```
 */
export function createPolicy(options: PolicyOptions): PolicyEngine {
  checkKeys("createPolicy", options, 'version:string rules:object[] fallback:{evaluate}|"deny"', ["version", "rules"], {
    fallback: 'The fallback must be a policy, as defaultPolicy(), or "deny".',
  });
  const { version, rules, fallback = defaultPolicy() } = options;
  if (typeof version !== "string" || version === "" || version.length > 64) {
    throw new TypeError('createPolicy needs a version, text of 1 to 64 characters: { version: "2026-11-21" }');
  }
  checkRules(rules);
  const compiled = structuredClone(rules as PolicyRule[]).map(compile);
  const sharedRates =
    rules.some(({ rate }) => rate?.shared === true) || (fallback !== "deny" && fallback.sharedRates === true);
  const firstFrom = (first: number, input: PolicyInput, store?: Pick<RouterStore, "rates">): Decided => {
    for (let at = first; at < compiled.length; at += 1) {
      const decision = apply(compiled[at] as Compiled, input, store);
      if (decision instanceof Promise) return decision.then((found) => found ?? firstFrom(at + 1, input, store));
      if (decision !== undefined) return decision;
    }
    return fallback === "deny" ? noRule : decide(fallback, input, store);
  };
  return Object.freeze({
    version,
    sharedRates,
    evaluate: (input: PolicyInput, store?: Pick<RouterStore, "rates">): Decided => firstFrom(0, input, store),
    deniesAlways(about: Pick<PolicyInput, "principal" | "capability">): boolean {
      for (const { subject, conditions, rate, decision } of compiled) {
        if (!subject.every((condition) => condition(about))) continue;
        const { decision: says } = decision;
        if (conditions.length === 0 && rate === undefined) return says === "deny";
        // It may hold for some calls: those are let through, or it makes no difference.
        if (says !== "deny") return false;
      }
      return fallback === "deny" || fallback.deniesAlways?.(about) === true;
    },
  });
}

function compile(rule: PolicyRule): Compiled {
  const says = { allow: "allows", deny: "denies", approve: "asks for an approval of" }[rule.decision];
  const decision: PolicyDecision = {
    decision: rule.decision,
    rule: rule.id,
    reason: rule.reason ?? `the rule ${rule.id} ${says} this call`,
  };
  return {
    subject: subjectConditionsOf(rule),
    conditions: otherConditionsOf(rule),
    rate: rule.rate === undefined ? undefined : createRate(rule.id, rule.rate),
    decision: Object.freeze(decision),
  };
}

/** Returns the decision of a rule that holds; a promise only when it counts in the store. */
function apply(
  { subject, conditions, rate, decision }: Compiled,
  input: PolicyInput,
  store: Pick<RouterStore, "rates"> | undefined,
): MaybePromise<PolicyDecision | undefined> {
  try {
    for (const condition of subject) if (!condition(input)) return undefined;
    for (const condition of conditions) if (!condition(input)) return undefined;
  } catch (error) {
    if (error instanceof TooLongError) return { decision: "deny", rule: decision.rule, reason: error.message };
    return undecided;
  }
  if (rate === undefined) return decision;
  // Counted once: what was admitted is not counted again when it starts.
  if (input.phase !== "admission") return undefined;
  const beyond = (taken: RateTaken | undefined): PolicyDecision | undefined => {
    if (taken === undefined) return undecided;
    if (taken.ok) return undefined;
    return decision.decision === "deny" ? { ...decision, retryAfterMs: taken.retryAfterMs } : decision;
  };
  const taken = rate(input, store);
  if (!(taken instanceof Promise)) return beyond(taken);
  // The store's fault is no fault of the call: it may come again.
  return taken.then(beyond, () => ({ decision: "deny", rule: decision.rule, reason: notCounted, retryAfterMs: 1_000 }));
}
