import { type JsonObject, ToolError } from "@toolglot/core";
import { copyJson } from "@toolglot/internal";
import type { RegisteredCapability } from "../capability/types.ts";
import { fault } from "../errors/fault.ts";
import type { Fault } from "../errors/types.ts";
import type { AdapterLayer } from "../parts.ts";
import { messageOf } from "./error-text.ts";
import { isThenable, letGo } from "./thenable.ts";

/**
 * Turns canonical arguments into what a capability's own code takes (TRP v0.1 draft, 10.1). An adapter gets a copy, so it
 * can't change what was checked, approved and written down. It is a pure function: a `ToolError` of it is a refusal of the
 * arguments, its message for the model (TRP_2001); any other exception, and a promise, is a fault of the capability
 * (TRP_5001) of which nothing gets out. Nothing was executed in either case.
 */
export function createAdapterLayer(): AdapterLayer {
  return {
    adapt(capability: RegisteredCapability, args: JsonObject): { native: unknown } | Fault {
      const own = copyJson(args);
      const { definition } = capability;
      if (definition.adapt === undefined) return { native: own };
      try {
        const native: unknown = definition.adapt(own);
        if (!isThenable(native)) return { native };
        letGo(native);
      } catch (error) {
        const message = toolErrorMessage(error);
        if (message !== undefined) {
          return fault("TRP_2001", message, { retryHint: { action: "FIX_ARGUMENTS" } });
        }
      }
      return fault("TRP_5001", `the arguments of ${capability.capId} could not be adapted`);
    },
  };
}

function toolErrorMessage(error: unknown): string | undefined {
  try {
    return ToolError.isInstance(error) ? messageOf(error) : undefined;
  } catch {
    return undefined;
  }
}
