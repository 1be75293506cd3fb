import type { JsonObject } from "@toolglot/core";
import { registerCapability } from "../src/catalog/register.ts";
import type { AnyCapability, ExecuteContext, RegisteredCapability } from "../src/catalog/types.ts";
import type { Principal } from "../src/identity/types.ts";
import type { PolicyInput } from "../src/policy/types.ts";

export const alice: Principal = { tenant: "acme", id: "alice", roles: [], canDelete: false };

/** A capability that reads, registered. */
export function capability(given: Partial<AnyCapability> = {}): RegisteredCapability {
  return registerCapability({
    capId: "cap.test.read.v1",
    name: "test_read",
    description: "Reads something.",
    riskTier: "LOW",
    ioClass: "READ",
    effect: "pure",
    args: { type: "object", properties: {} },
    execute: () => "done",
    ...given,
  });
}

export function context(given: Partial<ExecuteContext> = {}): ExecuteContext {
  return {
    signal: new AbortController().signal,
    callId: "call_1",
    traceId: "trc_1",
    principal: alice,
    attempt: 1,
    progress: () => {},
    ...given,
  };
}

/** What a policy is asked, about a call that any sensible policy allows. */
export function policyInput(
  given: Partial<Omit<PolicyInput, "capability" | "principal">> & {
    capability?: Partial<PolicyInput["capability"]>;
    principal?: Partial<Principal>;
    args?: JsonObject;
  } = {},
): PolicyInput {
  return {
    args: {},
    now: Date.parse("2026-11-21T12:00:00Z"),
    phase: "admission",
    ...given,
    principal: { ...alice, ...given.principal },
    capability: {
      capId: "cap.test.read.v1",
      family: "cap.test.read",
      riskTier: "LOW",
      ioClass: "READ",
      effect: "pure",
      ...given.capability,
    },
  };
}
