import { createRouter, type Router, type RouterOptions } from "@toolglot/trp-core";
import { openExistingStore, type StoreChoice } from "./store-choice.ts";

/**
 * Works on a store that is there, through a router that runs nothing: for people who read and decide. A router that
 * serves the same store sees what was decided.
 */
export async function onStore<Value>(
  choice: StoreChoice,
  work: (router: Router) => Promise<Value>,
  more: Pick<RouterOptions, "checkpoints"> = {},
): Promise<Value> {
  const store = await openExistingStore(choice);
  const router = createRouter({ store, capabilities: [], times: { recoverEveryMs: 0, pruneEveryMs: 0 }, ...more });
  try {
    return await work(router);
  } finally {
    await router.close({ graceMs: 0 });
    await store.close();
  }
}
