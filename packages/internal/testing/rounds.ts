import type { TestContext } from "vitest";

/** `npm run test:long`: everything there is. */
export const isLong: boolean = process.env.TOOLGLOT_LONG === "1";

/** Whether a test that is dear, or that needs what a machine may lack, runs: in `.ci/run`, or with `npm run test:long`. */
export const isThorough: boolean = isLong || process.env.TOOLGLOT_REQUIRE_ALL === "1";

/** How many rounds: a sample, or with `npm run test:long` all. */
export function rounds(some: number, all: number): number {
  return isLong ? all : some;
}

/** How many rounds a test has. */
export interface Share {
  readonly count: number;
  /** For the test's name: how many of all, and who runs the others. */
  readonly told: string;
}

/** As {@link rounds}, with words for the test's name; `what` names the rounds. */
export function share(what: string, some: number, all: number): Share {
  const count = rounds(some, all);
  return {
    count,
    told: count >= all ? `all ${all} ${what}` : `${count} of ${all} ${what}, the others left to test:long`,
  };
}

/** Which sample of a list is drawn. */
const seed =
  process.env.TOOLGLOT_SEED === "new" ? Math.floor(Math.random() * 2 ** 20) : Number(process.env.TOOLGLOT_SEED ?? 0);

/** So many of them, always the same, from all over the list, in its order. TOOLGLOT_SEED=1, 2, … draws the next ones, until all were drawn. */
export function drawn<T>(list: readonly T[], count: number): T[] {
  const next = (((seed * count) / list.length) % 1) * 2 ** 32;
  // Multiples of the golden ratio lie evenly, and follow no rule that a list could have.
  const rank = (index: number): number => (Math.imul(index + 1, 0x9e3779b1) - next) >>> 0;
  const chosen = [...list.keys()].sort((one, other) => rank(one) - rank(other)).slice(0, count);
  const places = new Set(chosen);
  return list.filter((_, index) => places.has(index));
}

/** What there is of a list without `npm run test:long`, which has all of it: so many drawn ones, and those of `always`. */
export function someOf<T>(list: readonly T[], count: number, always: readonly T[] = []): readonly T[] {
  if (isLong) return list;
  const some = new Set([...drawn(list, count), ...always]);
  return list.filter((one) => some.has(one));
}

/** Ends a test that a plain run leaves out, with a note that is counted. */
export function leftToCi({ skip }: Pick<TestContext, "skip">, isTaken = false): void {
  if (!isTaken && !isThorough) skip("left to .ci/run");
}
