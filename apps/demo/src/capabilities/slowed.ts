import { setTimeout as sleep } from "node:timers/promises";
import type { AnyCapability } from "@toolglot/trp-core";

/** The same capability, which waits before it begins. A call that is stopped meanwhile does nothing. */
export function slowed(capability: AnyCapability, ms: number): AnyCapability {
  return {
    ...capability,
    async execute(args, context) {
      await sleep(ms, undefined, { signal: context.signal });
      return await capability.execute?.(args, context);
    },
  };
}
