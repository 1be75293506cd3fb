import { checkKeys } from "@toolglot/internal";
import type { InferInput, InputSource } from "@toolglot/schema";
import type { AnyCapability, Capability } from "./types.ts";

/**
 * The capability as it is: for its types, so that `execute` knows its arguments from `args`. `TypeError` for a field that
 * no capability has: a misspelt limit would be none.
 */
export function defineCapability<const Source extends InputSource, Native = InferInput<Source>>(
  capability: Capability<Source, Native>,
): Capability<Source, Native> {
  checkKeys<AnyCapability>("defineCapability", capability, {
    capId: true,
    name: true,
    description: true,
    riskTier: true,
    ioClass: true,
    effect: true,
    args: true,
    rules: true,
    adapt: true,
    adapterVersion: true,
    execute: true,
    probe: true,
    shape: true,
    roles: true,
    examples: true,
    maxTimeoutMs: true,
    maxConcurrency: true,
    repeats: true,
  });
  return capability;
}
