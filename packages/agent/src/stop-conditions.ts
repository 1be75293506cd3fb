import type { StopCondition } from "./options.ts";

/**
 * Creates a condition that stops a run once one of these tools has a result. Throws `TypeError` without a name.
 *
 * @example
 * ```ts
 * { stopWhen: [stopOnTool("submit"), stopOnCost(0.5)] }
 * ```
 */
export function stopOnTool(...names: readonly string[]): StopCondition {
  if (names.length === 0 || names.some((name) => typeof name !== "string" || name === "")) {
    throw new TypeError("stopOnTool needs the names of tools.");
  }
  const wanted = new Set(names);
  return ({ results }) => results.some(({ name }) => name !== undefined && wanted.has(name));
}

/** Creates a condition that stops a run once it has cost that much, in the unit of `price`. Throws `TypeError` for anything but a number from 0. */
export function stopOnCost(limit: number): StopCondition {
  if (!(typeof limit === "number" && limit >= 0))
    throw new TypeError(`stopOnCost needs a number from 0, not ${String(limit)}.`);
  return ({ usage }) => (usage.cost ?? 0) >= limit;
}
