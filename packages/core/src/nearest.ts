import { nearest as nearestOf } from "@toolglot/internal";

/**
 * The names most like a name, best first: a model's slips are swapped letters, case, and separators. Only names near
 * enough to be meant, three at most unless `count` says otherwise.
 */
export function nearest(name: string, candidates: readonly string[], count?: number): string[] {
  return nearestOf(name, candidates, count);
}
