import type { JsonObject, JsonValue } from "@toolglot/core";
import type { Effect } from "../catalog/types.ts";
import type { IoClass, RiskTier } from "../frames/types.ts";
import type { Principal } from "../identity/types.ts";
import type { RouterStore } from "../store/types.ts";

/** What a decision is made from. */
export interface PolicyInput {
  principal: Principal;
  capability: { capId: string; family: string; riskTier: RiskTier; ioClass: IoClass; effect: Effect };
  /** After defaults. */
  args: JsonObject;
  /** Milliseconds since the epoch, of the store's clock. */
  now: number;
  /** `admission`: before anything. `start`: right before the capability runs; rates are counted at admission only. */
  phase: "admission" | "start";
}

/** The decision of a policy. */
export interface PolicyDecision {
  decision: "allow" | "deny" | "approve";
  /** Name of the rule that decided. */
  rule: string;
  /** For the model and the approver: one sentence. */
  reason: string;
  /** Only for `deny` by a rate: try again after so many milliseconds (TRP_4006). */
  retryAfterMs?: number;
}

/** Decides who may do what. Replace it with your own; it must be quick, and a rejection denies. */
export interface PolicyEngine {
  /** Changes whenever an answer could. */
  readonly version: string;
  /** `store`: the router's, with what all routers on it count together. */
  evaluate(input: PolicyInput, store?: Pick<RouterStore, "rates">): PolicyDecision | Promise<PolicyDecision>;
  /** Whether it counts rates in the store. Then no router is made on a store that can't. */
  readonly sharedRates?: boolean;
  /**
   * Whether it denies this principal this capability whatever the arguments, the time and the rate are: then it is not in the
   * principal's catalog. Without it nothing is left out. What it throws counts as false.
   */
  deniesAlways?(subject: Pick<PolicyInput, "principal" | "capability">): boolean;
}

/** Days of the week, in UTC. */
export type Weekday = "mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun";

/**
 * One rule of `createPolicy`, plain JSON. It holds when all of its parts do; a rule without parts always holds. In a list
 * one entry is enough.
 */
export interface PolicyRule {
  /** Unique in its policy, 1 to 64 of letters, digits and `. _ : -`. It stands in decisions, proofs and audit rows. */
  id: string;
  /** What happens when it holds. */
  decision: "allow" | "deny" | "approve";
  /** For the model and the approver: one sentence. Default: one with the rule's id. */
  reason?: string;
  who?: {
    tenants?: readonly string[];
    principals?: readonly string[];
    /** The principal has one of them. */
    roles?: readonly string[];
    /** The principal has none of them. */
    withoutRoles?: readonly string[];
    canDelete?: boolean;
  };
  which?: {
    /** Globs: `*` stands for any text, `?` for one character. `cap.mail.*`. */
    capIds?: readonly string[];
    /** A `cap_id` without its version; globs. `cap.mail.send`. */
    families?: readonly string[];
    riskTiers?: readonly RiskTier[];
    ioClass?: IoClass;
    effects?: readonly Effect[];
  };
  /** All of them must hold. */
  args?: readonly ArgumentCondition[];
  when?: {
    weekdays?: readonly Weekday[];
    /** Hours of the day in UTC, `from` included, `to` not: whole numbers from 0 to 24. `{ from: 22, to: 6 }` goes over midnight. */
    hours?: { from: number; to: number };
    /** ISO 8601 with its zone: `2026-12-24T00:00:00Z`. Included. */
    notBefore?: string;
    /** Not included. */
    notAfter?: string;
  };
  /**
   * The rule holds only for calls beyond this rate (so `decision` is `deny` or `approve`). Calls for which the other parts
   * hold are counted, at admission only, in a token bucket: `limit` calls at once, and one more each
   * `windowMs / limit` milliseconds.
   */
  rate?: {
    limit: number;
    windowMs: number;
    /** Who has a bucket of their own. Empty: one for all. Default `["principal"]`. */
    per?: readonly ("tenant" | "principal" | "capability")[];
    /**
     * Counts in the store, for all routers on it, with a write for each call; rules with the same id count together. Default
     * `false`: each router counts for itself, in memory.
     */
    shared?: boolean;
  };
}

/**
 * What an argument must be. `at` is a JSON pointer into the arguments; a part `*` means any item or member, and then one
 * value that fits is enough. All conditions must hold for the same value. An argument that is not there fits nothing but
 * `exists: false`.
 */
export interface ArgumentCondition {
  at: string;
  /** Turns the rest around, value by value: `{ at: "/to/*", not: true, matches: ["*@example.com"] }`. */
  not?: boolean;
  /** Whether there is such an argument; null is one. */
  exists?: boolean;
  equals?: JsonValue;
  in?: readonly JsonValue[];
  /** Only numbers are greater or less. */
  greaterThan?: number;
  lessThan?: number;
  /** Only texts match. Globs as in `which.capIds`, over the whole text, case matters. */
  matches?: readonly string[];
  /** Characters (UTF-16 units) of a text, items of an array, members of an object: at most so many. */
  maxLength?: number;
}
