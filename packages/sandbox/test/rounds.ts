import type { TestContext } from "vitest";

const every = process.env.TOOLGLOT_LONG === "1";
const required = process.env.TOOLGLOT_REQUIRE_ALL === "1";

/** Whether everything is run, each part in an interpreter of its own: up to half a second of processor time for each. */
export const runsAll: boolean = every || required;

/** As {@link runsAll}, for what takes minutes: only with `TOOLGLOT_LONG=1`. */
export const runsEvery: boolean = every;

/** How many rounds a test has. */
export interface Share {
  readonly count: number;
  /** For the test's name: how many of all, and who runs the others. */
  readonly told: string;
}

/** A sample in a plain run, `required` under `TOOLGLOT_REQUIRE_ALL=1`, all with `TOOLGLOT_LONG=1`; `what` names them. */
export function share(what: string, plain: number, inCi: number, all: number): Share {
  const count = rounds(plain, inCi, all);
  if (count >= all) return { count, told: `all ${all} ${what}` };
  return { count, told: `${count} of ${all} ${what}, the others left to ${inCi < all ? "test:long" : ".ci/run"}` };
}

/** How many rounds: a sample in a plain run, more under `TOOLGLOT_REQUIRE_ALL=1`, many with `TOOLGLOT_LONG=1`. */
function rounds(plain: number, inCi: number, all: number): number {
  if (every) return all;
  return required ? inCi : plain;
}

/** So many of them, always the same, from all over the list, in its order. */
export function drawn<T>(list: readonly T[], count: number): T[] {
  // Multiples of the golden ratio lie evenly, and follow no rule that a list could have.
  const rank = (index: number): number => Math.imul(index + 1, 0x9e3779b1) >>> 0;
  const chosen = [...list.keys()].sort((one, other) => rank(one) - rank(other)).slice(0, count);
  const places = new Set(chosen);
  return list.filter((_, index) => places.has(index));
}

/** Ends a test that a plain run leaves out, with a note that is counted. */
export function leftToCi({ skip }: Pick<TestContext, "skip">, isTaken = false): void {
  if (!isTaken && !runsAll) skip("left to .ci/run");
}
