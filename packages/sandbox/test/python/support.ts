const every = process.env.TOOLGLOT_ATTACKS === "all";
const required = process.env.TOOLGLOT_REQUIRE_ALL === "1";

/** Whether everything is run, each part in a process of its own: about half a second of processor time for each. */
export const runsAll = every || required;

/** As {@link runsAll}, for what takes minutes: only with `TOOLGLOT_ATTACKS=all`. */
export const runsEvery = every;

/** How many rounds: a sample in a plain run, more under `TOOLGLOT_REQUIRE_ALL=1`, many with `TOOLGLOT_ATTACKS=all`. */
export function rounds(plain: number, all: number, many: number): number {
  if (every) return many;
  return required ? all : plain;
}

/** Cuts a list into parts of at most `size`. */
export function inGroups<T>(list: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, index) =>
    list.slice(index * size, (index + 1) * size),
  );
}

/** The code as the body of a Python function called `name` that returns what was assigned to `__result__`. */
export function asFunction(name: string, code: string): string {
  const body = code.trimEnd().split("\n").join("\n    ");
  return `def ${name}():\n    __result__ = None\n    ${body}\n    return __result__\n`;
}
