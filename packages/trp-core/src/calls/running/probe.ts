import { settleWithin, unsettled } from "@toolglot/internal";
import { CapabilityError } from "../../catalog/capability-error.ts";
import type { ExecuteContext, ProbeResult } from "../../catalog/types.ts";
import type { Chosen } from "./route.ts";

/**
 * Asks an adapter of a capability what became of an operation. Whatever goes wrong (it throws, takes too long, has no answer that can
 * be read) is `unknown`; a `CapabilityError` has its own outcome. Never rejects.
 */
export async function askProbe(
  { adapter: { definition }, native }: Chosen,
  context: Omit<ExecuteContext, "signal">,
  timeoutMs: number,
): Promise<ProbeResult> {
  if (definition.probe === undefined) return { state: "unknown" };
  const controller = new AbortController();
  try {
    const asked = (async () => definition.probe?.(native, { ...context, signal: controller.signal }))();
    const found = await settleWithin(asked, { ms: timeoutMs });
    if (found !== unsettled) return read(found);
    controller.abort(new DOMException("the probe took too long", "TimeoutError"));
    return { state: "unknown" };
  } catch (error) {
    if (!CapabilityError.isInstance(error) || error.outcome === "unknown") return { state: "unknown" };
    if (error.outcome === "not-applied") return { state: "not-applied" };
    return { state: "failed", message: error.message };
  }
}

function read(given: unknown): ProbeResult {
  const result = given as Partial<ProbeResult> | null | undefined;
  switch (result?.state) {
    case "done":
      return { state: "done", value: (result as { value?: unknown }).value };
    case "failed": {
      const { message } = result as { message?: unknown };
      return { state: "failed", message: typeof message === "string" ? message : "The capability failed." };
    }
    case "not-applied":
      return { state: "not-applied" };
    default:
      return { state: "unknown" };
  }
}
