// What tests get as `fast-check`: the same cases in every run, so that a change is judged by what it changed. `npm test`
// makes two of five of a property's runs, `npm run test:long` all of them.
// `npm run test:fuzz` looks for cases that nobody has seen, with TOOLGLOT_SEED=new; a number repeats a run.
import fc from "fast-check";

const asked = process.env.TOOLGLOT_SEED ?? "20261122";
if (asked !== "new") {
  const seed = Number(asked);
  if (!Number.isInteger(seed)) throw new TypeError(`TOOLGLOT_SEED is "${asked}": write an integer, or new.`);
  fc.configureGlobal({ seed });
}

const isWhole = ["TOOLGLOT_LONG", "TOOLGLOT_SEED"].some((name) => process.env[name]);
const defaultRuns = 100;
const fewest = 25;

/**
 * @param {import("fast-check").IRawProperty<unknown>} property
 * @param {import("fast-check").Parameters<unknown>} [parameters]
 */
export function assert(property, parameters) {
  const { numRuns = defaultRuns, ...others } = parameters ?? {};
  const runs = isWhole ? numRuns : Math.min(numRuns, Math.max(fewest, Math.ceil(numRuns * 0.4)));
  return fc.assert(property, { ...others, numRuns: runs });
}

export * from "fast-check";
export default { ...fc, assert };
