import type { TestContext } from "vitest";

const every = process.env.TOOLGLOT_LONG === "1";
const required = process.env.TOOLGLOT_REQUIRE_ALL === "1";

/** Whether everything is run, each part in an interpreter of its own: up to half a second of processor time for each. */
export const runsAll: boolean = every || required;

/** As {@link runsAll}, for what takes minutes: only with `TOOLGLOT_LONG=1`. */
export const runsEvery: boolean = every;

/** How many rounds: a sample in a plain run, more under `TOOLGLOT_REQUIRE_ALL=1`, many with `TOOLGLOT_LONG=1`. */
export function rounds(plain: number, all: number, many: number): number {
  if (every) return many;
  return required ? all : plain;
}

/** In a plain run about `plain` of them, always the same, from all over the list; else all. */
export function sampled<T>(list: readonly T[], plain: number): T[] {
  const step = runsAll ? 1 : Math.max(1, Math.ceil(list.length / plain));
  return list.filter((_, index) => index % step === 0);
}

/** Ends a test that a plain run leaves out, with a note that is counted. */
export function leftToCi({ skip }: Pick<TestContext, "skip">, isTaken: boolean): void {
  if (!isTaken && !runsAll) skip("left to .ci/run");
}
