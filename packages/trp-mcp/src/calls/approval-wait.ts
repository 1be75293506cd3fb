import type { Principal, Router } from "@toolglot/trp-core";
import type { ToolCallContext } from "../types.ts";

/** How often the store is asked whether another process has the decision, if that isn't heard sooner, and how often a client hears that a call waits. */
const pollMs = 1_000;
const progressMs = 10_000;

/**
 * Waits until somebody has decided about a request, at most `ms`. Resolves with whether there is a decision; the store has it. Ends early
 * when the client is gone.
 */
export async function waitForDecision(
  router: Pick<Router, "approvals" | "subscribe">,
  who: Principal,
  approvalId: string,
  { signal, onProgress }: Pick<ToolCallContext, "signal" | "onProgress">,
  ms: number,
): Promise<boolean> {
  if (!(ms > 0) || signal?.aborted) return false;
  return new Promise((resolve) => {
    let progress = 0;
    const ending = new AbortController();
    const end = (isDecided: boolean): void => {
      ending.abort();
      clearTimeout(limit);
      clearInterval(timer);
      unsubscribe();
      signal?.removeEventListener("abort", gone);
      resolve(isDecided);
    };
    const gone = (): void => end(false);
    const look = async (): Promise<void> => {
      while (!ending.signal.aborted) {
        // A store that can't serve now is asked again.
        const record = await router.approvals.read(who, approvalId).catch(() => undefined);
        if (record !== undefined && record.status !== "pending") return end(true);
        await router.approvals.whenChanged(approvalId, { ms: pollMs, signal: ending.signal });
      }
    };
    const limit = setTimeout(() => end(false), ms);
    const timer = setInterval(
      () => onProgress?.({ progress: ++progress, message: "waiting for an approval" }),
      progressMs,
    );
    const unsubscribe = router.subscribe((event) => {
      if (event.type === "approval.decided" && event.approvalId === approvalId) end(true);
    });
    signal?.addEventListener("abort", gone);
    void look();
  });
}
