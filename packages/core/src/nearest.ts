import { nearest as nearestOf } from "@toolglot/internal";

/**
 * Returns the names most like a name, best first: a model's slips are swapped letters, case, and separators. Only names near
 * enough to be meant, `count` at most (default three).
 *
 * @example
 * ```ts
 * const names = nearest("serch", ["search", "delete"]); // ["search"]
 * ```
 */
export function nearest(name: string, candidates: readonly string[], count?: number): string[] {
  return nearestOf(name, candidates, count);
}
