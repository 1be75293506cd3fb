import { AsyncLocalStorage } from "node:async_hooks";
import type { RouterStore } from "@toolglot/trp-core/store";
import type { Variant } from "../../../trp-core/test/chaos/naive.ts";
import { replaced } from "../../../trp-core/test/chaos/replaced.ts";
import { ambiguous } from "./commits.ts";

class TakenForFailed extends Error {}

/** Breaks a share of the commits of this process. Two variants don't find out whether such a commit holds, and guess. */
export function guessing(variant: Variant, share: number): (store: RouterStore) => RouterStore {
  if (variant === "commit-taken-for-done") {
    // What the statements of the store return when all went well.
    const row = { now: Date.now(), fence: 1_000_000_000, answered: 1, n: 1 };
    ambiguous(share, () => ({ command: "COMMIT", rows: [row], rowCount: 1 }));
    return (store) => store;
  }
  if (variant !== "commit-taken-for-failed") {
    if (share > 0) ambiguous(share);
    return (store) => store;
  }
  const starting = new AsyncLocalStorage<boolean>();
  ambiguous(share, () => {
    if (starting.getStore()) throw new TakenForFailed();
    throw new Error("Connection terminated unexpectedly");
  });
  return (store) => replaced(store, { operations: replaced(store.operations, { start: again(store, starting) }) });
}

/** A start that counts as failed is sent again, as another operation. */
function again({ operations }: RouterStore, starting: AsyncLocalStorage<boolean>): RouterStore["operations"]["start"] {
  return async (request, options) => {
    try {
      return await starting.run(true, () => operations.start(request, options));
    } catch {
      const { ifAdmitted: _, ifFence: __, ...rest } = options;
      return await operations.start({ ...request, key: `${request.key}_again` }, rest);
    }
  };
}
