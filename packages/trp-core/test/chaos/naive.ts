import type { ClaimRequest, OperationKey, OperationRecord } from "@toolglot/core";
import type { Changed, RouterStore, StartOptions, StartResult } from "../../src/store/index.ts";
import { replaced } from "./replaced.ts";

/** How a router guards its effects: as it does, or in one of the ways that look right and are not. */
export type Variant = "fence" | "lease" | "naive" | "unmarked" | "orphans" | Guess;

/** What a store on a server takes for granted when the connection ends in a commit. Only that store can do so. */
export type Guess = "commit-taken-for-done" | "commit-taken-for-failed";

/**
 * The store with its claims made naive, to see that the test would notice. `unmarked` looks for the mark of a cancelled call
 * when its frame comes, and no more in the transaction that starts it. `naive` looks whether the operation is done,
 * runs it, and writes that down. `lease` takes whatever has no live lease and runs it again, whatever it does.
 */
export function weaken(store: RouterStore, variant: Variant): RouterStore {
  if (variant !== "lease" && variant !== "naive" && variant !== "unmarked") return store;
  const { operations } = store;
  const start = async (request: ClaimRequest, { ifFence, ...options }: StartOptions): Promise<StartResult> => {
    if (variant === "unmarked") {
      const { unlessCancelled: _, ...rest } = options;
      return operations.start(request, { ...rest, ...(ifFence !== undefined && { ifFence }) });
    }
    if (variant === "lease") return operations.start({ ...request, abandoned: "reclaim" }, options);
    const known = await operations.read(request);
    if (known?.state === "done" || known?.state === "failed") return { status: "replay", record: known };
    const claimed = await operations.start({ ...request, abandoned: "reclaim" }, options);
    if (claimed.status !== "busy") return claimed;
    const { scope, key, fence } = claimed.record;
    return { status: "claimed", claim: { scope, key, fence }, record: claimed.record };
  };
  // Neither sees what was begun: not to wait for it, and not to settle it after its lease.
  const read = async (operation: OperationKey): Promise<OperationRecord | undefined> => {
    const known = await operations.read(operation);
    return known?.state === "claimed" || known?.state === "started" ? undefined : known;
  };
  const takeOver = async (): Promise<Changed> => ({ status: "changed" });
  return replaced(store, {
    operations: replaced(operations, variant === "unmarked" ? { start } : { start, read, takeOver }),
  });
}
