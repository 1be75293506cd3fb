import type { RegisteredCapability } from "../capability/types.ts";
import type { PolicyInput } from "./types.ts";

/** A capability as policies see it. */
export function policySubject({ capId, family, definition }: RegisteredCapability): PolicyInput["capability"] {
  const { riskTier, ioClass, effect } = definition;
  return { capId, family, riskTier, ioClass, effect };
}
