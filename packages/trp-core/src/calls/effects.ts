import type { Effect } from "../capability/types.ts";

/** Whether an effect may be run again when nobody knows whether it happened. `probe` may only after asking. */
export function isRerunnable(effect: Effect): boolean {
  return effect === "pure" || effect === "idempotent" || effect === "keyed";
}
