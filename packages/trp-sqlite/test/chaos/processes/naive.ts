import type { ClaimRequest, OperationKey, OperationRecord } from "@toolglot/core";
import type { RouterStore, StartOptions, StartResult } from "@toolglot/trp-core/store";

/** How a router guards its effects: as it does, or in one of the two ways that look right and are not. */
export type Variant = "fence" | "lease" | "naive";

/**
 * The store with its claims made naive, to see that the test would notice. `naive` looks whether the operation is done,
 * runs it, and writes that down. `lease` takes whatever has no live lease and runs it again, whatever it does, and whatever
 * was begun before.
 */
export function weaken(store: RouterStore, variant: Variant): RouterStore {
  if (variant === "fence") return store;
  const { operations } = store;
  const start = async (request: ClaimRequest, options: StartOptions): Promise<StartResult> => {
    if (variant === "lease") return operations.start({ ...request, abandoned: "reclaim" }, options);
    const known = await operations.read(request);
    if (known?.state === "done" || known?.state === "failed") return { status: "replay", record: known };
    const claimed = await operations.start({ ...request, abandoned: "reclaim" }, options);
    if (claimed.status !== "busy") return claimed;
    const { scope, key, fence } = claimed.record;
    return { status: "claimed", claim: { scope, key, fence }, record: claimed.record };
  };
  const read = async (operation: OperationKey): Promise<OperationRecord | undefined> => {
    const { data: _, ...record } = (await operations.read(operation)) ?? {};
    return "state" in record ? (record as OperationRecord) : undefined;
  };
  const weak = new Proxy(operations, {
    get: (target, name) => {
      if (name === "start") return start;
      if (name === "read" && variant === "lease") return read;
      const value = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  return new Proxy(store, {
    get: (target, name) => {
      if (name === "operations") return weak;
      const value = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
