import { isDeepStrictEqual } from "node:util";
import type { SlipCase, Value } from "./slip.ts";

/** What a parser made of a text. */
export interface Reading {
  /** Calls that would run. `held`: the parser says that a value may be wrong, so that a loop asks first. */
  runs: { value: Value; held: boolean }[];
  /** A warning or an error was given. */
  said: boolean;
}

/**
 * - `exact`: what was meant runs, or nothing where nothing was meant, and there was nothing to say.
 * - `recovered`: what was meant runs, with a warning or an error.
 * - `held`: a call whose value is not what was meant, but marked so that it does not run unasked.
 * - `refused`: what was meant does not run, or not all of it; nothing else does; and that is said.
 * - `wrong`: silently wrong. A call runs that was not meant, or with another value, unmarked.
 * - `lost`: silently wrong. A call that was meant does not run, and nothing says so.
 */
export type Outcome = "exact" | "recovered" | "held" | "refused" | "wrong" | "lost";

export const outcomes: readonly Outcome[] = ["exact", "recovered", "held", "refused", "wrong", "lost"];

/** Whether nobody would notice that what was meant and what happens differ. */
export const isSilent = (outcome: Outcome): boolean => outcome === "wrong" || outcome === "lost";

/** How a reading compares with what was meant. */
export function judge({ meant, lost, looseLineEnds }: SlipCase, { runs, said }: Reading): Outcome {
  const same = (a: Value, b: Value): boolean =>
    isDeepStrictEqual(looseLineEnds ? withoutReturns(a) : a, looseLineEnds ? withoutReturns(b) : b);
  // Calls that were meant may be missing, but those that run keep their order.
  let next = 0;
  let wrong = 0;
  for (const { value, held } of runs) {
    const at = meant.findIndex((want, index) => index >= next && same(want, value));
    if (at >= 0) next = at + 1;
    else if (held) wrong += 1;
    else return "wrong";
  }
  if (wrong > 0) return "held";
  const missing = lost === true || runs.length < meant.length;
  if (missing && !said) return "lost";
  if (runs.length < meant.length || (lost && runs.length === 0)) return "refused";
  return said ? "recovered" : "exact";
}

/** The value with `\\n` for `\\r\\n` in all its texts. */
export function withoutReturns(value: Value): Value {
  if (typeof value === "string") return value.replaceAll("\r\n", "\n");
  if (Array.isArray(value)) return value.map(withoutReturns);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutReturns(inner)]));
}
