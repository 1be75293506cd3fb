import type { JsonObject } from "@toolglot/core";
import type { Effect } from "../capability/types.ts";
import type { IoClass, RiskTier } from "../frames/types.ts";
import type { Principal } from "../identity/types.ts";

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

/** What a policy says. */
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
  evaluate(input: PolicyInput): PolicyDecision | Promise<PolicyDecision>;
}
