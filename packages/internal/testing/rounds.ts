import type { TestContext } from "vitest";

/** `npm run test:long`: everything there is. */
const long = process.env.TOOLGLOT_LONG === "1";

/** Whether more than a plain run's sample is asked for: by `.ci/run`, or by `npm run test:long`. */
export const isThorough: boolean = long || process.env.TOOLGLOT_REQUIRE_ALL === "1";

/** How many rounds: a sample in a plain run, more in `.ci/run`, and with `npm run test:long` those of `long` (default: as many). */
export function rounds(plain: number, ci: number, longRun: number = ci): number {
  if (long) return longRun;
  return isThorough ? ci : plain;
}

/** About so many of them, always the same, from all over the list. */
export function sampled<T>(list: readonly T[], plain: number, ci = Number.POSITIVE_INFINITY): T[] {
  const step = Math.max(1, Math.ceil(list.length / rounds(plain, ci, Number.POSITIVE_INFINITY)));
  return list.filter((_, index) => index % step === 0);
}

/** Ends a test that a plain run leaves out, with a note that is counted. */
export function leftToCi({ skip }: Pick<TestContext, "skip">, isTaken = false): void {
  if (!isTaken && !isThorough) skip("left to .ci/run");
}
