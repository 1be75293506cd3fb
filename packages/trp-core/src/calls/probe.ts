import type { ExecuteContext, ProbeResult, RegisteredCapability } from "../capability/types.ts";
import { CapabilityError } from "../errors/capability-error.ts";

/**
 * Asks a capability what became of an operation. Whatever goes wrong (it throws, takes too long, gives no answer that can
 * be read) is `unknown`; a `CapabilityError` says what it says. Never rejects.
 */
export async function askProbe(
  capability: RegisteredCapability,
  native: unknown,
  context: Omit<ExecuteContext, "signal">,
  timeoutMs: number,
): Promise<ProbeResult> {
  const { definition } = capability;
  if (definition.probe === undefined) return { state: "unknown" };
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<ProbeResult>((resolve) => {
    timer = setTimeout(() => {
      controller.abort(new DOMException("the probe took too long", "TimeoutError"));
      resolve({ state: "unknown" });
    }, timeoutMs);
  });
  try {
    const asked = (async () => definition.probe?.(native, { ...context, signal: controller.signal }))();
    asked.catch(() => {});
    return read(await Promise.race([asked, late]));
  } catch (error) {
    if (!CapabilityError.isInstance(error) || error.outcome === "unknown") return { state: "unknown" };
    if (error.outcome === "not-applied") return { state: "not-applied" };
    return { state: "failed", message: error.message };
  } finally {
    clearTimeout(timer);
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
