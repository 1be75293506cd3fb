import type { Effect } from "../capability/types.ts";

/** Whether an effect may be run again when nobody knows whether it happened. `probe` may only after asking. */
export function isRerunnable(effect: Effect): boolean {
  return effect === "pure" || effect === "idempotent" || effect === "keyed";
}

const hardness: Readonly<Record<Effect, number>> = { pure: 0, idempotent: 1, keyed: 1, probe: 2, opaque: 3 };

/**
 * How an operation is to be treated that an earlier attempt began, perhaps under another version of the code: what that
 * attempt did is no easier to repeat than its own version said.
 */
export function effectOver(now: Effect, before: Effect | undefined): Effect {
  return before === undefined || hardness[before] <= hardness[now] ? now : before;
}
