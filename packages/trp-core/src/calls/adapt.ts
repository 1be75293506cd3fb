import { type JsonObject, ToolError } from "@toolglot/core";
import { copyJson, ignoreRejection, isThenable } from "@toolglot/internal";
import type { RegisteredAdapter, RegisteredCapability } from "../catalog/types.ts";
import { type Fault, fault } from "../frames/fault.ts";
import { messageOf } from "./faults.ts";

/**
 * Turns canonical arguments into what a capability's own code takes (TRP v0.1 draft, 10.1). An adapter gets a copy, so it
 * can't change what was checked, approved and written down. It is a pure function: a `ToolError` of it is a refusal of the
 * arguments, its message for the model (TRP_2001); any other exception, and a promise, is a fault of the capability
 * (TRP_5001) of which nothing gets out. Nothing was executed in either case. Never throws.
 */
export function adaptArguments(
  { capId, adapters }: RegisteredCapability,
  args: JsonObject,
  { definition }: Pick<RegisteredAdapter, "definition"> = adapters[0] as RegisteredAdapter,
): { native: unknown } | Fault {
  const own = copyJson(args);
  if (definition.adapt === undefined) return { native: own };
  try {
    const native: unknown = definition.adapt(own);
    if (!isThenable(native)) return { native };
    ignoreRejection(native);
  } catch (error) {
    const message = toolErrorMessage(error);
    if (message !== undefined) return fault("TRP_2001", message, { retryHint: { action: "FIX_ARGUMENTS" } });
  }
  return fault("TRP_5001", `the arguments of ${capId} could not be adapted`);
}

function toolErrorMessage(error: unknown): string | undefined {
  try {
    return ToolError.isInstance(error) ? messageOf(error) : undefined;
  } catch {
    return undefined;
  }
}
