import type { InferInput, InputSource } from "@toolglot/schema";
import type { Capability } from "../capability/types.ts";

/** The capability as it is: only for its types, so that `execute` knows its arguments from `args`. */
export function defineCapability<const Source extends InputSource, Native = InferInput<Source>>(
  capability: Capability<Source, Native>,
): Capability<Source, Native> {
  return capability;
}
